import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../../test/support/engines/duckdb/driver/memory-database.ts";
import { printSql } from "../../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { arrayOf, INT64, type RecordType } from "../../../../googlesql/types.ts";
import { NULL, numberSql, textSql, variableSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import type { Sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import { operatorFunctions } from "../operators.ts";
import { arrayFunctions } from "./array.ts";
import { asList, fromList } from "./record-arrays.ts";

const R = variableSql("r");
const RECORDS = arrayOf({ kind: "RECORD", fields: [], isRepeated: true, isOpen: true } satisfies RecordType);
const NOTHING = { kind: "Literal", type: INT64, span: { start: 0, end: 0 }, value: null } as const;

describe("arrays of log records", () => {
  let database: MemoryDatabase;
  beforeAll(async () => {
    database = await openMemoryDatabase();
  });
  afterAll(() => database.close());

  async function evaluate(piece: Sql): Promise<unknown> {
    const { rows } = await database.query(
      `SELECT ${printSql(piece)} FROM (SELECT '[{"a":1},{"b":[{"c":"x,y"}]}]' AS r)`,
    );
    return rows[0]?.[0];
  }

  function call(name: string, ...args: readonly Sql[]): Sql {
    const print = name === "$concat_op" ? operatorFunctions[name] : arrayFunctions[name];
    if (print === undefined) throw new Error(`No function ${name}`);
    const isArray = ["ARRAY_REVERSE", "ARRAY_CONCAT", "ARRAY_SLICE", "$concat_op"].includes(name);
    const type = isArray ? RECORDS : name === "ARRAY_LENGTH" ? INT64 : RECORDS.element;
    const isConcatenation = name === "ARRAY_CONCAT" || name === "$concat_op";
    const types = args.map((_, i) => (i === 0 || isConcatenation ? RECORDS : INT64));
    const expression = {
      kind: "Call",
      function: name,
      arguments: [NOTHING],
      type,
      isSafe: false,
      span: NOTHING.span,
    } as const;
    return print({ args, types, type, call: expression, timeZone: "UTC" });
  }

  it.each([
    ["their length", call("ARRAY_LENGTH", R), 2n],
    ["the first", call("ARRAY_FIRST", R), '{"a":1}'],
    ["the last", call("ARRAY_LAST", R), '{"b":[{"c":"x,y"}]}'],
    ["the reverse", call("ARRAY_REVERSE", R), '[{"b":[{"c":"x,y"}]},{"a":1}]'],
    ["a slice", call("ARRAY_SLICE", R, numberSql(1), numberSql(5)), '[{"b":[{"c":"x,y"}]}]'],
    ["an empty slice", call("ARRAY_SLICE", R, numberSql(2), numberSql(5)), "[]"],
    ["a concatenation", call("ARRAY_CONCAT", R, textSql("[{}]")), '[{"a":1},{"b":[{"c":"x,y"}]},{}]'],
    ["a concatenation by the operator", call("$concat_op", R, textSql("[{}]")), '[{"a":1},{"b":[{"c":"x,y"}]},{}]'],
    ["the same back from a list", fromList(asList(R, RECORDS), RECORDS), '[{"a":1},{"b":[{"c":"x,y"}]}]'],
    ["NULL for NULL", fromList(asList(castTo(NULL, VARCHAR), RECORDS), RECORDS), null],
  ])("give %s", async (_, sql, expected) => {
    expect(await evaluate(sql)).toEqual(expected);
  });
});
