/** Data and names that would leave their place where an engine quotes wrongly. */
import { strict as assert } from "node:assert";
import { STRING } from "../../src/googlesql/types.ts";
import { eventOf } from "./bench.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** Texts that end a literal, a name, a comment, a placeholder or a line somewhere. */
const hostileTexts: readonly string[] = [
  "'",
  "''",
  '"',
  "`",
  "\\",
  "\\'",
  "\\\\'; DROP TABLE lw_sources; --",
  "x' OR '1'='1",
  "'); SELECT 1; --",
  "/* open",
  "-- rest",
  "$1",
  "?",
  "@p",
  ":name",
  "{name:String}",
  "$" + "{x}",
  "%s %d %%",
  "a\nb\r\nc\td",
  "\u0001\u001f\u007f",
  "\u2028\u2029",
  "é ß ﬃ Ω 漢字",
  "👩‍👩‍👧‍👦 𝒳",
  "e\u0301",
  "\uFEFFmark",
  "NULL",
  "NaN",
  "true",
  "1e999",
  "[]",
  "{}",
  '{"a":1}',
  "__proto__",
  "constructor",
  "SELECT",
  "x".repeat(5000),
];

const asLiteral = (text: string) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

export const hostileCases: readonly ConformanceCase[] = [
  {
    name: "stores hostile texts unchanged as messages, values, ids and elements",
    async run(bench) {
      const source = await bench.makeSource();
      await bench.append(
        source,
        hostileTexts.map((text, n) => ({
          ...eventOf(`${n} ${text}`, { n, value: text, list: [text, "x"], deep: { value: text } }),
          eventMessage: text,
        })),
      );
      const rows = await bench.ask(`SELECT id, event_message AS m, value, list, deep FROM ${source} ORDER BY n`);
      assert.deepEqual(
        rows,
        hostileTexts.map((text, n) => ({
          id: `${n} ${text}`,
          m: text,
          value: text,
          list: [text, "x"],
          deep: [{ value: text }],
        })),
      );
    },
  },
  {
    name: "binds hostile texts as values",
    async run(bench) {
      for (const value of hostileTexts) {
        const query = "SELECT @p AS p, @p = @q AS same, CONCAT(@p, 'x') AS joined";
        const parameters = { p: { type: STRING, value }, q: { type: STRING, value } };
        assert.deepEqual(await bench.ask(query, { parameters }), [{ p: value, same: true, joined: `${value}x` }]);
      }
    },
  },
  {
    name: "reads hostile texts in literals and aliases unchanged",
    isLong: true,
    async run(bench) {
      for (const text of hostileTexts) {
        const length = [...text].length;
        const rows = await bench.ask(`SELECT ${asLiteral(text)} AS t, CHAR_LENGTH(${asLiteral(text)}) AS n`);
        assert.deepEqual(rows, [{ t: text, n: length }]);
      }
      const aliases = hostileTexts.filter((text) => text.length < 100);
      for (const alias of aliases) {
        const quoted = `\`${asLiteral(alias).slice(1, -1).replaceAll("`", "\\`")}\``;
        const answer = await bench.askText(`SELECT s.${quoted} FROM (SELECT 1 AS ${quoted}) s`);
        assert.equal(answer, `[{${JSON.stringify(alias)}:1}]`);
      }
    },
  },
  {
    name: "separates fields with hostile names, and reads each",
    isLong: true,
    async run(bench) {
      const names = hostileTexts.filter((text) => text.length < 100 && [...text].every((each) => each >= " "));
      const source = await bench.makeSource();
      const events = names.map((name, n) => eventOf(`${n}`, { r: Object.fromEntries([[name, n]]) }, BigInt(n)));
      // Some come together, some after others.
      for (let from = 0; from < events.length; from += 8) await bench.append(source, events.slice(from, from + 8));
      const rows = await bench.askValues(`SELECT TO_JSON_STRING(r[0]) FROM ${source} ORDER BY timestamp`);
      assert.deepEqual(
        rows,
        names.map((name, n) => `{${JSON.stringify(name)}:${n}}`),
      );
    },
  },
  {
    name: "matches hostile texts as patterns by the rules of LIKE only",
    isLong: true,
    async run(bench) {
      for (const value of hostileTexts) {
        const pattern = value.replaceAll(/[\\%_]/g, "\\$&");
        const parameters = { p: { type: STRING, value: pattern }, v: { type: STRING, value } };
        const query = "SELECT @v LIKE @p AS whole, CONCAT(@v, 'x') LIKE @p AS longer, @v LIKE CONCAT(@p, '%') AS start";
        assert.deepEqual(await bench.ask(query, { parameters }), [{ whole: true, longer: false, start: true }]);
      }
    },
  },
];
