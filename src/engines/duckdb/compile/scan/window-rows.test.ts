/** Window functions whose frames or partitions DuckDB has in another form, by the rows that they answer. */
import { type Case, type Failure, testRows } from "../../../../../test/support/engines/duckdb/compile/row-cases.ts";

const range = (key: string, frame: string, values: string) =>
  `SELECT x, COUNT(*) OVER (ORDER BY ${key} RANGE BETWEEN ${frame}) FROM UNNEST([${values}]) AS x ORDER BY x`;

const cases: Readonly<Record<string, readonly Case[]>> = {
  "equal intervals as one partition": [
    [
      "SELECT COUNT(*) OVER (PARTITION BY i) FROM UNNEST([MAKE_INTERVAL(month => 1, day => -5), INTERVAL 25 DAY]) AS i",
      "[[2],[2]]",
    ],
  ],
  "windows by more than one key": [
    [
      "SELECT id, COUNT(*) OVER (PARTITION BY project, id > 'b' ORDER BY project DESC, id ROWS BETWEEN 1 PRECEDING " +
        "AND CURRENT ROW) FROM edge_logs ORDER BY id",
      '[["a",1],["b",2],["c",1],["d",2]]',
    ],
    [
      "SELECT id, SUM(1) OVER (ORDER BY project, id RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), " +
        "STRING_AGG(id, '') OVER (ORDER BY 'x', id) FROM edge_logs ORDER BY id LIMIT 2",
      '[["a",1,"a"],["b",2,"ab"]]',
    ],
  ],
  "frames as far as an infinite offset reaches": [
    [
      range("x", "@p PRECEDING AND CURRENT ROW", "1.5, CAST('-inf' AS FLOAT64)"),
      '[["-Infinity",1],[1.5,2]]',
      { p: "inf" },
    ],
    [
      range("x", "CURRENT ROW AND @p FOLLOWING", "1.5, CAST('inf' AS FLOAT64)"),
      '[[1.5,2],["Infinity",1]]',
      { p: "inf" },
    ],
    [
      range("x DESC", "@p PRECEDING AND 0 PRECEDING", "1.5, CAST('inf' AS FLOAT64)"),
      '[[1.5,2],["Infinity",1]]',
      { p: "inf" },
    ],
  ],
  "frames over the whole range of decimal numbers": [
    [
      range(
        "x",
        "NUMERIC '80000000000000000000000000000' PRECEDING AND CURRENT ROW",
        "NUMERIC '-99999999999999999999999999999', 1, 2",
      ),
      '[["-99999999999999999999999999999",1],["1",1],["2",2]]',
    ],
    [
      range("x", "1 PRECEDING AND NUMERIC '80000000000000000000000000000' FOLLOWING", "NUMERIC '1', 2, 4, NULL"),
      '[[null,1],["1",3],["2",3],["4",1]]',
    ],
    [
      range("x DESC", "BIGNUMERIC '1.5' PRECEDING AND BIGNUMERIC '0.5' PRECEDING", "BIGNUMERIC '1', 2, 3.5, 3.5, NULL"),
      '[[null,1],["1",1],["2",2],["3.5",0],["3.5",0]]',
    ],
    [
      "SELECT x.a, x.b, COUNT(*) OVER (PARTITION BY x.a, x.b ORDER BY x.n RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) " +
        "FROM UNNEST([STRUCT(1 AS a, 1 AS b, BIGNUMERIC '1' AS n), (1, 1, 2), (1, 1, 3), (1, 2, 2), (2, 1, 2)]) AS x ORDER BY 1, 2, 3",
      "[[1,1,2],[1,1,2],[1,1,3],[1,2,1],[2,1,1]]",
    ],
  ],
};

const infinities = "1.5, CAST('inf' AS FLOAT64), CAST('-inf' AS FLOAT64)";

const failures: readonly Failure[] = [
  [
    range("x", "@p PRECEDING AND CURRENT ROW", "1.5"),
    "A window frame's offset must be non-negative and not NULL",
    { p: "-1" },
  ],
  ...[
    range("x", "@p PRECEDING AND CURRENT ROW", infinities),
    range("x", "CURRENT ROW AND @p FOLLOWING", infinities),
    range("x DESC", "@p PRECEDING AND CURRENT ROW", infinities),
  ].map((text) => {
    return [text, "The offset of a RANGE frame cannot be infinite where a key is infinite", { p: "inf" }] as const;
  }),
  [
    range("x", "CURRENT ROW AND @p FOLLOWING", "BIGNUMERIC '1.5'"),
    "A window frame's offset must be non-negative and not NULL",
    { p: "-1" },
  ],
];

testRows("on DuckDB a window answers", cases, failures);
