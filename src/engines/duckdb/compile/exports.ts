import { pathKey, readableName } from "../../lowering/names.ts";
import { exportAs } from "../../sql/select.ts";
import { columnOf } from "../sql/atoms.ts";
import { sealSql } from "../sql/forms.ts";
import type { Sql } from "../sql/sql.ts";
import { type Compilation, nextAlias } from "./compilation.ts";
import type { SelectBuilder } from "./render.ts";
import { type Binding, makeBinding, type RecordSource } from "./scope.ts";

interface HiddenColumn {
  /** The alias of the sub-select. */
  readonly alias: string;
  readonly key: string;
  readonly prefix: string;
  readonly inside: Sql;
}

/** Selects an expression that is no column of the query as a column of the sub-select, once for each key. */
function exportHidden(
  compilation: Compilation,
  builder: SelectBuilder,
  { alias, key, prefix, inside }: HiddenColumn,
): Sql {
  const name = builder.exports.get(key)?.alias ?? nextAlias(compilation, prefix);
  return columnOf(alias, exportAs(builder, key, name, () => inside).alias);
}

/** The binding outside of a sub-select for a binding inside. */
export function outsideBinding(
  compilation: Compilation,
  builder: SelectBuilder,
  alias: string,
  id: number,
  inside: Binding,
): Binding {
  let printed: Sql | undefined;
  const sql = () => {
    printed ??= columnOf(alias, exportAs(builder, id, compilation.analysis.alias(id), inside.sql).alias);
    return printed;
  };
  // An element, or the values of a type among those of several shapes, is a column of its own.
  const hand = <At>(
    kind: string,
    read: ((at: At) => Sql | undefined) | undefined,
    name: (at: At) => string | bigint,
  ) => {
    if (read === undefined) return undefined;
    return (at: At) => {
      const found = read(at);
      if (found === undefined) return undefined;
      const key = `${id}/${kind}/${name(at)}`;
      return exportHidden(compilation, builder, { alias, key, prefix: `${kind}_`, inside: found });
    };
  };
  const { record, element, as } = inside;
  return makeBinding(
    sql,
    true,
    inside.isNeverNaN,
    record === undefined ? undefined : outsideRecord(compilation, builder, alias, id, record),
    hand("element", element, (offset) => offset),
    hand("as", as, (type) => type.kind),
  );
}

/** Leaves and presence of a record are handed out of a sub-select as columns of their own. */
function outsideRecord(
  compilation: Compilation,
  builder: SelectBuilder,
  alias: string,
  key: number,
  record: RecordSource,
): RecordSource {
  const hand = (kind: string, path: readonly string[], inside: Sql | undefined) => {
    if (inside === undefined || builder.isDistinct || builder.isGrouped) return undefined;
    const hiddenKey = `${key}/${kind}/${pathKey(path)}`;
    const prefix = `${readableName(path.at(-1) ?? "record")}_`;
    return exportHidden(compilation, builder, { alias, key: hiddenKey, prefix, inside });
  };
  return {
    leaf: (path, as) => hand(as === undefined ? "leaf" : `as/${as.kind}`, path, record.leaf(path, as)),
    presence: (path) => hand("presence", path, record.presence(path)),
    json: () => {
      const { text, steps } = record.json();
      return { text: hand("json", [], text) ?? text, steps };
    },
  };
}

/** The binding with all that it prints taken for volatile. */
export function sealedBinding({ sql, isCheap, isNeverNaN, record, element, as }: Binding): Binding {
  const seal = (inside: Sql | undefined) => inside && sealSql(inside);
  return makeBinding(
    () => sealSql(sql()),
    isCheap,
    isNeverNaN,
    record && {
      leaf: (path, to) => seal(record.leaf(path, to)),
      presence: (path) => seal(record.presence(path)),
      json: () => {
        const { text, steps } = record.json();
        return { text: sealSql(text), steps };
      },
    },
    element && ((offset) => seal(element(offset))),
    as && ((type) => seal(as(type))),
  );
}
