import { describe, expect, it } from "vitest";
import { diagnose, problemOf } from "../../../test/support/googlesql/tree.ts";

describe("the parser's error at another database's construct", () => {
  it.each([
    ["SELECT a FROM t WHERE a ILIKE 'x'", "LOWER(x) LIKE '...'"],
    ["SELECT a ILIKE 'x' FROM t", "LOWER(x) LIKE '...'"],
    ["SELECT a FROM t WHERE a ~ 'x'", "REGEXP_CONTAINS(x, r'...')"],
    ["SELECT a FROM t WHERE a % 2 = 0", "MOD(x, y)"],
    ["SELECT a DIV 2 FROM t", "DIV(x, y)"],
    ["SELECT a FROM t WHERE a == 2", "= alone"],
    ["SELECT a ->> 'b' FROM t", "x.field or x['field'] for JSON, and JSON_VALUE(x, '$.field') for its text"],
    ["SELECT TOP 5 a FROM t", "LIMIT count at the end"],
    ["SELECT a FROM t LIMIT 5, 10", "LIMIT count OFFSET number"],
    ["SELECT a FROM t OFFSET 5", "LIMIT count OFFSET number"],
    ["SELECT COUNT(*) FILTER (WHERE a) FROM t", "COUNTIF(condition), or IF(condition, x, NULL) as an argument"],
    ["SELECT a - INTERVAL '1 day' FROM t", "INTERVAL 1 HOUR, with the part behind the number"],
    ['SELECT a AS "b" FROM t', "names in backquotes: `name`"],
    ["SELECT :a", "named parameters as @name"],
  ])("names GoogleSQL's: %s", (text, instead) => {
    expect(problemOf(text)).toContain(`; GoogleSQL has ${instead} [`);
  });

  it.each(["SELECT ilikes 2", "SELECT CAST(5, INT64)", "SELECT a FROM t WITH OFFSET b c", "SELECT 1 'a'"])(
    "says nothing of it elsewhere: %s",
    (text) => {
      expect(problemOf(text)).not.toContain("GoogleSQL has");
    },
  );
});

describe("the parser's error for a text that is not a query", () => {
  it.each([
    ["", 'Syntax error: Expected "(" or keyword SELECT or keyword TABLE but got end of statement [1:1]'],
    ["SELECT", "Syntax error: Unexpected end of statement [1:7]"],
    ["SELECT 1 FROM", "Syntax error: Unexpected end of statement [1:14]"],
    ["SELECT FROM t", "Syntax error: SELECT list must not be empty [1:8]"],
    ["SELECT a b c", 'Syntax error: Expected end of input but got identifier "c" [1:12]'],
    ["SELECT (1", 'Syntax error: Expected ")" or "," but got end of statement [1:10]'],
    ["SELECT f(1", 'Syntax error: Expected ")" but got end of statement [1:11]'],
    ["SELECT f(1)(2)", "Syntax error: Double function call parentheses [1:12]"],
    [
      "SELECT 'a'(2)",
      "Syntax error: Function call cannot be applied to this expression. Function calls require a path, e.g. " +
        "a.b.c() [1:11]",
    ],
    ["SELECT a OVER ()", "Syntax error: OVER keyword must follow a function call [1:10]"],
    ["SELECT a FROM t QUALIFY a = 1", "The QUALIFY clause requires a window function to be present [1:17]"],
    ["SELECT 1 |> JOIN (a JOIN b JOIN c ON x ON y)", "Syntax error: Expected end of input but got keyword ON [1:40]"],
    [
      "SELECT 1 |> JOIN (SELECT * FROM a JOIN b ON x ON y)",
      "Syntax error: The number of join conditions is 2 but the number of joins that require a join condition is " +
        "only 1. Unexpected keyword ON [1:47]",
    ],
    ["SELECT\n  a = b = c", 'Syntax error: Unexpected "=" [2:9]'],
    ["SELECT a IS NULL = b", "Syntax error: Expression to the left of comparison must be parenthesized [1:18]"],
    ["SELECT a = NOT b", "Syntax error: Unexpected keyword NOT [1:12]"],
    ["SELECT a BETWEEN b", "Syntax error: Expected keyword AND but got end of statement [1:19]"],
    ["SELECT a BETWEEN b = c AND d", "Syntax error: Expression in BETWEEN must be parenthesized [1:18]"],
    [
      "SELECT a IS 5",
      "Syntax error: Expected keyword FALSE or keyword NULL or keyword TRUE or keyword UNKNOWN but got " +
        'integer literal "5" [1:13]',
    ],
    ["SELECT a IN 5", 'Syntax error: Unexpected integer literal "5" [1:13]'],
    ["SELECT CASE END", "Syntax error: Unexpected keyword END [1:13]"],
    ["SELECT CASE a THEN 1 END", "Syntax error: Expected keyword WHEN but got keyword THEN [1:15]"],
    ["SELECT CAST(a, INT64)", 'Syntax error: Expected keyword AS but got "," [1:14]'],
    ["SELECT CAST(a AS STRING(1,))", "Syntax error: Trailing comma in type parameter list is not allowed. [1:26]"],
    ["SELECT a + b.*", 'Syntax error: Unexpected "*" [1:14]'],
    ["SELECT COUNT(a.*)", 'Syntax error: Unexpected "*" [1:16]'],
    ["SELECT * AS a", "Syntax error: Expected end of input but got keyword AS [1:10]"],
    ["SELECT 'a''b'", "Syntax error: concatenated string literals must be separated by whitespace or comments [1:11]"],
    ["SELECT 'a' b'b'", "Syntax error: string and bytes literals cannot be concatenated. [1:12]"],
    ["SELECT 1 FROM t WHERE", "Syntax error: Unexpected end of statement [1:22]"],
    ["SELECT 1 FROM (a, b)", 'Syntax error: Expected keyword JOIN but got "," [1:17]'],
    [
      "SELECT 1 FROM a[0]",
      "Syntax error: Array element access is not allowed in the " +
        "FROM clause without UNNEST; Use UNNEST(<expression>) [1:16]",
    ],
    ["SELECT 1 FROM @t", "Query parameters cannot be used in place of table names [1:15]"],
    ["SELECT 1 FROM a - b", 'Syntax error: Expected end of input but got "-" [1:17]'],
    [
      "SELECT 1 FROM a, b FULL JOIN c ON d",
      "Syntax error: FULL JOIN must be parenthesized when following a comma join.  Also, if the preceding " +
        "comma join is a correlated CROSS JOIN that unnests an array, then CROSS " +
        "JOIN syntax must be used in place of the comma join [1:20]",
    ],
    [
      "SELECT 1 FROM a JOIN b ON x ON y",
      "Syntax error: The number of join conditions is 2 but the number of joins that require a join condition " +
        "is only 1. Unexpected keyword ON [1:29]",
    ],
    [
      "SELECT 1 FROM a LEFT JOIN b JOIN c JOIN d ON x ON y",
      "Syntax error: The number of join conditions is 2 but the number of joins that require a join condition " +
        "is 3. LEFT JOIN must have an ON or USING clause [1:17]",
    ],
    ["SELECT 1 UNION SELECT 2", "Syntax error: Expected keyword ALL or keyword DISTINCT but got keyword SELECT [1:16]"],
    ["SELECT 1 EXCEPT SELECT 2", 'EXCEPT must be followed by ALL, DISTINCT, or "(" [1:10]'],
    [
      "SELECT 1 UNION ALL FROM t",
      "Syntax error: Unexpected FROM; FROM queries following a set operation must be parenthesized [1:20]",
    ],
    [
      "SELECT 1 UNION ALL STRICT BY NAME SELECT 2",
      "Syntax error: STRICT cannot be used with BY NAME in set operations [1:20]",
    ],
    [
      "WITH a AS (SELECT 1), SELECT 2",
      "Syntax error: Trailing comma after the WITH clause before the main query is not allowed [1:23]",
    ],
    [
      "WITH a AS (SELECT 1) |> WHERE x",
      "Syntax error: A pipe operator cannot follow the WITH clause before the main query; The main query " +
        "usually starts with SELECT or FROM here [1:22]",
    ],
    [
      "FROM t SELECT a",
      "Syntax error: SELECT not supported after FROM query; Consider using pipe operator `|> SELECT` [1:8]",
    ],
    [
      "FROM t ORDER BY a",
      "Syntax error: ORDER BY not supported after FROM query; Consider using pipe operator `|> " +
        "ORDER BY` or parentheses around the FROM query [1:8]",
    ],
    [
      "FROM t |> GROUP BY a",
      "Syntax error: GROUP BY should be part of a pipe AGGREGATE operator, without a leading pipe symbol [1:11]",
    ],
    ["FROM t |> SELECT a FROM u", "Syntax error: Expected end of input but got keyword FROM [1:20]"],
    [
      "FROM t |> DROP a.b",
      "Syntax error: Pipe DROP can only drop columns by name alone; Dropping columns under table aliases or " +
        "fields under paths is not supported [1:16]",
    ],
    ["FROM t |> UNION ALL u", 'Syntax error: Expected "(" but got identifier "u" [1:21]'],
    ["FROM t |> nonsense", 'Syntax error: Unexpected identifier "nonsense" [1:11]'],
    ["SELECT 1; SELECT 2", "Syntax error: Only one query is allowed [1:11]"],
    ["SELECT 1;;", "Syntax error: Only one query is allowed [1:10]"],
    ["SELECT 1 ]", 'Syntax error: Expected end of input but got "]" [1:10]'],
    ["SELECT 'x", "Syntax error: Unclosed string literal [1:8]"],
    ["SELECT ) 'x", 'Syntax error: Unexpected ")" [1:8]'],
    ["SELECT '\ud83d'", "Syntax error: Text holds half of a surrogate pair [1:9]"],
  ])("says what was expected and where: %j", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it("is a syntax error whose span covers the wrong token", () => {
    expect(diagnose("SELECT 1 FROM WHERE")).toEqual([
      { code: "syntax_error", message: "Syntax error: Unexpected keyword WHERE", span: { start: 14, end: 19 } },
    ]);
  });
});

describe("the parser's error for syntax outside the supported language", () => {
  it.each([
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "CREATE",
    "DROP",
    "ALTER",
    "CALL",
    "BEGIN",
    "DECLARE",
    "SET",
    "EXPORT",
    "LOAD",
    "EXECUTE",
    "GRANT",
    "TRUNCATE",
  ])("names the refused statement %s", (statement) => {
    const text = `${statement} INTO t SELECT 1`;
    const message = `${statement} statements are not supported; only queries can be run`;
    expect(diagnose(text)).toEqual([
      { code: "unsupported", message, span: { start: 0, end: statement.length }, name: statement },
    ]);
  });

  it.each([
    "INSERT INTO t",
    "CREATE TABLE t",
    "EXPORT DATA",
    "FORK (|> WHERE a)",
    "TEE",
    "IF TRUE THEN (|> LIMIT 1)",
    "ASSERT TRUE",
    "LOG",
    "DESCRIBE",
    "STATIC_DESCRIBE",
    "MATCH_RECOGNIZE (x)",
  ])("names the refused pipe operator %s", (operator) => {
    const [name = ""] = operator.split(" ");
    expect(diagnose(`FROM t |> ${operator}`)).toMatchObject([
      { code: "unsupported", name, message: `Pipe operator ${name} is not supported; only queries can be run` },
    ]);
  });

  it.each([
    ["SELECT * FROM a NATURAL JOIN b", "NATURAL"],
    ["WITH RECURSIVE a AS (SELECT 1) WITH DEPTH AS d MAX 5 SELECT * FROM a", "WITH DEPTH"],
    ["SELECT a.(b.c)", ".("],
    ["SELECT NEW t(1)", "NEW"],
    ["SELECT * FROM t @{hint=1}", "@"],
    ["SELECT @5 x", "@"],
    ["SELECT 1 FROM t FOR UPDATE", "FOR UPDATE"],
    ["SELECT WITH DIFFERENTIAL_PRIVACY a FROM t", "DIFFERENTIAL_PRIVACY"],
    ["SELECT * FROM t MATCH_RECOGNIZE (x)", "MATCH_RECOGNIZE"],
  ])("names the refused construct: %s", (text, name) => {
    expect(diagnose(text)).toMatchObject([{ code: "unsupported", name }]);
  });

  it("is reported where the grammar accepts more than the language", () => {
    for (const text of [
      "SELECT f((x, 1) -> x)",
      "SELECT f(a.b -> 1)",
      "SELECT EXTRACT(a.b FROM c)",
      "SELECT 1 FROM UNNEST(a, b => c)",
    ]) {
      expect(diagnose(text)).toMatchObject([{ code: "invalid_query" }]);
    }
    expect(diagnose("SELECT f(1 -> x)")).toMatchObject([{ code: "syntax_error" }]);
  });

  it("is reported for every place in the text at once", () => {
    const text = "SELECT a IN UNNEST(b, c) FROM d NATURAL JOIN e UNION ALL SELECT 1 EXCEPT ALL SELECT 2";
    expect(diagnose(text).map(({ code }) => code)).toEqual(["invalid_query", "unsupported", "invalid_query"]);
  });
});
