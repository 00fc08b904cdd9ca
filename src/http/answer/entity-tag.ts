import { ServiceError } from "../../shared/errors.ts";

/** The entity tag of a document: its version. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/** Weak comparison, as If-None-Match asks for (RFC 9110, section 13.1.2). */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  return (header ?? "").split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === tag);
}

/**
 * The versions that `If-Match` lets a change build on; undefined for a request without it. Weak tags match nothing
 * (RFC 9110, section 13.1.1), a bare number counts as a tag. Throws `invalid_parameter` for what is no list of tags.
 */
export function readIfMatch(header: string | undefined): ((version: number) => boolean) | undefined {
  if (header === undefined) return undefined;
  const items = header.split(",").map((item) => item.trim());
  if (items.includes("*")) return () => true;
  const known = /^(?:W\/)?"[^"]*"$|^\d+$/;
  if (!items.every((item) => known.test(item))) {
    throw new ServiceError("invalid_parameter", 'If-Match is not a list of entity tags such as "3"');
  }
  return (version) => items.some((item) => item === entityTag(version) || item === String(version));
}
