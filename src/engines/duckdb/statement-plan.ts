import type { OutputColumn } from "../contract/query-engine.ts";

/**
 * Facts about a statement from the compiler for the engine host. They travel with the query, as JSON, so that nobody
 * has to parse the statement's text.
 */
export interface StatementPlan {
  /** Conditions on an id of an event, each of which the statement bounds by two times: its last parameters. */
  readonly idConditions: readonly IdCondition[];
  /** Set for a statement that selects plain columns of one table up to a limit, and does nothing else. */
  readonly rows?: RowsPlan;
  /** Set for a statement that selects the newest rows of one table. */
  readonly newest?: NewestPlan;
  /** Set for a statement whose values are not those that are sent, but for the bounds of conditions on ids. */
  readonly constants?: BoundConstants;
}

/** How the values of a statement come from those that are sent. */
export interface BoundConstants {
  /** Positions of the statement's values among those that are sent; those of constants count down from -1. */
  readonly places: readonly number[];
  /** The statement that computes the constants, one row of a column each; absent if there is none but the clock. */
  readonly statement?: {
    readonly sql: string;
    readonly columns: readonly OutputColumn[];
    /** Positions of its values among those that are sent: those that it reads from arrays, and then limits. */
    readonly values: readonly number[];
    readonly limits: readonly number[];
    /** If not, equal values have equal constants. */
    readonly readsClock: boolean;
  };
}

/** Events of the table with the id: a text, or the position of a parameter counted from 0. */
export interface IdCondition {
  readonly table: string;
  readonly id: string | number;
}

/** `SELECT columns FROM "table" AS alias WHERE where ORDER BY order LIMIT limit`, in parts. */
export interface RowsPlan {
  readonly table: string;
  readonly alias: string;
  readonly columns: readonly PlainColumn[];
  /** Empty where there is none. */
  readonly where: string;
  /** Aliases of columns that are no texts, with their directions. */
  readonly order: string;
  /** The rows come from the newest on. */
  readonly isNewestFirst: boolean;
  /** Positions of values that differ from run to run with the clock; absent if there are none. */
  readonly clockValues?: readonly number[];
  readonly limit: number;
}

export interface PlainColumn {
  /** The table's column, unquoted. */
  readonly column: string;
  readonly alias: string;
  /** A message or a record's JSON, which are long beside all others. */
  readonly isText: boolean;
}

/** How the engine host reads no more of a large table than where the newest rows are. */
export interface NewestPlan {
  readonly table: string;
  /** Rows that decide the answer. */
  readonly count: number;
  /** Selects the times of the newest rows, newest first: `count` at least, if there are so many. */
  readonly times: BoundedStatement;
  /** The statement itself. */
  readonly rows: BoundedStatement;
  /**
   * Times that conditions compare those of rows with, from below and from above: each in microseconds, as a text, or
   * the position of a value. They only show where to look first.
   */
  readonly from: readonly TimeValue[];
  readonly until: readonly TimeValue[];
}

export type TimeValue = string | number;

/** A statement whose last parameter is a time: no row before it is read. */
export interface BoundedStatement {
  readonly sql: string;
  /** The positions of its other values among those of the plan's statement. */
  readonly values: readonly number[];
}

/** How the database writes the ends of time, in microseconds since 1970. */
export const [FIRST_US, LAST_US] = [-(2n ** 63n) + 1n, 2n ** 63n - 1n];

/**
 * `ORDER BY ... LIMIT n` up to so large an `n` sorts the sort keys and row numbers alone, and reads the other columns,
 * JSON above all, for the rows that are left. Their numbers reach the scan as a list, so that it reads the vectors that
 * hold them and no others; DuckDB's defaults of 50 rows would carry all candidates' JSON through the sort, or read all
 * vectors between the first row and the last. A query without a limit of its own is asked for 1,001 rows.
 */
export const LATE_ROWS = 1024;
