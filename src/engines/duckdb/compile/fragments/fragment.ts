/** Printed SQL with what the compiler has to know of it. */

export interface Fragment {
  readonly sql: string;
  /** A sub-query stands in it: no lambda may hold it, and repeating it runs it again. */
  readonly holdsQuery: boolean;
  /** A lambda stands in it. */
  readonly holdsLambda: boolean;
  /** It holds a lambda or TRY, which DuckDB binds to the columns of one query only. */
  readonly readsOneQuery: boolean;
}

const QUOTED = /'[^']*'|"[^"]*"/g;

/** Is the word one of the SQL itself, rather than of a literal or a quoted name in it? Time linear in its length. */
function holdsWord(sql: string, word: string): boolean {
  if (!sql.includes(word)) return false;
  return new RegExp(`\\b${word}\\b`).test(sql.replace(QUOTED, "''"));
}

/** The fragment of printed SQL. Its facts are read when they are asked for. */
export function fragmentOf(sql: string): Fragment {
  return {
    sql,
    get holdsQuery() {
      return holdsWord(sql, "SELECT");
    },
    get holdsLambda() {
      return holdsWord(sql, "lambda");
    },
    get readsOneQuery() {
      return holdsWord(sql, "lambda") || holdsWord(sql, "TRY");
    },
  };
}
