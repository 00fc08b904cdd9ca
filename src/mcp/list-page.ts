import type { Endpoint } from "../endpoints/definition/definition.ts";

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
  const rest = after === undefined ? endpoints : endpoints.filter(({ definition }) => definition.name > after);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  if (last === undefined || page.length === rest.length) return { endpoints: page };
  return { endpoints: page, nextCursor: Buffer.from(`after:${last.definition.name}`).toString("base64url") };
}

function readCursor(cursor: string): string | undefined {
  const [, name] = /^after:(.+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  return name;
}
