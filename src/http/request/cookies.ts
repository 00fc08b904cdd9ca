import type { FastifyReply, FastifyRequest } from "fastify";

/** A session; and what a browser has to remember until it comes back from the issuer, or why it was refused there. */
type CookieName = "session" | "sign_in";

interface Place {
  /** Where people reach the service, if the settings say so. */
  readonly publicUrl: URL | undefined;
}

/**
 * Where people reach the service by https, its cookies are sent by https only, and no neighbour below the same domain
 * can set them (the prefix `__Host-`).
 */
function nameOf(name: CookieName, { publicUrl }: Place): string {
  return `${publicUrl?.protocol === "https:" ? "__Host-" : ""}logweir_${name}`;
}

/** The value of a cookie of ours; undefined where several have its name, of which another site may have set one. */
export function readCookie({ headers }: FastifyRequest, name: CookieName, place: Place): string | undefined {
  const start = `${nameOf(name, place)}=`;
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const [own, ...others] = pairs.filter((pair) => pair.startsWith(start));
  return others.every((other) => other === own) ? own?.slice(start.length) : undefined;
}

/**
 * Sets a cookie of ours for this many seconds; 0 removes it. Scripts cannot read it. A session is sent by our own pages
 * only; the other one also when the issuer sends the browser back.
 */
export function setCookie(reply: FastifyReply, name: CookieName, value: string, seconds: number, place: Place): void {
  const isSecure = place.publicUrl?.protocol === "https:";
  const sameSite = name === "session" ? "Strict" : "Lax";
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${Math.max(0, Math.floor(seconds))}`;
  reply.header("Set-Cookie", `${nameOf(name, place)}=${value}; ${attributes}${isSecure ? "; Secure" : ""}`);
}
