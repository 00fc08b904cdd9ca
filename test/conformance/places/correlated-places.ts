/** Places in which an expression reads columns of a query around it, or of several queries. */
import { ARGUMENTS, type PlacedCall, type ReadColumn } from "./placed-calls.ts";

const outer: ReadColumn = (column) => `o.${column}`;
const inner: ReadColumn = (column) => `i.${column}`;
/** Arguments of both queries by turns. */
const mixed: ReadColumn = (column, position) => `${position % 2 === 0 ? "i" : "o"}.${column}`;
const mixedTheOtherWay: ReadColumn = (column, position) => `${position % 2 === 0 ? "o" : "i"}.${column}`;
const selected: ReadColumn = (column) => `(SELECT o.${column})`;
const lookedUp: ReadColumn = (column) => `(SELECT x.${column} FROM ${ARGUMENTS} AS x WHERE x.id = i.id)`;
const lookedUpOutside: ReadColumn = (column) => `(SELECT x.${column} FROM ${ARGUMENTS} AS x WHERE x.id = o.id)`;

const from = (alias: string) => `FROM ${ARGUMENTS} AS ${alias}`;

type Print = PlacedCall["print"];
type Places = Readonly<Record<string, (print: Print) => string>>;

/** Places whose first cell is the value of the expression itself. */
const valuePlaces: Places = {
  "a scalar sub-query": (e) => `SELECT (SELECT ${e(outer)}) ${from("o")}`,
  "a scalar sub-query over an array": (e) =>
    `SELECT (SELECT ${e(outer)} FROM UNNEST([1, 2]) AS u LIMIT 1) ${from("o")}`,
  "a scalar sub-query over a table": (e) => `SELECT (SELECT ${e(outer)} ${from("i")} LIMIT 1) ${from("o")}`,
  "columns of two queries": (e) => `SELECT (SELECT ${e(mixed)} ${from("i")} LIMIT 1) ${from("o")}`,
  "columns of two queries, the other way round": (e) =>
    `SELECT (SELECT ${e(mixedTheOtherWay)} ${from("i")} WHERE i.id = o.id) ${from("o")}`,
  "a sub-query of a sub-query": (e) => `SELECT (SELECT (SELECT ${e(mixed)}) ${from("i")} LIMIT 1) ${from("o")}`,
  "arguments that are sub-queries": (e) => `SELECT ${e(selected)} ${from("o")}`,
  "arguments that are correlated sub-queries": (e) => `SELECT ${e(lookedUpOutside)} ${from("o")} ORDER BY o.id`,
  "arguments that are sub-queries, in a sub-query": (e) =>
    `SELECT (SELECT ${e(lookedUp)} ${from("i")} LIMIT 1) ${from("o")}`,
  "arguments that are sub-queries, beside outer columns": (e) =>
    `SELECT (SELECT ${e((column, position) => (position === 0 ? outer : lookedUp)(column, position))} ` +
    `${from("i")} LIMIT 1) ${from("o")}`,
  "sub-queries of three levels": (e) =>
    `SELECT (SELECT (SELECT ${e((column, position) => `${"oij"[position % 3]}.${column}`)} ${from("j")} ` +
    `LIMIT 1) ${from("i")} LIMIT 1) ${from("o")}`,
  "a CASE in a sub-query": (e) => `SELECT (SELECT CASE WHEN o.id > 0 THEN ${e(outer)} END) ${from("o")}`,
  "pipe EXTEND": (e) => `${from("o")} |> EXTEND (SELECT ${e(outer)}) AS v |> SELECT v`,
  "a piped sub-query": (e) => `${from("o")} |> SELECT (${from("i")} |> SELECT ${e(mixed)} AS v |> LIMIT 1) AS v`,
};

/** Places whose first cell is whether it is NULL. */
const nullPlaces: Places = {
  "ARRAY of a sub-query": (e) =>
    `SELECT ARRAY(SELECT STRUCT(${e(outer)} AS v) FROM UNNEST([1]))[0].v IS NULL ${from("o")}`,
  "ARRAY over a table": (e) =>
    `SELECT ARRAY(SELECT (${e(mixed)}) IS NULL ${from("i")} ORDER BY (${e(mixed)}) IS NULL, i.id)[0] ${from("o")}`,
  EXISTS: (e) => `SELECT EXISTS(SELECT 1 ${from("i")} WHERE (${e(mixed)}) IS NULL) ${from("o")}`,
  "EXISTS of a row": (e) => `SELECT EXISTS(SELECT 1 FROM (SELECT ${e(outer)} AS v) WHERE v IS NULL) ${from("o")}`,
  "IN a sub-query": (e) => `SELECT 1 IN (SELECT IF((${e(outer)}) IS NULL, 1, 2)) ${from("o")}`,
  "IN, on both sides": (e) =>
    `SELECT TRUE IN (SELECT (${e(mixed)}) IS NULL AND (${e(outer)}) IS NULL ${from("i")}) ${from("o")}`,
  "the operand of IN": (e) =>
    `SELECT ((${e(outer)}) IS NULL) IN (SELECT TRUE ${from("i")} WHERE i.id = o.id) ${from("o")}`,
  "WHERE with a sub-query": (e) => `SELECT COUNT(*) = 2 ${from("o")} WHERE (SELECT (${e(outer)}) IS NULL)`,
  "an aggregate of a sub-query": (e) => `SELECT (SELECT COUNT(${e(mixed)}) = 0 ${from("i")}) ${from("o")}`,
  "an aggregate of outer columns": (e) => `SELECT (SELECT COUNT(${e(outer)}) = 0 ${from("i")}) ${from("o")}`,
  "an aggregate over a sub-query": (e) => `SELECT COUNTIF((SELECT (${e(outer)}) IS NULL)) = 2 ${from("o")}`,
  "an ordered aggregate": (e) =>
    `SELECT (SELECT ARRAY_AGG((${e(mixed)}) IS NULL ORDER BY (${e(mixed)}) IS NULL ` +
    `LIMIT 1)[0] ${from("i")}) ${from("o")}`,
  HAVING: (e) => `SELECT EXISTS(SELECT COUNT(*) ${from("i")} HAVING COUNT(${e(mixed)}) = 0) ${from("o")}`,
  "HAVING of outer columns": (e) =>
    `SELECT EXISTS(SELECT COUNT(*) ${from("i")} HAVING (${e(outer)}) IS NULL) ${from("o")}`,
  "GROUP BY": (e) =>
    `SELECT (SELECT LOGICAL_OR(g) FROM (SELECT (${e(mixed)}) IS NULL AS g ${from("i")} GROUP BY g)) ${from("o")}`,
  DISTINCT: (e) =>
    `SELECT (SELECT LOGICAL_OR(g) FROM (SELECT DISTINCT (${e(mixed)}) IS NULL AS g ${from("i")})) ${from("o")}`,
  QUALIFY: (e) =>
    `SELECT EXISTS(SELECT i.id ${from("i")} WHERE TRUE QUALIFY COUNT(${e(mixed)}) OVER () = 0) ${from("o")}`,
  "a window": (e) =>
    `SELECT (SELECT MAX(w) = 0 FROM (SELECT COUNT(${e(mixed)}) OVER (PARTITION BY (${e(outer)}) IS NULL ` +
    `ORDER BY (${e(mixed)}) IS NULL) AS w ${from("i")})) ${from("o")}`,
  "a window over a sub-query": (e) =>
    `SELECT LOGICAL_AND((SELECT (${e(outer)}) IS NULL)) OVER (ORDER BY (SELECT (${e(outer)}) IS NULL)) ${from("o")}`,
  "the array of an UNNEST": (e) =>
    `SELECT (SELECT LOGICAL_OR(u.v IS NULL) FROM UNNEST([STRUCT(${e(outer)} AS v)]) AS u) ${from("o")}`,
  "the array of an UNNEST beside a table": (e) =>
    `SELECT (SELECT LOGICAL_OR(u) ${from("i")}, UNNEST([(${e(mixed)}) IS NULL]) AS u WITH OFFSET AS position) ` +
    `${from("o")}`,
  "a sub-query that an UNNEST reads": (e) =>
    `SELECT LOGICAL_AND(u) ${from("o")}, UNNEST(ARRAY(SELECT (${e(outer)}) IS NULL FROM UNNEST([1, 2]))) AS u`,
  "elements of a sub-query": (e) =>
    `SELECT (SELECT LOGICAL_AND(u IS NOT NULL AND (${e(outer)}) IS NULL) FROM UNNEST([1, 2]) AS u ` +
    `WHERE u IS NOT NULL) ${from("o")}`,
  ON: (e) => `SELECT (SELECT COUNT(*) > 0 ${from("i")} JOIN ${ARGUMENTS} AS j ON (${e(mixed)}) IS NULL) ${from("o")}`,
  "ON, of a sub-query": (e) =>
    `SELECT COUNT(*) > 0 ${from("o")} JOIN ${ARGUMENTS} AS i ON (SELECT (${e(mixed)}) IS NULL)`,
  "ON of a LEFT JOIN": (e) =>
    `SELECT (SELECT COUNT(j.id) > 0 ${from("i")} LEFT JOIN ${ARGUMENTS} AS j ON (${e(mixed)}) IS NULL ` +
    `AND j.id = i.id) ${from("o")}`,
  "ON of a LEFT JOIN with two sides": (e) =>
    `SELECT COUNT(i.id) > 0 ${from("o")} LEFT JOIN ${ARGUMENTS} AS i ON (${e(mixed)}) IS NULL`,
  "ON of a LEFT JOIN, of a sub-query": (e) =>
    `SELECT COUNT(i.id) > 0 ${from("o")} LEFT JOIN ${ARGUMENTS} AS i ON (SELECT (${e(inner)}) IS NULL)`,
  "ON of a LEFT JOIN with UNNEST": (e) =>
    `SELECT COUNT(u) > 0 ${from("o")} LEFT JOIN UNNEST([1, 2]) AS u ON (${e(outer)}) IS NULL AND u > 0`,
  "ON of a LEFT JOIN with UNNEST, in a sub-query": (e) =>
    `SELECT (SELECT COUNT(u) > 0 ${from("i")} LEFT JOIN UNNEST([1, 2]) AS u ON (${e(mixed)}) IS NULL ` +
    `AND u > 0) ${from("o")}`,
  "ON of a FULL JOIN": (e) =>
    `SELECT (SELECT COUNTIF(i.id IS NOT NULL AND j.id IS NOT NULL) > 0 ${from("i")} FULL ` +
    `JOIN ${ARGUMENTS} AS j ON i.id = j.id AND (${e(mixed)}) IS NULL) ${from("o")}`,
  UNION: (e) =>
    `SELECT (SELECT LOGICAL_AND(v) FROM (SELECT (${e(outer)}) IS NULL AS v UNION ALL ` +
    `SELECT (${e(outer)}) IS NULL)) ${from("o")}`,
  "UNION of tables": (e) =>
    `SELECT (SELECT LOGICAL_AND(v) FROM (SELECT (${e(mixed)}) IS NULL AS v ${from("i")} UNION DISTINCT ` +
    `SELECT (${e(mixed)}) IS NULL ${from("i")})) ${from("o")}`,
  "a WITH expression": (e) => `SELECT (SELECT WITH(v AS ${e(outer)}, v IS NULL AND v IS NULL)) ${from("o")}`,
  "a WITH expression of a sub-query": (e) =>
    `SELECT WITH(v AS (SELECT ${e(outer)}), v IS NULL AND (SELECT v IS NULL)) ${from("o")}`,
  "ON of a RIGHT JOIN": (e) =>
    `SELECT (SELECT COUNT(i.id) > 0 ${from("i")} RIGHT JOIN ${ARGUMENTS} AS j ON (${e(mixed)}) IS NULL ` +
    `AND j.id = i.id) ${from("o")}`,
  "ON of a LEFT JOIN, of outer columns": (e) =>
    `SELECT (SELECT COUNT(j.id) > 0 ${from("i")} LEFT JOIN ${ARGUMENTS} AS j ON (${e(outer)}) IS NULL) ${from("o")}`,
  "ON, of outer columns": (e) =>
    `SELECT (SELECT COUNT(*) > 0 ${from("i")} JOIN ${ARGUMENTS} AS j ON (${e(outer)}) IS NULL) ${from("o")}`,
  "a joined sub-query": (e) =>
    `SELECT (SELECT LOGICAL_AND(v) ${from("i")} JOIN (SELECT (${e(outer)}) IS NULL AS v, 1 AS id) AS j ON ` +
    `j.id = i.id) ${from("o")}`,
  "a LEFT JOINed sub-query": (e) =>
    `SELECT (SELECT LOGICAL_AND(v) ${from("i")} LEFT JOIN (SELECT (${e(outer)}) IS NULL AS v) AS j ON i.id > ` +
    `0) ${from("o")}`,
  "a limited sub-query": (e) =>
    `SELECT (SELECT (${e(mixed)}) IS NULL FROM (SELECT * ${from("j")} ORDER BY j.id LIMIT 1) AS i) ${from("o")}`,
  "pipe WHERE and AGGREGATE": (e) =>
    `${from("o")} |> WHERE (SELECT (${e(outer)}) IS NULL) |> AGGREGATE COUNT(*) AS c |> SELECT c = 2`,
  "a piped sub-query's AGGREGATE": (e) =>
    `${from("o")} |> SELECT (${from("i")} |> AGGREGATE COUNT(${e(mixed)}) AS c |> SELECT c = 0) AS v`,
  "a piped sub-query's EXTEND and WHERE": (e) =>
    `${from("o")} |> SELECT EXISTS(${from("i")} |> EXTEND ${e(mixed)} AS v |> WHERE v IS NULL) AS v`,
  "a piped JOIN": (e) =>
    `${from("o")} |> JOIN ${ARGUMENTS} AS i ON (${e(mixed)}) IS NULL |> AGGREGATE COUNT(*) AS c |> SELECT c > 0`,
};

/** Places of an aggregate: the first cell is whether it is NULL. */
const aggregatePlaces: Places = {
  "a sub-query": (e) => `SELECT (SELECT (${e(inner)}) IS NULL ${from("i")}) ${from("o")}`,
  "columns of two queries": (e) => `SELECT (SELECT (${e(mixed)}) IS NULL ${from("i")}) ${from("o")}`,
  "columns of two queries, the other way round": (e) =>
    `SELECT (SELECT (${e(mixedTheOtherWay)}) IS NULL ${from("i")}) ${from("o")}`,
  "outer columns": (e) => `SELECT (SELECT (${e(outer)}) IS NULL ${from("i")}) ${from("o")}`,
  "arguments that are sub-queries": (e) => `SELECT (${e(selected)}) IS NULL ${from("o")}`,
  "arguments that are sub-queries, in a sub-query": (e) =>
    `SELECT (SELECT (${e(lookedUp)}) IS NULL ${from("i")}) ${from("o")}`,
  "HAVING of a sub-query": (e) =>
    `SELECT EXISTS(SELECT COUNT(*) ${from("i")} HAVING (${e(mixed)}) IS NULL) ${from("o")}`,
  "groups of a sub-query": (e) =>
    `SELECT ARRAY(SELECT (${e(mixed)}) IS NULL ${from("i")} GROUP BY i.id - i.id)[0] ${from("o")}`,
  "ORDER BY of a sub-query": (e) =>
    `SELECT (SELECT (${e(mixed)}) IS NULL ${from("i")} GROUP BY i.id - i.id ORDER BY (${e(mixed)}) IS NULL ` +
    `LIMIT 1) ${from("o")}`,
  "an array's elements": (e) => `SELECT (SELECT (${e(outer)}) IS NULL FROM UNNEST([1, 2]) AS u) ${from("o")}`,
  "a piped sub-query": (e) =>
    `${from("o")} |> SELECT (${from("i")} |> AGGREGATE ${e(mixed)} AS v |> SELECT v IS NULL) AS v`,
};

const windowPlaces: Places = {
  "a sub-query": (e) => `SELECT ARRAY(SELECT (${e(inner)}) IS NULL ${from("i")} ORDER BY i.id)[0] ${from("o")}`,
  "columns of two queries": (e) =>
    `SELECT ARRAY(SELECT (${e(mixed)}) IS NULL ${from("i")} ORDER BY i.id)[0] ${from("o")}`,
  "outer columns": (e) => `SELECT ARRAY(SELECT (${e(outer)}) IS NULL ${from("i")} ORDER BY i.id)[0] ${from("o")}`,
  "arguments that are sub-queries": (e) => `SELECT (${e(selected)}) IS NULL ${from("o")} ORDER BY o.id`,
  "QUALIFY of a sub-query": (e) =>
    `SELECT EXISTS(SELECT i.id ${from("i")} WHERE TRUE QUALIFY (${e(mixed)}) IS NULL AND i.id = 1) ${from("o")}`,
  "a piped sub-query": (e) =>
    `${from("o")} |> SELECT ARRAY(${from("i")} |> EXTEND ${e(mixed)} AS v |> ORDER BY id |> SELECT v IS NULL)[0] AS v`,
};

export interface CorrelatedPlace {
  readonly name: string;
  readonly print: (print: Print) => string;
  /** The first cell of the first row: the value, or whether it is NULL. */
  readonly gives: "value" | "isNull";
}

function listed(places: Places, gives: CorrelatedPlace["gives"]): readonly CorrelatedPlace[] {
  return Object.entries(places).map(([name, print]) => ({ name, print, gives }));
}

/** The places that a call of each kind can stand in. */
export const correlatedPlaces: Readonly<Record<PlacedCall["kind"], readonly CorrelatedPlace[]>> = {
  scalar: [...listed(valuePlaces, "value"), ...listed(nullPlaces, "isNull")],
  aggregate: listed(aggregatePlaces, "isNull"),
  window: listed(windowPlaces, "isNull"),
};
