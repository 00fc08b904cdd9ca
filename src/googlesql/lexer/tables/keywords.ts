/** Words that are never names unless quoted. Source: "Reserved keywords" of the lexical structure page. */
const RESERVED = `
ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE CURRENT DEFAULT
DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL GROUP GROUPING
GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP MERGE NATURAL NEW NO
NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO RANGE RECURSIVE RESPECT RIGHT ROLLUP ROWS SELECT SET
SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN WHERE WINDOW WITH WITHIN`;

/**
 * Words that the grammar knows in some places and that are names everywhere else. QUALIFY is among them because tables
 * and columns of that name are in use; where it begins a clause, it is read as one.
 */
const CONTEXTUAL = `
AGGREGATE ALTER ANALYZE ASSERT BEGIN BIGDECIMAL BIGNUMERIC CALL CLAMPED CONNECTION CORRESPONDING DATE DATETIME DECIMAL
DECLARE DELETE DEPTH DESCRIBE DESCRIPTOR DROP ELSEIF EXECUTE EXPLAIN EXPORT EXTEND FIRST FORK FORMAT GRANT GRAPH
GRAPH_TABLE INCLUDE INPUT INSERT JSON LAST LOAD LOG MATCH_RECOGNIZE MAX MIN MODEL NAME NUMERIC OFFSET PERCENT PIVOT
QUALIFY RENAME REPEATABLE REPLACE REVOKE ROW SAFE_CAST SETS STATIC_DESCRIBE STRICT SYSTEM SYSTEM_TIME TABLE TEE TIME
TIMESTAMP TRUNCATE UNDROP UNKNOWN UNPIVOT UPDATE VALUE VALUES WEIGHT ZONE`;

/** A word the lexer knows. */
export interface Keyword {
  readonly code: string;
  readonly isReserved: boolean;
}

function readWords(text: string, isReserved: boolean): Record<string, Keyword> {
  const words = text.trim().split(/\s+/);
  return Object.fromEntries(words.map((code) => [code, { code, isReserved }]));
}

/** All words the lexer knows, by their upper-case spelling. Codes are keys of an object, which V8 compares by address. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...readWords(RESERVED, true), ...readWords(CONTEXTUAL, false) }).map(([code, { isReserved }]) => [
    code,
    { code, isReserved },
  ]),
);
