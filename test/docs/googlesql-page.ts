import { compileQuery } from "../../src/engines/duckdb/compile/compile.ts";
import { aggregateFunctions, scalarFunctions, windowFunctions } from "../../src/engines/duckdb/functions/index.ts";
import { CATALOGUE } from "../../src/googlesql/catalogue/index.ts";
import type { FunctionDefinition } from "../../src/googlesql/catalogue/types.ts";
import { GoogleSqlError, parseQuery, resolveQuery } from "../../src/googlesql/index.ts";
import { STRING } from "../../src/googlesql/types.ts";
import { type Construct, constructs } from "./constructs.ts";

const tables = { findTable: () => undefined, tableNames: () => [] };

/** Engines by name, and whether each has a construct: "yes", or the reason why not. */
const engines: Readonly<Record<string, (construct: Construct) => string>> = {
  DuckDB({ query }) {
    try {
      const parameters = new Map([["p", STRING]]);
      compileQuery(resolveQuery(parseQuery(query), query, { tables, parameters }), () => undefined);
      return "yes";
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      return `no: ${error.message}`;
    }
  },
};

/** Rewritten by the resolver, so that engines never see them as calls. */
function isOnDuckDb({ name }: FunctionDefinition): boolean {
  return [scalarFunctions, aggregateFunctions, windowFunctions].some((table) => Object.hasOwn(table, name));
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function describeFunction(definition: FunctionDefinition): string {
  const names = [definition.name, ...(definition.aliases ?? [])].map((name) => `\`${name}\``).join(", ");
  const state = definition.refused === undefined ? (isOnDuckDb(definition) ? "yes" : "no") : "refused";
  const text = definition.refused === undefined ? definition.summary : `${definition.summary}. ${definition.refused}`;
  const signatures = definition.signatures.map((signature) => `\`${signature}\``).join("<br>");
  return `| ${names} | ${escapeCell(signatures)} | ${escapeCell(text)} | ${state} |`;
}

/** The text of `docs/googlesql.md`. */
export function printGoogleSqlPage(): string {
  const functions = CATALOGUE.definitions.filter(({ name }) => !name.startsWith("$"));
  const areas = [...new Set(functions.map(({ area }) => area))].sort();
  const served = functions.filter((definition) => definition.refused === undefined && isOnDuckDb(definition));
  const engineNames = Object.keys(engines);
  return [
    "# GoogleSQL in Logweir",
    "",
    "Generated from the catalogue by `npm run docs`; a test keeps it current. Queries are read, resolved and " +
      "typed as BigQuery's reference of GoogleSQL says;",
    "what an engine cannot express is refused by name and position when an endpoint is loaded. Fields of " +
      "events have the types",
    "that they came with, and read by what is asked of them: [types and lenient " +
      "fields](decisions/types-and-lenient-fields.md).",
    "",
    `${served.length} functions run on DuckDB; ${functions.length - served.length} more, of BigQuery and of ` +
      "other products of the family, are refused by name with a reason.",
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
    "## Functions",
    ...areas.flatMap((area) => [
      "",
      `### ${area}`,
      "",
      "| function | signatures | what it gives | DuckDB |",
      "|---|---|---|---|",
      ...functions.filter((definition) => definition.area === area).map(describeFunction),
    ]),
    "",
  ].join("\n");
}
