import { compileQuery as compileForClickHouse, planOf } from "../../src/engines/clickhouse/compile-query.ts";
import { isPushed } from "../../src/engines/clickhouse/functions/index.ts";
import { reasonOf } from "../../src/engines/clickhouse/functions/reasons.ts";
import { compileQuery } from "../../src/engines/duckdb/compile/compile.ts";
import { aggregateFunctions, scalarFunctions, windowFunctions } from "../../src/engines/duckdb/functions/index.ts";
import { CATALOGUE } from "../../src/googlesql/catalogue/index.ts";
import type { FunctionDefinition } from "../../src/googlesql/catalogue/types.ts";
import { GoogleSqlError } from "../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveQuery } from "../../src/googlesql/resolve.ts";
import { hasCanonicalForm } from "../../src/googlesql/resolver/call/canonical.ts";
import { STRING } from "../../src/googlesql/types.ts";
import { type Construct, constructs } from "./constructs.ts";

const parameters = new Map([["p", STRING]]);
const resolve = (query: string) => resolveQuery(parseQuery(query), query, { tables, parameters });

const tables = { findTable: () => undefined, tableNames: () => [] };

type Compile = typeof compileQuery;

const target = {
  tables: () => undefined,
  residual: { compile: (query: Parameters<Compile>[0]) => compileQuery(query, () => undefined) },
  pushesConstants: true,
};

/** Engines by name, and whether each has a construct: "yes" or "pushed", or the reason why not. */
const engines: Readonly<Record<string, (construct: Construct) => string>> = {
  DuckDB({ query }) {
    try {
      compileQuery(resolve(query), () => undefined);
      return "yes";
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      return `no: ${error.message}`;
    }
  },
  ClickHouse({ query }) {
    try {
      const plan = planOf(compileForClickHouse(resolve(query), target));
      return plan.kind === "whole" ? "pushed" : `residual: ${plan.reasons[0]?.reason}`;
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      return `no: ${error.message}`;
    }
  },
};

/** Where a function runs that is not refused. */
function onClickHouse({ name, refused }: FunctionDefinition): string {
  if (refused !== undefined) return "refused";
  return isPushed(name) ? "pushed" : `residual: ${reasonOf(name)}`;
}

/** Calls for which the resolver has another form reach the engine in that form. */
function isOnDuckDb({ name }: FunctionDefinition): boolean {
  return (
    hasCanonicalForm(name) ||
    [scalarFunctions, aggregateFunctions, windowFunctions].some((table) => Object.hasOwn(table, name))
  );
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function describeFunction(definition: FunctionDefinition): string {
  const names = [definition.name, ...(definition.aliases ?? [])].map((name) => `\`${name}\``).join(", ");
  const state = definition.refused === undefined ? (isOnDuckDb(definition) ? "yes" : "no") : "refused";
  const text = [definition.summary, definition.refused]
    .filter((part) => part !== undefined)
    .map(capitalise)
    .join(". ");
  const signatures = definition.signatures.map((signature) => `\`${signature}\``).join("<br>");
  return `| ${names} | ${escapeCell(signatures)} | ${escapeCell(text)} | ${state} | ${onClickHouse(definition)} |`;
}

const differences: readonly string[] = [
  "## Differences",
  "",
  "The reference's own parser tests reject three constructs in one configuration and accept them in another. " +
    "No rule distinguishes the texts, so Logweir accepts them:",
  "",
  "- QUALIFY: the same text stands twice, rejected without the language's feature and accepted with it.",
  "- Several conditions in a row, `a JOIN b JOIN c ON x ON y`, outside of pipes: rejected by one test, which turns consecutive ON off, " +
    "and accepted by those before it.",
  "- A sub-query that starts with FROM, `EXISTS(FROM t)` and `ARRAY(FROM t)`: rejected by the tests without pipes, accepted by those with them.",
  "",
  "A sub-query in a branch that is not taken reads no rows, unless the condition is a sub-query or RAND, the branch stands in " +
    "WITH(...), or the sub-query holds",
  "a LIMIT by a parameter: then it is evaluated, and fails the query where it fails. A table of WITH that it reads may be evaluated too.",
  "",
  "An aggregate is computed before the branch that it stands in is chosen. What may fail in its argument needs a condition there: " +
    "`IF(SUM(n) > 0, SUM(n), SUM(SAFE_DIVIDE(1, n)))`.",
  "",
  "AND and OR compute an operand that may fail only where those before it do not decide, as in `v > 0 AND DIV(10, v) > 2`, unless " +
    "those hold a sub-query or RAND, or are very long.",
  "",
  "Random queries (`npm run conformance:random`) beside the reference's 1.13 build, which takes JSON numbers exactly as here: " +
    "of about 99,000, 0.2 % differ and none is refused. What differs:",
  "",
  "- Two thirds: the build fails in what no answer needs, and Logweir does not compute it: a column that a later clause drops, " +
    "an operand beside NULL, the value sought in an empty list.",
  "  The reference leaves open what is evaluated.",
  "- Logweir fails where the build does not: a constant that fails, such as `INSTR('a', 'b', 0)`, or a sub-query that reads no columns around it, " +
    "is computed once,",
  "  also where no row reads it, and EXISTS may compute rows behind the first.",
  "- `AVG` over an infinity and finite values: the infinity. The build answers NaN or the infinity by the order of rows.",
  "- `STDDEV` of numbers below the smallest normal FLOAT64, and a `SUM` near the greatest, which the build takes for an overflow: the exact result, rounded.",
  "- `RANGE BETWEEN 1.5 PRECEDING AND inf PRECEDING`: no rows, as the frame ends before it begins. The build shows one in the first frame, " +
    "and from UNBOUNDED PRECEDING one in each with NULLS LAST.",
  "- `SIN`, `COS` and the like may differ in the last digit.",
  "- `TIMESTAMP_TRUNC` to ISOYEAR at the end of the year 9999 in a zone that is ahead, and `ROUND(1.7976931348623157e308, -40)`: " +
    "the result, which is in range. The build fails.",
  "- Intervals of one length with fields of both signs, such as 25 days and a month less five days, are two groups of GROUPING SETS, " +
    "ROLLUP and CUBE, and two rows of set operations.",
  "- `LEAST` and `GREATEST` of equal intervals that are written in different ways: one of them.",
  "",
];

/** The text of `docs/googlesql.md`. */
export function printGoogleSqlPage(): string {
  const functions = CATALOGUE.definitions.filter(({ name }) => !name.startsWith("$"));
  const areas = [...new Set(functions.map(({ area }) => area))].sort();
  const served = functions.filter((definition) => definition.refused === undefined && isOnDuckDb(definition));
  const pushed = served.filter(({ name }) => isPushed(name));
  const percent = Math.floor((100 * pushed.length) / served.length);
  const engineNames = Object.keys(engines);
  return [
    "# GoogleSQL in Logweir",
    "",
    "Generated from the catalogue by `npm run docs`; a test keeps it current. Queries are parsed, resolved and " +
      "typed as in BigQuery's GoogleSQL reference;",
    "what an engine cannot express is refused by name and position when an endpoint is loaded. Fields of " +
      "events have the types",
    "that their values had, and are converted as the query requires: [types and lenient " +
      "fields](decisions/types-and-lenient-fields.md).",
    "",
    `${served.length} functions run on DuckDB; ${functions.length - served.length} more, from BigQuery and ` +
      "other products of the family, are refused by name with a reason.",
    `On ClickHouse the server runs ${pushed.length} of the ${served.length} (${percent} %), at least for common argument types: ` +
      "*pushed*. *Residual* functions run in the embedded",
    "engine over the rows that the server returns, for the reason given; `logweir explain` shows this for a query.",
    "",
    "## Constructs",
    "",
    `| construct | example | ${engineNames.join(" | ")} |`,
    `|---|---|${engineNames.map(() => "---|").join("")}`,
    ...constructs.map((construct) => {
      const states = engineNames.map((name) => escapeCell(engines[name]?.(construct) ?? "no"));
      return `| ${escapeCell(construct.name)} | \`${escapeCell(construct.query)}\` | ${states.join(" | ")} |`;
    }),
    "",
    ...differences,
    "## Functions",
    ...areas.flatMap((area) => [
      "",
      `### ${area}`,
      "",
      "| function | signatures | description | DuckDB | ClickHouse |",
      "|---|---|---|---|---|",
      ...functions.filter((definition) => definition.area === area).map(describeFunction),
    ]),
    "",
  ].join("\n");
}
