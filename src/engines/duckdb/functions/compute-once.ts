/** Printing an argument in several places without computing it several times. */
import { isLargerThan } from "../../sql/map-tree.ts";
import { columnOf, textSql, variableSql } from "../sql/atoms.ts";
import { fieldOf, isPlainField, lambda, structFields } from "../sql/forms.ts";
import { isVolatile } from "../sql/native-functions.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";

/**
 * Prints `body` over expressions that it may use as often as it likes: those that are not repeatable are computed
 * once, as fields of a struct that a lambda binds. They stand outside the lambda's body, so they may hold
 * sub-queries, aggregates and other uses of this function. `variable` names the function it serves, so that it never
 * meets a column's name.
 */
export function computeOnce(
  expressions: readonly Sql[],
  variable: string,
  body: (...values: readonly Sql[]) => Sql,
): Sql {
  return expressions.every(({ isRepeatable }) => isRepeatable)
    ? sql`(${body(...expressions)})`
    : computeApart(expressions, variable, body);
}

/** Larger conditions are not written twice. */
const MAX_REPEATED_NODES = 200;

/** Can a condition be printed twice, where it is not computed twice for a row that it decides? */
export function canStandTwice(condition: Sql): boolean {
  return !condition.holdsQuery && !isVolatile(condition) && !isLargerThan(condition, MAX_REPEATED_NODES);
}

/**
 * The same with columns bound beside what is computed, also where they stand alone: one that the body read itself
 * would come with its dictionary (see `compile/hidden-failures.ts`).
 */
export function computeApart(
  expressions: readonly Sql[],
  variable: string,
  body: (...values: readonly Sql[]) => Sql,
): Sql {
  const name = `lw_${variable}`;
  const bound: Sql[] = [];
  const names = expressions.map((expression) => {
    if (expression.isConstant) return expression;
    const field = `a${bound.length}`;
    bound.push(sql`${textSql(field)}: ${expression}`);
    return columnOf(name, field);
  });
  if (bound.length === 0) return sql`(${body(...names)})`;
  return sql`list_transform([{${joinSql(bound, ", ")}}], ${lambda(variableSql(name), body(...names))})[1]`;
}

/**
 * A struct's text out of those of its fields, and `whenNull` for a NULL. Fields that are written out are read as they
 * are: DuckDB's time to plan a field grows with how many the struct has.
 */
export function writeStruct(
  value: Sql,
  depth: number,
  whenNull: Sql,
  write: (fieldAt: (index: number) => Sql) => Sql,
): Sql {
  const fields = structFields(value);
  if (fields !== undefined) {
    const computed = fields.filter((field) => !isPlainField(field));
    return computeOnce(computed, `struct${depth}`, (...values) => {
      const read = new Map(computed.map((field, index) => [field, values[index]]));
      return write((index) => {
        const field = fields[index] ?? EMPTY;
        return read.get(field) ?? field;
      });
    });
  }
  return computeOnce(
    [value],
    `struct${depth}`,
    (v) => sql`CASE WHEN ${v} IS NULL THEN ${whenNull} ELSE ${write((index) => fieldOf(v, index))} END`,
  );
}
