/** A name for a source's table that no other table has or had: queries of a dropped one must not read another. */
export function newTableName(source: string): string {
  const readable = source.replace(/[^A-Za-z0-9]+/g, "_").slice(0, 40);
  const random = crypto.getRandomValues(new Uint32Array(2));
  return `events_${readable}_${[...random].map((word) => word.toString(16).padStart(8, "0")).join("")}`;
}
