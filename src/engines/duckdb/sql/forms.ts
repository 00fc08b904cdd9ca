/** Forms of SQL that are printed in many places, or that say more than their text. */
import { Fact, inner, withFacts, withoutFacts } from "../../sql/node.ts";
import { structFieldName } from "../sql-text.ts";
import { nameSql, textSql, variableSql } from "./atoms.ts";
import { joinMapped, joinSql, Sql, sql } from "./sql.ts";
import { DOUBLE } from "./types.ts";

/** `lambda a, b: body`. */
export function lambda(parameters: Sql | readonly Sql[], body: Sql): Sql {
  const names = parameters instanceof Sql ? parameters : joinSql(parameters, ", ");
  return inner("lambda", "", [names, body]);
}

/** The list with what the body makes of each element, which it reads under the name of the variable. */
export function mapList(list: Sql, variable: string, body: Sql): Sql {
  return sql`list_transform(${list}, ${lambda(variableSql(variable), body)})`;
}

/** The elements of the list for which the body holds. */
export function filterList(list: Sql, variable: string, body: Sql): Sql {
  return sql`list_filter(${list}, ${lambda(variableSql(variable), body)})`;
}

/** NULL where the expression fails. DuckDB takes nothing volatile in it. */
export function tried(expression: Sql): Sql {
  return inner("try", "", [expression]);
}

/** The value, taken for volatile: the optimizer moves no condition on it. A value that reads no row stays as it is. */
export function sealSql(value: Sql): Sql {
  return (value.facts & Fact.READS) === 0 ? value : sql`CASE WHEN random() >= 0 THEN ${value} END`;
}

/** A query, given what stands after SELECT. */
export function select(rest: Sql): Sql {
  return inner("query", "", [rest]);
}

/** The value as one of the type. A bare constant stays a constant, and a column as a DOUBLE costs nothing. */
export function castTo(value: Sql, type: Sql): Sql {
  const isConstant = (value.facts & Fact.BARE) !== 0 && type.kind === "name";
  const isFree = isConstant || (value.isColumn && type === DOUBLE);
  return inner("cast", "CAST", [value, type], (isConstant ? Fact.CONSTANT : 0) | (isFree ? Fact.REPEATABLE : 0));
}

export { callSql } from "./sql.ts";

/** The conversion fails the query for some values, which its SQL does not show. */
export function fallible(conversion: Sql): Sql {
  return withFacts(conversion, Fact.CAN_FAIL);
}

/** The conversion works for every value, or has its failures as NULL. */
export function infallible(conversion: Sql): Sql {
  return withoutFacts(conversion, Fact.CAN_FAIL);
}

/**
 * An expression of NULL's type, so that it fits beside any other in a CASE, that fails the query with this message
 * (an SQL expression of type VARCHAR) when it is evaluated. DuckDB's own `error()` counts as volatile, which TRY(...)
 * does not take; and it must not be a condition of a CASE, which the optimizer would evaluate early where the message
 * is constant.
 */
export function raiseError(message: Sql): Sql {
  return fallible(sql`[NULL][lw_fail(${message})]`);
}

/** As {@link raiseError}, with a message that is known. */
export function raiseText(message: string): Sql {
  return raiseError(textSql(message));
}

/** The physical field at `index` (from 0) of a STRUCT. */
export function fieldOf(struct: Sql, index: number): Sql {
  return sql`struct_extract(${struct}, ${textSql(structFieldName(index))})`;
}

/** The values of a struct that is written out; undefined for any other. */
export function structFields({ kind, token, children }: Sql): readonly Sql[] | undefined {
  if (kind !== "call" || token !== "struct_pack") return undefined;
  return children.map((field) => field.children.at(-1) ?? field);
}

/** Is it a column, a literal or a struct of such? */
export function isPlainField(value: Sql): boolean {
  return value.isRepeatable || packedFields(value) !== undefined;
}

/** The values of a struct that is written out of columns, literals and such structs; undefined for any other. */
export function packedFields(value: Sql): readonly Sql[] | undefined {
  const values = structFields(value);
  return values?.every(isPlainField) === true ? values : undefined;
}

/** Whether one of the values is NULL. */
export function anyNull(values: readonly Sql[]): Sql {
  return joinMapped(values, " OR ", (value) => sql`${value} IS NULL`);
}

/** The name of that field. */
export function structFieldSql(index: number): Sql {
  return nameSql(structFieldName(index));
}

/**
 * How the value that `bindOnce` computes is read where the variable has this name, or the one `distance` before it of
 * those that `bindInTurn` computes.
 */
export function boundName(variable: string, distance = 0): Sql {
  return variableSql(`${variable}${".p".repeat(distance)}.v`);
}

/**
 * Computes `expression` once and lets `body` use it by the name that it is given, as often as it likes. `variable` must
 * be unique among nested uses: name it after the function it serves.
 */
export function bindOnce(expression: Sql, variable: string, body: (name: Sql) => Sql): Sql {
  return bindInTurn([{ name: variable, value: expression }], body(boundName(variable)), false);
}

/** A value that is computed once, and read by a name that no other has. */
export interface NamedValue {
  readonly name: string;
  readonly value: Sql;
}

/**
 * Computes values of which each may read those before it, and then the body. DuckDB has no LET, so they are lambdas
 * over lists of one, and the one a struct, which no dictionary stands for (see `compile/hidden-failures.ts`). They are
 * not nested in each other's: DuckDB takes twice as long for each lambda that is inside another. `isApart`: as
 * sub-queries, which can be deep, and hold others, but stand in no lambda.
 */
export function bindInTurn(values: readonly NamedValue[], body: Sql, isApart: boolean): Sql {
  const [first, ...others] = values;
  if (first === undefined) return body;
  let { name } = first;
  let from = sql`{'v': ${first.value}}`;
  from = isApart ? select(sql`${from} AS ${nameSql(name)}`) : sql`[${from}]`;
  for (const { name: next, value } of others) {
    const step = sql`{'p': ${variableSql(name)}, 'v': ${value}}`;
    from = isApart ? select(sql`${step} AS ${nameSql(next)} FROM (${from})`) : mapList(from, name, step);
    name = next;
  }
  return isApart ? sql`(${select(sql`${body} FROM (${from})`)})` : sql`${mapList(from, name, body)}[1]`;
}

/** A text or NULL that is written out, by which nothing can be sorted: DuckDB refuses it. */
export function isConstantKey({ literal }: Sql): boolean {
  return literal === null || typeof literal === "string";
}
