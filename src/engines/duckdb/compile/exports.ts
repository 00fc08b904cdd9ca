import { pathKey, readableName } from "../../lowering/names.ts";
import { once } from "../../lowering/once.ts";
import { exportAs } from "../../sql/select.ts";
import { columnOf } from "../sql/atoms.ts";
import { sealSql } from "../sql/forms.ts";
import type { Sql } from "../sql/sql.ts";
import { nextAlias, type SelectBuilder } from "./compilation.ts";
import { type Binding, makeBinding, type RecordSource } from "./scope.ts";

/** Replaces a part of a column, such as a leaf or an element. The key distinguishes the column's parts. */
type MapPart = (part: Sql, key: string, name: string) => Sql | undefined;

function mapRecord(record: RecordSource, map: MapPart): RecordSource {
  const mapped = (kind: string, path: readonly string[], part: Sql | undefined) =>
    part && map(part, `${kind}/${pathKey(path)}`, readableName(path.at(-1) ?? "record"));
  return {
    leaf: (path, as) => mapped(as === undefined ? "leaf" : `as/${as.kind}`, path, record.leaf(path, as)),
    presence: (path) => mapped("presence", path, record.presence(path)),
    json: () => {
      const { text, steps } = record.json();
      return { text: mapped("json", [], text) ?? text, steps };
    },
  };
}

/** The binding that prints as `sql`, with something else for each of its parts: for those of records by `mapLeaf`. */
function mapBinding(binding: Binding, sql: () => Sql, isCheap: boolean, map: MapPart, mapLeaf = map): Binding {
  const { isNeverNaN, record, element, as } = binding;
  const mapped = (part: Sql | undefined, key: string, name: string) => part && map(part, key, name);
  return makeBinding(
    sql,
    isCheap,
    isNeverNaN,
    record && mapRecord(record, mapLeaf),
    element && ((offset) => mapped(element(offset), `element/${offset}`, "element")),
    as && ((type) => mapped(as(type), `as/${type.kind}`, "as")),
  );
}

/** The binding outside of a sub-select for a binding inside: its parts become columns of their own. */
export function outsideBinding(builder: SelectBuilder, alias: string, id: number, inside: Binding): Binding {
  const exported = (key: number | string, name: () => string, print: () => Sql) =>
    columnOf(alias, exportAs(builder, key, builder.exports.get(key)?.alias ?? name(), print).alias);
  const sql = once(() => exported(id, () => builder.compilation.analysis.alias(id), inside.sql));
  const hand: MapPart = (part, key, name) =>
    exported(
      `${id}/${key}`,
      () => nextAlias(builder.compilation, `${name}_`),
      () => part,
    );
  const handLeaf: MapPart = (...part) => (builder.isDistinct || builder.isGrouped ? undefined : hand(...part));
  return mapBinding(inside, sql, true, hand, handLeaf);
}

/** The binding with all that it prints taken for volatile. */
export function sealedBinding(binding: Binding): Binding {
  return mapBinding(binding, () => sealSql(binding.sql()), binding.isCheap, sealSql);
}
