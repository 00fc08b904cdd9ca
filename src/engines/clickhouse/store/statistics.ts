/** Reports about the sources' tables. */
import type { FigureDefinition, SourceStatistics, StoreReport, StoreSpace } from "../../contract/query-engine.ts";
import { tenantColumnOf } from "../../schema/source/source-schema.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { ServerClient } from "../driver/client.ts";
import { quoteName } from "../driver/quote.ts";
import { type TablePlace, tableName } from "./statements.ts";

const figureDefinitions: readonly FigureDefinition[] = [
  {
    name: "bytes",
    label: "On disk",
    unit: "bytes",
    of: "store",
    description: "Size of all sources' tables on the server that is asked, compressed.",
  },
  {
    name: "table_bytes",
    label: "On disk",
    unit: "bytes",
    of: "source",
    description: "Size of the source's table on the server that is asked, compressed.",
  },
  {
    name: "parts",
    label: "Parts",
    unit: "count",
    of: "source",
    description: "Parts of the table that the server has not merged yet; hundreds in one day say that it falls behind.",
  },
];

/** Parts of one table from which on the server is falling behind: it refuses inserts at 3000 in a partition. */
const MAX_PARTS = 1500;

/** One row for each source, whose values the expression of it makes. */
async function askEach(
  client: ServerClient,
  place: TablePlace,
  sources: readonly SourceState[],
  columnsOf: (source: SourceState) => string,
): Promise<readonly (readonly [SourceState, readonly unknown[]])[]> {
  if (sources.length === 0) return [];
  const selects = sources.map(
    (source, index) => `SELECT ${index} AS number, ${columnsOf(source)} FROM ${tableName(place, source.table)}`,
  );
  const rows = await client.rows(`SELECT * FROM (${selects.join(" UNION ALL ")}) ORDER BY number`);
  return rows.flatMap(([number, ...values]) => {
    const source = sources[Number(number)];
    return source === undefined ? [] : [[source, values] as const];
  });
}

function toStatistics({ name }: SourceState, [count, oldest, newest]: readonly unknown[]): SourceStatistics {
  const rowCount = Number(count);
  const timeOf = (value: unknown) => (rowCount === 0 ? null : BigInt(String(value)));
  return { name, rowCount, oldestTimestampUs: timeOf(oldest), newestTimestampUs: timeOf(newest) };
}

const COUNTS = "count() AS c, min(timestamp) AS lo, max(timestamp) AS hi";

export async function readStatistics(
  client: ServerClient,
  place: TablePlace,
  sources: readonly SourceState[],
): Promise<readonly SourceStatistics[]> {
  const rows = await askEach(client, place, sources, () => COUNTS);
  return rows.map(([source, values]) => toStatistics(source, values));
}

/** Bytes and parts of each source's table on the server that is asked. */
async function readSizes(
  client: ServerClient,
  place: TablePlace,
): Promise<(source: SourceState) => readonly [bytes: number, parts: number]> {
  const parts = await client.rows(
    "SELECT table, sum(bytes_on_disk), count() FROM system.parts " +
      "WHERE database = {database:String} AND active GROUP BY table",
    { database: place.database },
  );
  const byTable = new Map(
    parts.map(([table, bytes, count]) => [String(table), [Number(bytes), Number(count)] as const]),
  );
  return ({ table }) => byTable.get(table) ?? byTable.get(`${table}_rows`) ?? [0, 0];
}

/** The server frees the disk of deleted parts some minutes later, so what is free does not show. */
export async function readSpace(
  client: ServerClient,
  place: TablePlace,
  sources: readonly SourceState[],
): Promise<StoreSpace> {
  const sizeOf = await readSizes(client, place);
  return { usedBytes: sources.reduce((sum, source) => sum + sizeOf(source)[0], 0), freeBytes: undefined };
}

export async function readReport(
  client: ServerClient,
  place: TablePlace,
  sources: readonly SourceState[],
): Promise<StoreReport> {
  const rows = await askEach(client, place, sources, (source) => {
    const column = tenantColumnOf(source);
    return `${COUNTS}, ${column === undefined ? "toUInt64(0)" : `countIf(${quoteName(column)} IS NULL)`} AS without`;
  });
  const sizeOf = await readSizes(client, place);
  const usedBytes = sources.reduce((sum, source) => sum + sizeOf(source)[0], 0);
  return {
    directory: undefined,
    // Of a cluster this is what one server has.
    ...(place.cluster === undefined ? { space: { usedBytes, freeBytes: undefined } } : {}),
    figureDefinitions,
    figures: { bytes: usedBytes },
    problems: sources.flatMap((source) => {
      const [, count] = sizeOf(source);
      if (count <= MAX_PARTS) return [];
      const message = `The table of ${source.name} has ${count} parts that the server has not merged: it falls behind`;
      return [{ code: "merges_behind", message, source: source.name }];
    }),
    sources: rows.map(([source, values]) => ({
      ...toStatistics(source, values),
      fieldCount: source.entries.filter(({ role }) => role === "value").length,
      ...(tenantColumnOf(source) === undefined ? {} : { tenantlessCount: Number(values[3]) }),
      mistyped: [...source.mistyped.values()],
      figures: { table_bytes: sizeOf(source)[0], parts: sizeOf(source)[1] },
    })),
  };
}
