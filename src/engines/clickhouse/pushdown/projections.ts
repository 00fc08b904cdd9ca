/** Which statements the projections of a source's table are for: one finds rows by id, another counts them by time. */

/** Are they of no use to the statement? They would be looked through for each part all the same. */
export function skipsProjections(sql: string): boolean {
  const columns = new Set([...sql.matchAll(/\.`(\w+)`/g)].map(([, name]) => name));
  return !columns.has("id") && columns.size > (columns.has("timestamp") ? 1 : 0);
}
