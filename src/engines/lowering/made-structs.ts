/**
 * Fields of structs that the query itself makes are read as columns: `SELECT v.a FROM (SELECT AS STRUCT a, b FROM t) v`
 * reads `a`. An engine makes the whole struct anew for each field that is read of it, which of hundreds of columns
 * takes more memory than it has, and finds no bound in a condition on a field.
 */
import { createMapping } from "../../googlesql/resolved/map.ts";
import { reaches } from "../../googlesql/resolved/walk.ts";
import type {
  Column,
  ColumnExpr,
  ComputedColumn,
  CteDefinition,
  FieldExpr,
  MakeStructExpr,
  ProjectScan,
  ResolvedQuery,
  Scan,
} from "../../googlesql/resolved.ts";
import { columnExpr } from "../../googlesql/resolver/expression/expr.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { isSameType } from "../../googlesql/typing/same-type.ts";
import type { Analysis } from "./analysis.ts";

type CteScan = Scan & { readonly kind: "Cte" };

/** Where columns of structs come from, by their ids. */
interface Makers {
  readonly structs: Map<number, MakeStructExpr>;
  /** The column of a common table expression that another one is in a scan of it. */
  readonly scans: Map<number, { readonly scan: CteScan; readonly output: Column }>;
}

function makersOf(root: Scan): Makers {
  const makers: Makers = { structs: new Map(), scans: new Map() };
  reaches(root, (scan) => {
    if (scan.kind === "Project") {
      for (const { column, expression } of scan.computed) {
        if (expression.kind === "MakeStruct") makers.structs.set(column.id, expression);
      }
    } else if (scan.kind === "Cte" && !scan.cte.isRecursive) {
      scan.columns.forEach((column, index) => {
        const output = scan.cte.output[index];
        if (output?.type.kind === "STRUCT") makers.scans.set(column.id, { scan, output });
      });
    }
    return false;
  });
  return makers;
}

/** Columns that are read beside those that the query names. */
class AddedColumns {
  readonly #newColumn: Analysis["newColumn"];
  /** For what is computed for a field of a struct, by the struct's column and the field. */
  readonly #fields = new Map<number, Map<number, Column>>();
  /** For common table expressions, by the ids of their definitions. */
  readonly #outputs = new Map<number, Set<Column>>();
  /** Those of a scan, by its first column's id. */
  readonly #columns = new Map<number, Map<Column, Column>>();

  constructor(newColumn: Analysis["newColumn"]) {
    this.#newColumn = newColumn;
  }

  /** A column for what is computed for the field of the struct. */
  fieldOf(struct: Column, index: number, type: SqlType): Column {
    const known = this.#fields.get(struct.id) ?? new Map<number, Column>();
    const column = known.get(index) ?? this.#newColumn("field", type);
    this.#fields.set(struct.id, known.set(index, column));
    return column;
  }

  /** The column that stands in the scan for the definition's. */
  columnOf(scan: CteScan, output: Column): Column {
    const key = scan.columns[0]?.id ?? -1;
    const known = this.#columns.get(key) ?? new Map<Column, Column>();
    const column = known.get(output) ?? this.#newColumn(output.name, output.type);
    this.#columns.set(key, known.set(output, column));
    this.#outputs.set(scan.cte.id, (this.#outputs.get(scan.cte.id) ?? new Set()).add(output));
    return column;
  }

  /** The scan, with the columns where they are made. */
  addTo(root: Scan): Scan {
    if (this.#outputs.size === 0 && this.#fields.size === 0) return root;
    const outputsOf = (cte: CteDefinition) => [...(this.#outputs.get(cte.id) ?? [])];
    const mapping = createMapping({
      definition: (cte) => {
        const outputs = outputsOf(cte);
        if (outputs.length === 0) return undefined;
        return { ...cte, scan: mapping.scan(cte.scan), output: [...cte.output, ...outputs] };
      },
      scan: (scan) => {
        const divided = scan.kind === "Project" ? this.#divide(scan) : scan;
        if (divided !== scan) return mapping.scan(divided);
        const outputs = scan.kind === "Cte" ? outputsOf(scan.cte) : [];
        if (scan.kind !== "Cte" || outputs.length === 0) return undefined;
        const columns = outputs.map((output) => this.columnOf(scan, output));
        return { ...scan, cte: mapping.definition(scan.cte), columns: [...scan.columns, ...columns] };
      },
    });
    return mapping.scan(root);
  }

  /** Computes fields with columns of their own first. */
  #divide(scan: ProjectScan): ProjectScan {
    const first: ComputedColumn[] = [];
    const computed = scan.computed.map((each): ComputedColumn => {
      const { column, expression } = each;
      const columns = this.#fields.get(column.id);
      if (columns === undefined || expression.kind !== "MakeStruct") return each;
      const fields = expression.fields.map((field, index) => {
        const made = columns.get(index);
        if (made === undefined || (field.kind === "Column" && field.column === made)) return field;
        first.push({ column: made, expression: field });
        return columnExpr(made, field.span);
      });
      return { column, expression: { ...expression, fields } };
    });
    if (first.length === 0) return scan;
    return { ...scan, input: { kind: "Project", input: scan.input, computed: first }, computed };
  }
}

/** The query, with fields of structs that it makes read as columns. */
export function readMadeStructs(query: ResolvedQuery, { readsFields, newColumn }: Analysis): ResolvedQuery {
  if (!readsFields) return query;
  const { structs, scans } = makersOf(query.scan);
  if (structs.size === 0) return query;
  const added = new AddedColumns(newColumn);
  /** The column that the field of another one is: readable wherever that one is. */
  const partOf = (column: Column, index: number): Column | undefined => {
    const part = structs.get(column.id)?.fields[index];
    if (part !== undefined) return part.kind === "Column" ? part.column : added.fieldOf(column, index, part.type);
    const made = scans.get(column.id);
    const output = made && partOf(made.output, index);
    return output && added.columnOf(made.scan, output);
  };
  const readPart = (field: FieldExpr): ColumnExpr | undefined => {
    const base = mapping.expression(field.base);
    const column = base.kind === "Column" ? partOf(base.column, field.index) : undefined;
    if (column === undefined || !isSameType(column.type, field.type)) return undefined;
    return columnExpr(column, field.span);
  };
  const mapping = createMapping({
    expression: (expression) => (expression.kind === "Field" ? readPart(expression) : undefined),
  });
  const scan = mapping.scan(query.scan);
  return scan === query.scan ? query : { ...query, scan: added.addTo(scan) };
}
