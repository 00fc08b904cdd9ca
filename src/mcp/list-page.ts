import type { Endpoint } from "../endpoints/definition/definition.ts";
import { pageAfter } from "../shared/page-after.ts";

/** Endpoints on one page of a list: a client that takes only the first has as many as a model can choose from. */
export const pageSize = 250;

/** A part of a list, and where the next one begins. */
export interface ListPage {
  readonly endpoints: readonly Endpoint[];
  readonly nextCursor?: string;
}

/**
 * The endpoints behind a cursor, or the first ones; undefined for a cursor that is none. It holds the last name, so
 * that none is lost or repeated when endpoints come and go. `endpoints` are ordered by name.
 */
export function findPage(endpoints: readonly Endpoint[], cursor: string | undefined): ListPage | undefined {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && after === undefined) return undefined;
  const { items, next } = pageAfter(endpoints, ({ definition }) => definition.name, after, pageSize);
  if (next === undefined) return { endpoints: items };
  return { endpoints: items, nextCursor: Buffer.from(`after:${next}`).toString("base64url") };
}

function readCursor(cursor: string): string | undefined {
  const [, name] = /^after:(.+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  return name;
}
