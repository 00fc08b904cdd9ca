import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteText } from "../../src/engines/clickhouse/driver/quote.ts";
import { sampleSize } from "../support/sample-size.ts";
import { openServerPlanner } from "./server-planner.ts";

const planner = await openServerPlanner();
const logsAll = planner.endpoints.find(({ definition }) => definition.name === "logs.all");
if (logsAll === undefined) throw new Error("There is no endpoint logs.all");
const endpoint = logsAll;

/** Pieces that end literals, names or comments, or that have a meaning for the server. */
const pieces = [
  ..."' \\ ` \" -- /* */ ; # { } {p1:String} {x:Identifier} \\' \\\\ $$ $tag$ \u0000 \n ) ( , = %s ?".split(" "),
  ...[
    "UNION ALL SELECT 1 FROM system.tables",
    "SETTINGS readonly=0",
    "FORMAT Null",
    "INTO OUTFILE 'x'",
    "é",
    "😀",
    " ",
  ],
  ...["url('http://a/')", "file('/etc/passwd')", "remote('a', system.one)", "s3('b')", "dictGet('a','b',1)"],
  ...["executable('a','b','c')", "system.users", "x'41'", "\\x27", "\\u0027", "0x27"],
];

const hostile = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

/** Everything outside the literals, quoted names and parameters of a statement, as the server's lexer splits it. */
function bare(sql: string): string {
  return sql.replace(/'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|\{\w+:[\w(), ]+\}/g, "?");
}

function statementOf(sql: string): string {
  const plan = planner.plan(endpoint, sql);
  if (plan.kind !== "whole") throw new Error(`Not on the server alone: ${JSON.stringify(plan.reasons)}`);
  return plan.statement.sql;
}

const asLiteral = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;

/** Queries with a consumer's text in each place where a text is allowed. */
const places: readonly ((text: string) => string)[] = [
  (text) => `select id from edge_logs where event_message = ${text}`,
  (text) => `select concat(event_message, ${text}) as x from edge_logs`,
  (text) => `select id from edge_logs where event_message in (${text}, 'b') or starts_with(event_message, ${text})`,
  (text) => `select ${text} as x, count(*) as n from edge_logs group by 1`,
  (text) => `select string_agg(id, ${text}) as x from edge_logs`,
  (text) => `select replace(event_message, ${text}, 'b') as x, split(event_message, ${text}) as y from edge_logs`,
  (text) => `select if(id = ${text}, error(${text}), id) as x from edge_logs`,
];

describe("a consumer's text in a statement for ClickHouse", () => {
  it("only changes a literal, wherever the query has it", () => {
    for (const place of places) {
      const harmless = bare(statementOf(place("'harmless'")));
      fc.assert(
        fc.property(hostile, (text) => {
          const sql = statementOf(place(asLiteral(text)));
          expect(bare(sql)).toBe(harmless);
        }),
        { numRuns: sampleSize(3, 50) },
      );
    }
  });

  it("never changes the names in the statement", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const name = text.replaceAll(/[`\\\n]/g, "_").replaceAll("\u0000", "_");
        const plan = planner.plan(endpoint, `select id as \`a${name}\` from edge_logs as \`t${name}\``);
        const sql = plan.kind === "whole" ? plan.statement.sql : "";
        expect(bare(sql)).toMatch(/^[\w\s.?(),=<>*]+$/);
      }),
      { numRuns: sampleSize(10, 200) },
    );
  });

  it("is quoted as a single literal", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(bare(quoteText(text))).toBe("?");
      }),
    );
  });

  it.each([
    ..."url('http://a/')|file('/etc/passwd')|remote('a', 'b')|s3('a')|numbers(1)|dictGet('a', 'b', 1)".split("|"),
    ..."executable('a', 'b', 'c')|system.tables|`system`.`one`|cluster('a', 'b')|mysql('a')|input('a String')".split(
      "|",
    ),
  ])("cannot name a table or function of the server: %s", (source) => {
    expect(() => planner.plan(endpoint, `select * from ${source}`)).toThrow();
    expect(() => planner.plan(endpoint, `select ${source} from edge_logs`)).toThrow();
  });

  it.each([
    "select 1 settings readonly = 0",
    "select 1 format Null",
    "select 1 into outfile 'x'",
    "select {p:String}",
    "select 1; select 2",
  ])("cannot use the server's own grammar: %s", (sql) => {
    expect(() => planner.plan(endpoint, sql)).toThrow();
  });
});
