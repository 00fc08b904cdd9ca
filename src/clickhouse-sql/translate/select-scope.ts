import type { Expression, TableExpression } from "../../googlesql/ast.ts";
import type { DiagnosticCode, GoogleSqlError, Span } from "../../googlesql/diagnostic.ts";
import { identifier, isNull } from "../../lql/sql-nodes.ts";
import type { ChExpression, ChName, ChSelect } from "../clickhouse-ast.ts";
import { refuse } from "../parse/refuse.ts";
import type { LogsRelation } from "./logs-relation.ts";
import type { Typed } from "./typed.ts";

/** Expressions of a whole query at most, with each alias where it is used. */
const maxExpressions = 100_000;

/** Counts the expressions of a query: aliases of aliases could make it grow without bound. */
export class ExpressionCount {
  #count = 0;

  add(scope: SelectScope, span: Span): void {
    this.#count++;
    if (this.#count <= maxExpressions) return;
    throw scope.error("too_complex", `Query has more than ${maxExpressions} expressions, with aliases in place`, span);
  }
}

/** The meaning of names in one SELECT. */
export class SelectScope {
  readonly count: ExpressionCount;
  /** Translates an expression of the SELECT. */
  readonly translate: (expression: ChExpression) => Typed;
  readonly #text: string;
  readonly #relation: LogsRelation | undefined;
  readonly #qualifiers: readonly string[];
  readonly #aliases: ReadonlyMap<string, ChExpression>;
  /** Aliases that are being put in place: inside of one its name is a column's. */
  readonly #open = new Set<string>();
  readonly #lists = new Map<string, { readonly name: string; readonly array: Expression }>();

  constructor(
    text: string,
    select: ChSelect,
    relation: LogsRelation | undefined,
    count: ExpressionCount,
    translate: (scope: SelectScope, expression: ChExpression) => Typed,
  ) {
    this.translate = (expression) => translate(this, expression);
    this.#text = text;
    this.#relation = relation;
    this.count = count;
    this.#qualifiers = [select.from?.name, select.from?.alias].flatMap((name) => name?.toLowerCase() ?? []);
    const named = select.items.flatMap(({ alias, expression }) =>
      alias === undefined ? [] : [[alias, expression] as const],
    );
    this.#aliases = new Map(named.reverse());
  }

  /** The table; undefined without FROM. */
  get relation(): LogsRelation | undefined {
    return this.#relation;
  }

  /** The value of a name: of an alias, else of a column, as ClickHouse has it. */
  readName({ qualifier, name, span }: ChName): Typed {
    const alias = qualifier === undefined && !this.#open.has(name) ? this.#aliases.get(name) : undefined;
    if (alias !== undefined) return this.inside(name, () => this.translate(alias));
    if (qualifier !== undefined && !this.#qualifiers.includes(qualifier.toLowerCase())) {
      throw this.error("unknown_column", `Unknown table or alias: ${qualifier}`, span);
    }
    const column = this.#relation?.column(name, span);
    if (column !== undefined) return column;
    const hint = this.#relation === undefined ? "" : `; write log_attributes['${name}'] for a field`;
    throw this.error("unknown_column", `Unrecognized name: ${name}${hint}`, span);
  }

  /** Translates what an alias stands for: in it, the name is a column's. */
  inside<T>(alias: string | undefined, translate: () => T): T {
    if (alias === undefined || this.#open.has(alias)) return translate();
    this.#open.add(alias);
    try {
      return translate();
    } finally {
      this.#open.delete(alias);
    }
  }

  /** The name of one item of a list at a time, of which each makes a row; the same for the same list. */
  joinList(written: ChExpression, array: Expression, span: Span): Expression {
    const key = this.#text.slice(written.span.start, written.span.end).replaceAll(/\s+/g, " ");
    const known = this.#lists.get(key) ?? { name: `joined_${this.#lists.size}`, array };
    this.#lists.set(key, known);
    if (this.#lists.size > 5) throw this.error("too_complex", "More than 5 arrayJoins in one SELECT", span);
    return identifier(known.name, span);
  }

  /** The table with each list that is joined to it, and conditions that these bring. */
  from(span: Span): { readonly from: TableExpression | undefined; readonly conditions: readonly Expression[] } {
    let from = this.#relation?.from();
    const conditions: Expression[] = [];
    for (const { name, array } of this.#lists.values()) {
      const alias = identifier(name, span);
      const list: TableExpression = { kind: "Unnest", arrays: [{ expression: array }], alias, suffixes: [], span };
      from = from === undefined ? list : { kind: "Join", type: "CROSS", left: from, right: list, span };
      conditions.push(isNull(alias, span, true));
    }
    return { from, conditions };
  }

  error(code: DiagnosticCode, message: string, span: Span): GoogleSqlError {
    return refuse(this.#text, code, message, span);
  }
}
