import { createHash } from "node:crypto";
import type { CompiledQuery } from "../engines/engine.ts";
import type { Paging } from "./paging/page-query.ts";

/** A compiled query, and how its pages follow each other where it has any. */
export interface PlannedQuery extends CompiledQuery {
  readonly paging?: Paging;
  /** `digestQuery` of it, for who compares queries often. */
  readonly digest?: string;
  /** False once the same call would be planned otherwise; absent where that cannot be told, as for what depends on the clock. */
  readonly isCurrent?: () => boolean;
}

/** What the query asks and answers, as a SHA-256. */
export function digestQuery({ sql, columns }: CompiledQuery): string {
  return createHash("sha256")
    .update(JSON.stringify([sql, columns]))
    .digest("base64url");
}
