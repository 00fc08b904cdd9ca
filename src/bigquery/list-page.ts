import { type Fields, readCount } from "./read-request.ts";

/** A page of a list, and the token of the next, which is the place where it begins. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: { readonly nextPageToken?: string };
}

/** The page that `maxResults` and `pageToken` ask for. Throws `invalid_parameter` where one of them is no number. */
export function readListPage<T>(all: readonly T[], sent: Fields): ListPage<T> {
  const start = readCount("pageToken", sent.pageToken) ?? 0;
  const end = start + (readCount("maxResults", sent.maxResults) || all.length);
  return { items: all.slice(start, end), next: end < all.length ? { nextPageToken: String(end) } : {} };
}
