import { createHash } from "node:crypto";
import type { OutputColumn } from "../../engines/contract/query-engine.ts";
import { splitValues } from "../../values/json/split-json.ts";
import type { PagePlace } from "../paging/cursor.ts";

/** A complete answer of a run. */
export interface ComputedAnswer {
  /** `{"result":[...]}` */
  readonly body: Buffer;
  readonly columns: readonly OutputColumn[];
  /** The newest event that it covers, in microseconds since 1970; undefined where there is none. */
  readonly dataThroughUs: bigint | undefined;
  /** Where the next page begins; undefined where there is none. */
  readonly next: PagePlace | undefined;
}

/** A whole answer, as it is cached. */
export interface CachedAnswer extends ComputedAnswer {
  /** Unique among the answers of the cache. */
  readonly serial: number;
  /** A strong entity tag (RFC 9110, section 8.8.3) of the body, with its quotes. */
  readonly etag: string;
  /** When the query that made it ended, in milliseconds since 1970. */
  readonly computedAtMs: number;
  /** The answer in other formats and encodings, by a name that the caller of `formOf` chooses. */
  readonly forms: Map<string, Buffer | Promise<Buffer>>;
}

/** How long an endpoint's answers are cached. */
export interface CachePolicy {
  /** An answer is served for this long after the last run that succeeded. */
  readonly cacheSeconds: number;
  /** Undefined: never refreshed by itself. */
  readonly warmEverySeconds: number | undefined;
}

/** The overhead of an answer besides its bytes: objects, keys, and the data for a refresh. */
const overheadBytes = 2_500;

export function toCachedAnswer(computed: ComputedAnswer, serial: number, computedAtMs: number): CachedAnswer {
  const etag = `"${createHash("sha256").update(computed.body).digest("base64url")}"`;
  return { ...computed, serial, etag, computedAtMs, forms: new Map() };
}

/** The rows of an answer, each the JSON of its object. */
export function rowsOf({ body }: Pick<ComputedAnswer, "body">): Iterable<string> {
  const text = body.toString("utf8");
  return splitValues(text.slice(text.indexOf("[") + 1, text.lastIndexOf("]")));
}

/** The approximate memory of an answer. */
export function bytesOfAnswer({ body, forms }: CachedAnswer): number {
  let bytes = overheadBytes + body.length;
  for (const form of forms.values()) bytes += form instanceof Promise ? 0 : form.length;
  return bytes;
}
