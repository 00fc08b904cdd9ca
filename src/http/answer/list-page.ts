import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { parseLimit } from "../../endpoints/call/prepare/parameters.ts";
import { inQuery } from "../../openapi/forms.ts";
import { pageAfter } from "../../shared/page-after.ts";
import { urlParameters } from "../request/request-parameters.ts";
import { nextPageHeader } from "./answer-headers.ts";

const maxLimit = 1_000;

/** The parameters of a list that has pages for callers who ask for them. */
export const listPageParameters = [
  inQuery("limit", "Maximum number of items; all without it", Type.Integer({ minimum: 1, maximum: maxLimit })),
  inQuery("cursor", "From the Link of the page before"),
];

/**
 * The whole list, in its order; or with `limit` or `cursor` a page of it by key, with a `Link` to the next one. Items
 * that come and go meanwhile move no others. Throws `invalid_parameter`.
 */
export function takePage<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  const sent = urlParameters(request);
  const [limit, cursor] = [parseLimit(sent.get("limit")?.at(-1), maxLimit), sent.get("cursor")?.at(-1)];
  if (limit === undefined && cursor === undefined) return items;
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const page = pageAfter(sorted, keyOf, cursor, limit ?? maxLimit);
  if (page.next !== undefined) reply.header(...nextPageHeader(request.url, encodeURIComponent(page.next)));
  return page.items;
}
