import type { ChExpression, ChSelect } from "../clickhouse-ast.ts";
import type { LogsSource } from "./logs-relation.ts";
import type { LogsTable } from "./table-fields.ts";

/** The tables of an endpoint, and further names of them. */
export interface LogsTables {
  readonly tables: readonly LogsTable[];
  /** Alias to name. */
  readonly aliases: ReadonlyMap<string, string>;
}

/**
 * The sources whose rows a SELECT may read: those that its WHERE names, by any name of theirs. Where it names none,
 * all tables, each once: by its first alias, as Studio calls them, else by its own name.
 */
export function findSources({ where, items }: ChSelect, { tables, aliases }: LogsTables): readonly LogsSource[] {
  const isHidden = items.some(({ alias, expression }) => alias === "source" && !isSource(expression));
  const named = where === undefined || isHidden ? undefined : sourcesOf(where);
  const byName = new Map(tables.map((table) => [table.name, table]));
  if (named !== undefined) {
    const found = [...named].flatMap((source): LogsSource[] => {
      const table = byName.get(source) ?? byName.get(aliases.get(source) ?? "");
      return table === undefined ? [] : [{ source, table }];
    });
    // The condition itself leaves no row of it.
    return found.length > 0 ? found : tables.slice(0, 1).map((table) => ({ source: table.name, table }));
  }
  return tables.map((table) => {
    const alias = [...aliases].find(([, name]) => name === table.name)?.[0];
    return { source: alias ?? table.name, table };
  });
}

/** The sources of the rows for which a condition may hold; undefined for any. */
function sourcesOf(condition: ChExpression): ReadonlySet<string> | undefined {
  switch (condition.kind) {
    case "binary": {
      const { operator, left, right } = condition;
      if (operator !== "=") return undefined;
      const value = isSource(left) ? right : isSource(right) ? left : undefined;
      return value?.kind === "string" ? new Set([value.value]) : undefined;
    }
    case "in": {
      if (condition.isNegated || !isSource(condition.operand)) return undefined;
      const values = condition.items.flatMap((item) => (item.kind === "string" ? [item.value] : []));
      return values.length === condition.items.length ? new Set(values) : undefined;
    }
    case "and": {
      const sets = condition.operands.flatMap((each) => sourcesOf(each) ?? []);
      const [first, ...others] = sets;
      return first === undefined
        ? undefined
        : new Set([...first].filter((each) => others.every((set) => set.has(each))));
    }
    case "or": {
      const sets = condition.operands.map(sourcesOf);
      return sets.includes(undefined) ? undefined : new Set(sets.flatMap((set) => [...(set ?? [])]));
    }
    default:
      return undefined;
  }
}

function isSource(expression: ChExpression): boolean {
  return expression.kind === "name" && expression.name === "source";
}
