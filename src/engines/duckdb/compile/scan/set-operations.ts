/** Building SELECTs for UNION, INTERSECT and EXCEPT. */

import type { Column, Scan } from "../../../../googlesql/resolved.ts";
import { pathKey } from "../../../lowering/names.ts";
import { isOpen } from "../../../sql/select.ts";
import { columnOf, NULL, nameSql } from "../../sql/atoms.ts";
import { callSql } from "../../sql/forms.ts";
import { joinMapped, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, nextAlias, type SelectBuilder } from "../compilation.ts";
import { conditionsOf, renderSelect } from "../render.ts";
import { type Binding, makeBinding, type RecordSource } from "../scope.ts";
import { newSelect, scopeOf, selectable } from "../select-builder.ts";

type SetOperation = Scan & { kind: "SetOperation" };

interface Input {
  readonly builder: SelectBuilder;
  readonly columns: readonly Column[];
}

/** One column of the whole: the same expression of each input, under a name. */
interface Branches {
  readonly name: string;
  readonly sqls: readonly Sql[];
}

function inputBinding(input: Input, index: number): Binding {
  const column = input.columns[index];
  const binding = column === undefined ? undefined : scopeOf(input.builder).find(column.id);
  if (binding === undefined) throw new Error("An input of a set operation lacks a column");
  return binding;
}

export function buildSetOperation({ compilation, outer }: SelectBuilder, scan: SetOperation): SelectBuilder {
  const isUnionAll = scan.operator === "UNION" && scan.isAll;
  const inputs: readonly Input[] = scan.inputs.map(({ scan: input, columns }) => {
    const built = compilation.buildScan(newSelect(compilation, outer), input);
    // UNION ALL omits columns that are never read.
    return { builder: selectable(built, isUnionAll ? [] : columns), columns };
  });
  const depth = Math.max(...inputs.map((input) => input.builder.depth));
  const builder = newSelect(compilation, outer, depth + 1);
  builder.isLimited = inputs.some((input) => input.builder.isLimited || input.builder.limit !== undefined);
  const alias = nextAlias(compilation, "u");
  const selected = new Map<string, Branches>();

  const select = (key: string, name: string, sqls: () => readonly Sql[]) => {
    const known = selected.get(key) ?? { name, sqls: sqls() };
    selected.set(key, known);
    return columnOf(alias, known.name);
  };
  const bindColumn = (index: number, id: number): Binding => {
    const bindings = inputs.map((input) => inputBinding(input, index));
    const sql = () => select(String(index), compilation.analysis.alias(id), () => bindings.map((b) => b.sql()));
    const record = isUnionAll
      ? unionRecord(compilation, bindings, sql, (key, name, sqls) => select(`${index}/${key}`, name, sqls))
      : undefined;
    const isNeverNaN = bindings.every((binding) => binding.isNeverNaN === true);
    return makeBinding(sql, true, isNeverNaN, record);
  };
  scan.columns.forEach(({ id }, index) => {
    if (!isUnionAll) bindColumn(index, id).sql();
  });
  builder.sources = [
    (id) => {
      const index = scan.columns.findIndex((column) => column.id === id);
      return index === -1 ? undefined : bindColumn(index, id);
    },
  ];
  builder.from = { print: () => printInputs(inputs, [...selected.values()], scan, alias) };
  return builder;
}

/** True for a SELECT of constants without FROM. */
function isOneRow(builder: SelectBuilder): boolean {
  return builder.from === undefined && conditionsOf(builder).length === 0 && isOpen(builder) && !builder.hasWindows;
}

function printInputs(inputs: readonly Input[], columns: readonly Branches[], scan: SetOperation, alias: string): Sql {
  const rows = inputs.map((_, index) => columns.map(({ sqls }) => sqls[index] ?? NULL));
  const isValues = scan.operator === "UNION" && scan.isAll && inputs.every((input) => isOneRow(input.builder));
  // Rows of one list keep their order also where they are aggregated; branches of a UNION come as they are ready.
  if (isValues && columns.length > 0 && !rows.flat().some((sql) => sql.holdsQuery)) {
    const list = joinMapped(rows, ", ", (row) => sql`(${joinSql(row, ", ")})`);
    return sql`(VALUES ${list}) AS ${callSql(
      alias,
      columns.map(({ name }) => nameSql(name)),
    )}`;
  }
  const operator = ` ${scan.operator}${scan.isAll ? " ALL" : ""} ` as const;
  const texts = inputs.map((input, index) => {
    const items = columns.map(({ name }, column) => ({ alias: name, sql: rows[index]?.[column] ?? NULL }));
    return sql`(${renderSelect(input.builder, items)})`;
  });
  return sql`(${joinSql(texts, operator)}) AS ${nameSql(alias)}`;
}

/** Leaves of a record that every input can trace to a table are columns of the union. */
function unionRecord(
  compilation: Compilation,
  bindings: readonly Binding[],
  column: () => Sql,
  select: (key: string, name: string, sqls: () => readonly Sql[]) => Sql,
): RecordSource | undefined {
  const records = bindings.flatMap((binding) => (binding.record === undefined ? [] : [binding.record]));
  if (records.length < bindings.length) return undefined;
  const all = (key: string, each: (record: RecordSource) => Sql | undefined) => {
    const sqls = records.flatMap((record) => each(record) ?? []);
    if (sqls.length < records.length) return undefined;
    return select(key, nextAlias(compilation, "leaf_"), () => sqls);
  };
  return {
    leaf: (path, as) => all(`${as?.kind ?? "leaf"}/${pathKey(path)}`, (record) => record.leaf(path, as)),
    presence: (path) => all(`presence/${pathKey(path)}`, (record) => record.presence(path)),
    json: () => ({ text: column(), steps: [] }),
  };
}
