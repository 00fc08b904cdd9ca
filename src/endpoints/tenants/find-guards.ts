import type { TenantRule } from "../../googlesql/relation.ts";
import { outerSubqueries, scanExpressions } from "../../googlesql/resolved/walk.ts";
import type { CteDefinition, Expr, Scan } from "../../googlesql/resolved.ts";
import { type Condition, closeOver, type Field, toConditions, toField } from "./conditions.ts";

type ScanOf<Kind extends Scan["kind"]> = Extract<Scan, { kind: Kind }>;

type Table = ScanOf<"Table">;

/** Every table that a query scans, with what says whose rows are read; undefined where all may be. */
export type Guards = ReadonlyMap<Table, TenantRule | undefined>;

/**
 * Finds the scans of a query that read one tenant's rows only: a condition above the scan compares the source's
 * tenant field with a parameter or a text, and no row that fails it can play a part in the answer. The common table
 * expressions of `exposed`, by lower-case name, count by themselves: callers' queries read them without the
 * conditions that the saved query reads them with.
 */
export function findGuards(scan: Scan, exposed: ReadonlySet<string> = new Set()): Guards {
  const search = new Search(exposed);
  search.visit(scan, []);
  return search.guards;
}

class Search {
  readonly guards = new Map<Table, TenantRule | undefined>();
  readonly #exposed: ReadonlySet<string>;
  /** By the expression: what every scan of it so far is under, as conditions on its output. */
  readonly #readers = new Map<CteDefinition, readonly Condition[]>();

  constructor(exposed: ReadonlySet<string>) {
    this.#exposed = exposed;
  }

  /** `conditions` are those that every row of the scan's output has to pass. */
  visit(scan: Scan, conditions: readonly Condition[]): void {
    switch (scan.kind) {
      case "SingleRow":
        return;
      case "Table":
        this.guards.set(scan, findRule(scan, conditions));
        return;
      case "Cte":
        this.#noteReader(scan.cte, mapConditions(conditions, scan.columns, scan.cte.output));
        return;
      case "Filter":
        this.#visitFilter(scan, conditions);
        return;
      case "Join":
        this.#visitJoin(scan, conditions);
        return;
      case "Unnest":
        this.#visitUnnest(scan, conditions);
        return;
      case "Project":
        this.#visitProject(scan, conditions);
        return;
      case "Aggregate":
        this.#visitAggregate(scan, conditions);
        return;
      case "Distinct":
        this.#visitDistinct(scan, conditions);
        return;
      case "SetOperation":
        this.#visitSetOperation(scan, conditions);
        return;
      case "OrderBy":
        this.visit(scan.input, conditions);
        return;
      case "Window":
      case "Limit":
      case "Sample":
        this.#visitChoice(scan);
        return;
      case "Recursive":
        this.visit(scan.anchor.scan, []);
        this.visit(scan.step.scan, []);
        return;
      case "With":
        this.#visitWith(scan, conditions);
    }
  }

  #visitFilter(scan: ScanOf<"Filter">, conditions: readonly Condition[]): void {
    const all = closeOver([...conditions, ...toConditions(scan.predicate)]);
    this.#visitQueries(scan, all);
    this.visit(scan.input, all);
  }

  #visitUnnest(scan: ScanOf<"Unnest">, conditions: readonly Condition[]): void {
    this.#visitQueries(scan, []);
    if (scan.input !== undefined) this.visit(scan.input, throughUnnest(scan, conditions));
  }

  #visitProject(scan: ScanOf<"Project">, conditions: readonly Condition[]): void {
    const inside = throughComputed(conditions, scan.computed);
    this.#visitQueries(scan, inside);
    this.visit(scan.input, inside);
  }

  #visitAggregate(scan: ScanOf<"Aggregate">, conditions: readonly Condition[]): void {
    this.#visitQueries(scan, []);
    // Groups of another key go away as a whole; of a grouping set a key may be missing.
    const keys = scan.groupingSets === undefined ? scan.groupBy : [];
    this.visit(scan.input, onlyComputed(conditions, keys));
  }

  #visitDistinct({ input, columns }: ScanOf<"Distinct">, conditions: readonly Condition[]): void {
    const outputs = columns.map(({ column }) => column);
    const inputs = columns.map((item) => item.input);
    this.visit(input, mapConditions(conditions, outputs, inputs));
  }

  #visitSetOperation({ inputs, columns }: ScanOf<"SetOperation">, conditions: readonly Condition[]): void {
    for (const input of inputs) this.visit(input.scan, mapConditions(conditions, columns, input.columns));
  }

  /** Rows that fail a condition above still decide which rows there are, or what is said of them. */
  #visitChoice(scan: ScanOf<"Window" | "Limit" | "Sample">): void {
    this.#visitQueries(scan, []);
    this.visit(scan.input, []);
  }

  #visitWith({ input, ctes }: ScanOf<"With">, conditions: readonly Condition[]): void {
    this.visit(input, conditions);
    // Each refers to earlier ones only, so that all readers of one are known before it.
    for (const cte of ctes.toReversed()) this.#visitCte(cte);
  }

  /** Sub-queries in the scan's expressions: what holds for each row that counts holds inside of them too. */
  #visitQueries(scan: Scan, conditions: readonly Condition[]): void {
    for (const expression of scanExpressions(scan)) {
      for (const query of outerSubqueries(expression)) this.visit(query.scan, conditions);
    }
  }

  #visitJoin(scan: ScanOf<"Join">, conditions: readonly Condition[]): void {
    const own = scan.on === undefined ? [] : toConditions(scan.on);
    const all = closeOver([...conditions, ...own]);
    this.#visitQueries(scan, []);
    // A side that fills up with NULL loses rows to the join's own condition; the other one does not. A condition from
    // above takes away a row whichever side it reads.
    this.visit(scan.left, scan.type === "LEFT" || scan.type === "FULL" ? conditions : all);
    this.visit(scan.right, scan.type === "RIGHT" || scan.type === "FULL" ? conditions : all);
  }

  #visitCte(cte: CteDefinition): void {
    const countsAlone = cte.isRecursive || this.#exposed.has(cte.name.toLowerCase());
    this.visit(cte.scan, countsAlone ? [] : (this.#readers.get(cte) ?? []));
  }

  #noteReader(cte: CteDefinition, conditions: readonly Condition[]): void {
    const before = this.#readers.get(cte);
    const keys = new Set(conditions.map((condition) => JSON.stringify(condition)));
    const common = before?.filter((condition) => keys.has(JSON.stringify(condition)));
    this.#readers.set(cte, common ?? conditions);
  }
}

function findRule({ table, columns }: Table, conditions: readonly Condition[]): TenantRule | undefined {
  const wanted = table.tenantField?.toLowerCase();
  if (wanted === undefined) return undefined;
  const found = conditions.find(({ field, rule }) => {
    const column = rule === undefined ? undefined : columns.find((each) => each.column.id === field.column);
    return column !== undefined && [column.source, ...field.path].join(".").toLowerCase() === wanted;
  });
  return found?.rule;
}

interface HasId {
  readonly id: number;
}

/** Conditions on columns as conditions on those that stand in the same places; others are left out. */
function mapConditions(
  conditions: readonly Condition[],
  from: readonly HasId[],
  to: readonly HasId[],
): readonly Condition[] {
  return rewrite(conditions, (field) => {
    const column = to[from.findIndex(({ id }) => id === field.column)];
    return column === undefined ? undefined : { ...field, column: column.id };
  });
}

type Computed = readonly { readonly column: HasId; readonly expression: Expr }[];

function throughComputed(conditions: readonly Condition[], computed: Computed): readonly Condition[] {
  return rewrite(conditions, (field) => {
    const made = computed.find(({ column }) => column.id === field.column);
    return made === undefined ? field : below(made.expression, field);
  });
}

function onlyComputed(conditions: readonly Condition[], computed: Computed): readonly Condition[] {
  return rewrite(conditions, (field) => {
    const made = computed.find(({ column }) => column.id === field.column);
    return made === undefined ? undefined : below(made.expression, field);
  });
}

/**
 * An element of a record that is one object is that object; of a list, a condition on an element says nothing of the
 * row.
 */
function throughUnnest(
  { arrays, on, isOuter }: ScanOf<"Unnest">,
  conditions: readonly Condition[],
): readonly Condition[] {
  const all = on === undefined || isOuter ? conditions : closeOver([...conditions, ...toConditions(on)]);
  const [only] = arrays;
  return rewrite(all, (field) => {
    const item = arrays.find(({ element }) => element.id === field.column);
    if (item === undefined) return field;
    const { type } = item.array;
    const isOne = item === only && arrays.length === 1 && type.kind === "ARRAY" && type.element.kind === "RECORD";
    return isOne && type.element.kind === "RECORD" && !type.element.isRepeated ? below(item.array, field) : undefined;
  });
}

function below(expression: Expr, field: Field): Field | undefined {
  const base = toField(expression);
  return base === undefined ? undefined : { column: base.column, path: [...base.path, ...field.path] };
}

function rewrite(conditions: readonly Condition[], change: (field: Field) => Field | undefined): readonly Condition[] {
  return conditions.flatMap((condition): readonly Condition[] => {
    const field = change(condition.field);
    if (field === undefined) return [];
    if (condition.other === undefined) return [{ ...condition, field }];
    const other = change(condition.other);
    return other === undefined ? [] : [{ ...condition, field, other }];
  });
}
