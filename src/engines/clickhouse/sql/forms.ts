/** Forms of SQL that are printed in many places, or that say more than their text. */
import { Fact, withFacts } from "../../sql/node.ts";
import { variableSql } from "./atoms.ts";
import { joinSql, type Sql, sql } from "./sql.ts";

/** Longer texts are not written twice. */
const MAX_REPEATED_TEXT = 80;

/** Does the expression cost nothing to be computed twice, and little to be written twice? */
export function isRepeatable({ isRepeatable: isFree, literalText = "" }: Sql): boolean {
  return isFree && literalText.length <= MAX_REPEATED_TEXT;
}

export const NAN = sql`CAST('nan', 'Float64')`;

/** Declares that the expression fails the query for some values. */
export function fallible(expression: Sql): Sql {
  return withFacts(expression, Fact.CAN_FAIL);
}

/** True where the condition is, and false otherwise. */
export function isTrue(condition: Sql): Sql {
  return sql`ifNull(${condition}, false)`;
}

/** Both conditions, as far as there are any. */
export function both<One extends Sql | undefined, Other extends Sql | undefined>(one: One, other: Other) {
  if (one === undefined || other === undefined) return (one ?? other) as Sql | (One & Other);
  return sql`${one} AND ${other}`;
}

/** One of the conditions, of which the first may be absent. */
export function either(one: Sql | undefined, other: Sql): Sql {
  return one === undefined ? other : sql`${one} OR ${other}`;
}

/** Not the condition. */
export function none(condition: Sql | undefined): Sql | undefined {
  return condition === undefined ? undefined : sql`NOT (${condition})`;
}

/** The value as the server computes it for each row: constants it computes before it knows of any. */
export function delayed(value: Sql): Sql {
  return (value.facts & Fact.READS) === 0 ? sql`materialize(${value})` : value;
}

/**
 * Computes each expression once and lets `body` use it by name, as often as it likes. ClickHouse has no LET that is
 * sound inside of an expression, so it is a lambda over arrays of one. The server computes one over constants before it
 * knows of any row: `delaysFailures` keeps it from that where the lambda may fail.
 */
export function bind(
  expressions: readonly Sql[],
  prefix: string,
  body: (...names: Sql[]) => Sql,
  delaysFailures = false,
): Sql {
  const names = expressions.map((each, index) => (isRepeatable(each) ? each : variableSql(`${prefix}${index + 1}`)));
  const bound = expressions.filter((each, index) => each !== names[index]);
  const value = body(...names);
  if (bound.length === 0) return value;
  const parameters = names.filter((name, index) => name !== expressions[index]);
  const isDelayed = delaysFailures && value.canFail && !bound.some(({ facts }) => (facts & Fact.READS) !== 0);
  const lists = bound.map((each) => sql`[${isDelayed ? delayed(each) : each}]`);
  return sql`arrayMap((${joinSql(parameters, ", ")}) -> ${value}, ${joinSql(lists, ", ")})[1]`;
}
