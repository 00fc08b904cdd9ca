import type { Span } from "../../../googlesql/diagnostic.ts";
import { walkTree } from "../../sql/map-tree.ts";
import { Fact } from "../../sql/node.ts";
import { Sql } from "./sql.ts";

/**
 * The mark of what ClickHouse does not compute exactly as the language has it: it stands where the SQL would, and
 * whatever holds it is refused too.
 */
export class Refusal extends Sql {
  /** In words for the author of the query. */
  readonly reason: string;
  /** The position of the call or expression at fault; undefined if the form of the query is at fault. */
  readonly span: Span | undefined;

  constructor(reason: string, span?: Span) {
    super("refused", Fact.REFUSED, reason);
    this.reason = reason;
    this.span = span;
  }
}

/** The first refusal in what is printed, with the position unless it has one; undefined where all is computed. */
export function refusalIn(printed: Sql, span?: Span): Refusal | undefined {
  if (!printed.isRefused) return undefined;
  const found: Refusal[] = [];
  walkTree(printed, Fact.REFUSED, (node) => {
    if (node instanceof Refusal) found.push(node);
  });
  const [first] = found;
  if (first === undefined || first.span !== undefined || span === undefined) return first;
  return new Refusal(first.reason, span);
}
