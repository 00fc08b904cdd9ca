import type { Expression, GroupBy, NamedWindow, Path, Select, SelectItem } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Expr, Scan } from "../../resolved.ts";
import type { Environment, QueryBlock, Relation } from "../context.ts";
import type { SortKey } from "./order-by.ts";
import type { Item } from "./select-list.ts";

/** The clauses of a SELECT after FROM; the pipe operator SELECT has a part of them. */
export interface SelectClauses {
  readonly isDistinct: boolean;
  readonly as?: Select["as"] | Path | undefined;
  readonly items: readonly SelectItem[];
  readonly where?: Expression | undefined;
  readonly groupBy?: GroupBy | undefined;
  readonly having?: Expression | undefined;
  readonly qualify?: Expression | undefined;
  readonly windows: readonly NamedWindow[];
  readonly span: Span;
  /** The pipe operator SELECT, which does not aggregate. */
  readonly isPipe?: boolean;
}

/** The state shared by the parts of one SELECT. */
export interface SelectWork {
  readonly environment: Environment;
  readonly block: QueryBlock;
  readonly source: Relation;
  items: readonly Item[];
  sortKeys: readonly SortKey[];
  having: Expr | undefined;
  qualify: Expr | undefined;
  scan: Scan;
}
