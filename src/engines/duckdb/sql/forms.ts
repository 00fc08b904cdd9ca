/** Forms of SQL that make facts, or that are printed in many places. */
import { structFieldName } from "../sql-text.ts";
import { nameSql, textSql, variableSql } from "./atoms.ts";
import { Fact, inheritedFacts, joinSql, Sql, sql, withFacts, withoutFacts } from "./sql.ts";
import { DOUBLE } from "./types.ts";

/** `lambda a, b: body`. */
export function lambda(parameters: Sql | readonly Sql[], body: Sql): Sql {
  const names = parameters instanceof Sql ? parameters : joinSql(parameters, ", ");
  return new Sql(`lambda ${names.text}: ${body.text}`, inheritedFacts(body) | Fact.LAMBDA);
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
  return new Sql(`TRY(${expression.text})`, (inheritedFacts(expression) & ~Fact.CAN_FAIL) | Fact.TRY);
}

/** A query, given the text after SELECT. */
export function select(rest: Sql): Sql {
  return new Sql(`SELECT ${rest.text}`, inheritedFacts(rest) | Fact.QUERY);
}

/** The items of a query, `value AS name`, with our own names. */
export function namedList(items: readonly { readonly sql: Sql; readonly alias: string }[]): Sql {
  let text = "";
  let facts = 0;
  for (const { sql: value, alias } of items) {
    text += `${text === "" ? "" : ", "}${value.text} AS ${alias}`;
    facts |= inheritedFacts(value);
  }
  return new Sql(text, facts);
}

/** The value as one of the type. A bare constant stays a constant, and a column as a DOUBLE costs nothing. */
export function castTo(value: Sql, type: Sql): Sql {
  const isConstant = (value.facts & Fact.BARE) !== 0 && (type.facts & Fact.NAME) !== 0;
  const isFree = isConstant || (value.isColumn && type === DOUBLE);
  const own = (isConstant ? Fact.CONSTANT : 0) | (isFree ? Fact.REPEATABLE : 0);
  return new Sql(`CAST(${value.text} AS ${type.text})`, inheritedFacts(value) | own);
}

/** A call of a function by its name. */
export function callSql(name: string, args: readonly Sql[]): Sql {
  return sql`${nameSql(name)}(${joinSql(args, ", ")})`;
}

/** The conversion fails the query for some values, which its SQL does not tell. */
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

/** The name of that field. */
export function structFieldSql(index: number): Sql {
  return nameSql(structFieldName(index));
}

/** How the value that `bindOnce` computes is read where the variable has this name. */
export function boundName(variable: string): Sql {
  return variableSql(`${variable}.v`);
}

/**
 * Computes `expression` once and lets `body` use it by the name that it is given, as often as it likes. DuckDB has no
 * LET, so it is a lambda over a list of one, and the one a struct, which no dictionary stands for (see
 * `compile/hidden-failures.ts`). `variable` must be unique among nested uses: name it after the function it serves.
 */
export function bindOnce(expression: Sql, variable: string, body: (name: Sql) => Sql): Sql {
  return sql`list_transform([{'v': ${expression}}], ${lambda(variableSql(variable), body(boundName(variable)))})[1]`;
}

/** A text or NULL that is written out, by which nothing can be sorted: DuckDB refuses it. */
export function isConstantKey({ value }: Sql): boolean {
  return value === null || typeof value === "string";
}
