/** A conversion: DuckDB SQL of the value, and whether it can fail. */
export interface PrintedCast {
  readonly sql: string;
  readonly canFail: boolean;
}

/** A conversion that works for every value, or that has its failures as NULL already. */
export function infallible(sql: string): PrintedCast {
  return { sql, canFail: false };
}

/** A conversion that fails the query for some values. */
export function fallible(sql: string): PrintedCast {
  return { sql, canFail: true };
}
