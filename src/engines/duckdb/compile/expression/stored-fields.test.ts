/** A field has the same value wherever it is stored: in columns, in the JSON of its record, or beside all columns. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  compileOdd as compile,
  openOddDatabase,
} from "../../../../../test/support/engines/duckdb/compile/odd-database.ts";
import { type OddRow, oddValues, scalarTypes } from "../../../../../test/support/engines/duckdb/compile/odd-layout.ts";

const address = "x@example.com";
const personal = { word: address, x: address, int: 5, deep: [{ deeper: [{ value: 1 }] }], "a/b~c": `to ${address}` };

const rows: Readonly<Record<string, OddRow>> = {
  a: {
    r: { "a/b~c": "odd", deep: [{ deeper: [{ value: 1 }] }], number: 1, list: [1, 2], missing: 1 },
    n_int: 1,
    both: { a: 1 },
    rest: {
      word: "first",
      number: 5,
      texts: ["p", "q"],
      gone: 5,
      part: "t",
      mixed: "text",
      both: [{ a: 2 }],
      nowhere: "x",
    },
  },
  b: {
    r: { dEEP: [{ DEEPER: [{ vALUE: 2 }] }], SPELLings: "any", number: 2.5, list: ["x"] },
    n_float: 2.5,
    rest: { part: 7, WORD: "none", Word: "second", number: "6", texts: "p", mixed: [1], both: [{ a: 3 }] },
  },
  c: {
    r: { DEEP: [{ dEEPER: [{ VALUE: 3 }] }], spellings: "listed" },
    o: { known: "k", Other: [{ Z: [{ w: 1 }] }], within: [{ Deep: "in" }] },
    rest: { WORD: "third", NUMBER: 7, mixed: true },
  },
  d1: { r: { int: "12", float: "1e3", flag: "true", word: 5, ints: [1] } },
  d2: { r: { int: 1.5, float: "inf", flag: 1, word: [1], ints: ["x"] } },
  d3: { r: { int: "9223372036854775808", float: "1e999", flag: "TRUE", word: [{ a: 1 }], ints: 1 } },
  d4: { r: { int: -7, float: 2.5, flag: false, word: 'q"', ints: [] } },
  d5: { r: { int: "12 ", float: "0x1", flag: "t", word: true } },
  p: {
    event_message: `from ${address}`,
    r: personal,
    x_text: address,
    rest: { word: address, mixed: address, texts: [address, "-"] },
  },
  q: { event_message: "%40", r: `[{"word":"x\\u0040example.com","${address}":1}]`, rest: { mixed: [1, "-"] } },
};

let database: Awaited<ReturnType<typeof openOddDatabase>>;
beforeAll(async () => {
  database = await openOddDatabase(rows);
});
afterAll(() => database.close());

const rowsOf = (text: string) => database.rows(text);

describe("a top-level field that is stored beside all columns", () => {
  const fields = "word, number, texts, mixed, both[0].a, nowhere, gone";

  it("is read under its spellings, and as its type", async () => {
    expect(await rowsOf(`SELECT ${fields} FROM odd WHERE id IN ('a', 'b', 'c') ORDER BY id`)).toEqual([
      ["first", 5, ["p", "q"], '"text"', 1, null, null],
      ["second", 6, null, "[1]", 3, null, null],
      [null, null, null, "true", null, null, null],
    ]);
  });

  it("is read there whole where its columns have only a part", async () => {
    const text = "SELECT part, SAFE_CAST(part AS STRING) FROM odd WHERE id IN ('a', 'b', 'c') ORDER BY part, id";
    expect(await rowsOf(text)).toEqual([
      [null, null],
      ["7", "7"],
      ['"t"', "t"],
    ]);
  });

  it("is read under any spelling where not all are listed", async () => {
    expect(await rowsOf(`SELECT ${fields} FROM open WHERE id IN ('a', 'c') ORDER BY id`)).toEqual([
      ["first", 5, ["p", "q"], '"text"', 1, null, null],
      ["third", 7, null, "true", null, null, null],
    ]);
  });
});

describe("a field of a record", () => {
  it("is read under each of its spellings, and under any where there are many", async () => {
    const fields = "r.deep.deeper.value, r.spellings, r.`a/b~c`";
    expect(await rowsOf(`SELECT ${fields} FROM odd WHERE id IN ('a', 'b', 'c') ORDER BY id`)).toEqual([
      [1, null, "odd"],
      [2, "any", null],
      [3, "listed", null],
    ]);
  });

  it("that holds two kinds of numbers is read from both columns", async () => {
    const text = "SELECT r.number, r.list, r.missing, r.none FROM odd WHERE id IN ('a', 'b', 'c') ORDER BY id";
    expect(await rowsOf(text)).toEqual([
      [1, [1, 2], null, null],
      [2.5, [null], null, null],
      [null, null, null, null],
    ]);
  });

  it.each([
    ["a sub-query", "SELECT id, r FROM odd ORDER BY id LIMIT 2"],
    ["UNION ALL", "SELECT id, r FROM odd WHERE id < 'c' UNION ALL SELECT id, r FROM odd WHERE FALSE"],
  ])("is told from a field whose name reads like its path, through %s", async (_, from) => {
    expect(await rowsOf(`SELECT s.r.\`p/q\`, s.r.p.q FROM (${from}) AS s ORDER BY id LIMIT 2`)).toEqual([
      [1, null],
      [null, 2.5],
    ]);
  });

  it("is found by any name where not all are listed", async () => {
    const text = "SELECT o.known, o.OTHER, o.other[0].z, o.within.deep, o.none FROM odd WHERE id = 'c'";
    expect(await rowsOf(text)).toEqual([["k", '[{"Z":[{"w":1}]}]', '[{"w":1}]', '"in"', null]]);
  });

  it("with a declared type is NULL where the value does not become it without a loss", async () => {
    const text = "SELECT r.int, r.float, r.flag, r.word, r.ints FROM odd WHERE id LIKE 'd%' ORDER BY id";
    expect(await rowsOf(text)).toEqual([
      [12, 1000, true, "5", [1]],
      [null, null, null, null, [null]],
      [null, null, null, null, null],
      [-7, 2.5, false, 'q"', []],
      [null, null, null, "true", null],
    ]);
  });
});

describe("a field of several shapes", () => {
  const sources = [
    ["the table", "odd"],
    ["a limited sub-query", "(SELECT * FROM odd ORDER BY id LIMIT 1000)"],
  ] as const;
  const columns = (of: (type: string) => string) => scalarTypes.map((type) => `${of(type)} AS ${type}`).join(", ");

  it.each(sources)("converts to each type as its JSON does: %s", async (_, source) => {
    const select = (field: string) => {
      const casts = columns((type) => `SAFE_CAST(${field} AS ${type})`);
      return rowsOf(`SELECT id, ${field}, ${casts} FROM ${source} WHERE id LIKE 'v%' ORDER BY id`);
    };
    const fromColumns = await select("r.x");
    expect(fromColumns).toHaveLength(oddValues.length);
    expect(fromColumns).toEqual(await select("r.y"));
    expect(await select("r.s")).toEqual(await select("r.t"));
  });

  it("converts as many values to each type", async () => {
    const counts = columns((type) => `COUNT(SAFE_CAST(r.x AS ${type}))`);
    const [cells] = (await rowsOf(`SELECT ${counts} FROM odd WHERE id LIKE 'v%'`)) as number[][];
    expect(Object.fromEntries(scalarTypes.map((type, at) => [type, cells?.[at]]))).toEqual({
      ...{ INT64: 15, FLOAT64: 22, NUMERIC: 19, BIGNUMERIC: 19, BOOL: 4, STRING: 37, BYTES: 20 },
      ...{ DATE: 1, TIME: 1, DATETIME: 2, TIMESTAMP: 3 },
    });
  });

  it("sorts by columns as by its JSON", async () => {
    const order = (field: string) => rowsOf(`SELECT id FROM odd WHERE id LIKE 'v%' ORDER BY ${field}, id`);
    const extremes = (field: string) => rowsOf(`SELECT MIN(${field}), MAX(${field}) FROM odd WHERE id LIKE 'v%'`);
    for (const [columns, json] of [
      ["r.x", "r.y"],
      ["r.s", "r.t"],
    ] as const) {
      expect(await order(columns)).toEqual(await order(json));
      expect(await extremes(columns)).toEqual(await extremes(json));
    }
  });

  it.each([
    ["SAFE_CAST(r.x AS $)", "odd"],
    ["SAFE_CAST(x AS $)", "(SELECT r.x FROM odd LIMIT 1)"],
    ["SAFE_CAST(x AS $)", "(SELECT x FROM (SELECT r.x, id FROM odd LIMIT 9) ORDER BY id LIMIT 1)"],
    ["WITH(x AS r.x, SAFE_CAST(x AS $))", "odd"],
  ])("is read from the columns of the type alone: %s of %s", (cast, source) => {
    const columnsOf = (type: string) => {
      const { sql } = compile(`SELECT ${cast.replace("$", type)} FROM ${source}`);
      return [...new Set(sql.match(/(?<=")(?:x_\w+|json_r)(?=")/g))].sort().join(" ");
    };
    expect(["BOOL", "BYTES", "DATE", "FLOAT64", "STRING", "INT64"].map(columnsOf)).toEqual([
      "x_flag x_text",
      "x_text",
      "x_text",
      "x_float x_int x_text",
      "json_r x_flag x_float x_int x_text",
      "json_r x_float x_int x_text",
    ]);
  });

  it("is one value of DISTINCT and of a group, whatever it is read as", async () => {
    const count = "SELECT COUNT(*), COUNT(SAFE_CAST(x AS FLOAT64))";
    const all = [oddValues.length, 22];
    expect(await rowsOf(`${count} FROM (SELECT DISTINCT r.x FROM odd WHERE id LIKE 'v%')`)).toEqual([all]);
    expect(await rowsOf(`${count} FROM (SELECT r.x FROM odd WHERE id LIKE 'v%' GROUP BY r.x)`)).toEqual([all]);
    expect(compile("SELECT SAFE_CAST(x AS BOOL) FROM (SELECT DISTINCT r.x FROM odd)").sql).not.toContain(" AS as_");
  });

  it("is what it is where it cannot be traced to its columns", async () => {
    const of = (value: string) => rowsOf(`SELECT ${value} FROM odd WHERE id = 'v04'`);
    expect(await of("SAFE_CAST(IF(LENGTH(id) > 0, r.x, r.y) AS INT64)")).toEqual([[200]]);
    expect(await of("SAFE_CAST(ANY_VALUE(r)[0].x AS INT64)")).toEqual([[200]]);
    await expect(rowsOf("SELECT CAST(r.x AS INT64) FROM odd WHERE id LIKE 'v%'")).rejects.toThrow("Bad");
  });

  it("is never taken for a number that it is not", async () => {
    const above = (field: string) => rowsOf(`SELECT ${field} FROM odd WHERE SAFE_CAST(${field} AS FLOAT64) > 1e308`);
    expect(await above("r.x")).toEqual([['"inf"']]);
    expect(await above("r.y")).toEqual([['"inf"']]);
  });

  it("sorts by the JSON where there are lists or records, and without texts", async () => {
    const order = (field: string, shape: string) =>
      rowsOf(`SELECT id FROM odd WHERE id LIKE 'v%' AND ${shape} ORDER BY r.${field}, id`);
    const noRecord = "r.y.a IS NULL";
    expect(await order("lists", noRecord)).toEqual(await order("y", noRecord));
    const noList = "(r.y.a = 1 OR SAFE_CAST(r.y AS STRING) IS NOT NULL)";
    expect(await order("records", noList)).toEqual(await order("y", noList));
    const flagged =
      "SELECT COUNT(SAFE_CAST(x AS BYTES)), COUNT(x) FROM (SELECT r.flagged AS x FROM odd ORDER BY x LIMIT 99)";
    expect(await rowsOf(flagged)).toEqual([[0, 7]]);
  });

  it("is read as each type that is asked for, through a sub-query", async () => {
    const select = (field: string) =>
      rowsOf(
        `SELECT x, SAFE_CAST(x AS INT64), SAFE_CAST(x AS STRING) FROM (SELECT id, ${field} AS x FROM odd LIMIT 99) WHERE id LIKE 'v%' ORDER BY id`,
      );
    expect(await select("r.x")).toEqual(await select("r.y"));
    expect(compile("SELECT r.x.a FROM odd").sql).toContain(`json_extract_string(t1."json_r", '/0/x/0/a')`);
  });

  it("has the same values where there is no JSON", async () => {
    const select = (field: string, source: string) => {
      const casts = columns((type) => `SAFE_CAST(${field} AS ${type})`);
      return rowsOf(`SELECT id, ${field}, ${casts} FROM ${source} WHERE id LIKE 'v%' ORDER BY ${field}, id`);
    };
    expect(await select("s", "bare")).toEqual(await select("r.t", "odd"));
    expect(compile("SELECT s FROM bare").sql).not.toContain("json_r");
  });
});

describe("what a reader is not shown", () => {
  const hidden = "REDACTED";

  it("is taken out of every column that holds text", async () => {
    const text = "SELECT r, event_message, word, texts, mixed, list, pair, nothing, json FROM shown";
    const from = `from ${hidden}`;
    expect(await rowsOf(`${text} WHERE id IN ('p', 'q') ORDER BY id`)).toEqual([
      [
        JSON.stringify([{ ...personal, word: hidden, x: hidden, "a/b~c": `to ${hidden}` }]),
        ...[from, hidden, [hidden, "-"], `"${hidden}"`, [[from, 1]], [from, [], [1]], [], `"${from}"`],
      ],
      [`[{"word":"${hidden}","${address}":1}]`, ...["%40", null, null, '[1,"-"]', [["%40", 1]], null, [], '"%40"']],
    ]);
  });

  it("is taken out of fields, wherever they are read from", async () => {
    const text =
      "SELECT r.word, r.x, SAFE_CAST(r.x AS STRING), r.`a/b~c`, r.int, r.deep.deeper.value FROM shown WHERE id = 'p'";
    expect(await rowsOf(text)).toEqual([[hidden, JSON.stringify(hidden), hidden, `to ${hidden}`, 5, 1]]);
    expect(await rowsOf("SELECT o.none, o.OTHER FROM shown WHERE id = 'c'")).toEqual([[null, '[{"Z":[{"w":1}]}]']]);
    expect(await rowsOf("SELECT r.x FROM shown WHERE id LIKE 'v%' AND r.x LIKE '%example%'")).toEqual([]);
    expect(await rowsOf("SELECT m.word FROM shown CROSS JOIN UNNEST(r) AS m WHERE id IN ('p', 'q')")).toEqual([
      [hidden],
      [hidden],
    ]);
  });

  it("is looked for in JavaScript only where the text may hold it", () => {
    const { sql } = compile("SELECT event_message FROM shown");
    expect(sql).toMatch(
      /CASE WHEN regexp_matches\(t1\."event_message", '@\|[^']*'\) THEN lw_redact\(t1\."event_message", 'email'\) ELSE t1\."event_message" END/,
    );
    expect(compile("SELECT timestamp, number, nothing FROM shown").sql).not.toContain("redact");
    expect(compile("SELECT pair FROM shown").sql).toContain("f3 := struct_extract(");
    const query = compile("SELECT * FROM shown_query").sql;
    expect(query).toMatch(/lw_redact\(\(SELECT /);
    expect(query).not.toContain("regexp_matches");
  });
});

describe("a row that is written as JSON", () => {
  it("has its texts in no lambda, whose planning takes longer the more there are", () => {
    const { sql } = compile("SELECT TO_JSON_STRING(STRUCT(id, event_message AS message)) FROM odd");
    expect(sql).toContain("to_json(");
    expect(sql).not.toContain("lambda");
  });

  it("has control characters by their codes in lower case, as JSON values have them", async () => {
    const texts = String.raw`['plain', 'a "quoted" \\u001F', '\n\t\r\b\f', '\x01\x0b\x0e\x1f\x7f', '\x00']`;
    const written = ["plain", 'a "quoted" \\u001F', "\n\t\r\b\f", "\x01\x0b\x0e\x1f\x7f", "\0"];
    expect(await rowsOf(`SELECT TO_JSON_STRING(x) FROM UNNEST(${texts}) AS x WITH OFFSET AS n ORDER BY n`)).toEqual(
      written.map((each) => [JSON.stringify(each)]),
    );
  });
});
