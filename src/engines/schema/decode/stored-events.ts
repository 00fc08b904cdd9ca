/** `StoredEvents` over an engine's statements. */
import { EngineError } from "../../contract/errors.ts";
import type { LogEvent } from "../../contract/event-store.ts";
import type { EventSearch, FindEvents, StoredEvents, TimeRange, TimeSlice } from "../../contract/stored-events.ts";
import { tenantColumnOf } from "../source/source-schema.ts";
import type { SourceState } from "../source/source-state.ts";
import { createStoredRows, type StoredCells, type StoredColumn } from "./stored-rows.ts";

/** Which rows are read: all of a range, or those that are looked for. */
export interface RowSelection extends Partial<EventSearch> {
  /** Distinguishes tenants; where it is missing, rows of all tenants are read. */
  readonly tenantColumn?: string | undefined;
}

/** The tables that an engine needs in order to be read. */
export interface StoredTables {
  /** Throws `unknown_source`. */
  stateOf(sourceName: string): SourceState;
  /** Resolves when the states are no older than this call. */
  refresh(): Promise<void>;
  /** Rows of start (in microseconds), count and fingerprint, in the order of starts. */
  slices(table: string, selection: RowSelection, widthUs: bigint, signal: AbortSignal): Promise<readonly StoredCells[]>;
  /** Rows of the fixed columns and these. The statement sees the state at the time of its first rows. */
  rows(
    table: string,
    columns: readonly StoredColumn[],
    selection: RowSelection,
    signal: AbortSignal,
  ): AsyncIterable<readonly StoredCells[]>;
}

/** Reads the events of an engine's tables. */
export function createStoredEvents(tables: StoredTables): {
  readonly storedEvents: StoredEvents;
  readonly findEvents: FindEvents;
} {
  const storedEvents: StoredEvents = {
    async slices(sourceName, range, widthUs, signal, tenant) {
      // Of a tenant's field that came with another service's events nothing would be known.
      if (tenant !== undefined) await tables.refresh();
      const state = tables.stateOf(sourceName);
      const selection = { ...selectionOf(range, tenant), tenantColumn: tenantColumnOf(state) };
      if (isWithoutTenants(selection)) return [];
      const rows = await tables.slices(state.table, selection, widthUs, signal);
      checkWhole(signal);
      return rows.map(([start, count, fingerprint]): TimeSlice => {
        return {
          startUs: BigInt(start as string | number),
          eventCount: Number(count),
          fingerprint: String(fingerprint),
        };
      });
    },
    read: (sourceName, range, signal, tenant) => readAll(tables, sourceName, selectionOf(range, tenant), signal),
  };
  return { storedEvents, findEvents: (...search) => readAll(tables, ...search) };
}

function selectionOf(range: TimeRange, tenant: string | undefined): RowSelection {
  return tenant === undefined ? { range } : { range, tenants: [tenant] };
}

/** As long as no event has carried the tenant's field, all are without tenant. */
function isWithoutTenants({ tenantColumn, tenants }: RowSelection): boolean {
  return tenantColumn === undefined && tenants?.includes(null) === false;
}

async function* readAll(
  tables: StoredTables,
  sourceName: string,
  selection: RowSelection,
  signal: AbortSignal,
): AsyncGenerator<readonly LogEvent[], void, void> {
  for (;;) {
    const isWhole = yield* readWith(tables, sourceName, selection, signal);
    if (isWhole) return;
  }
}

/**
 * The events with the columns that are known now; false, before any of them, where others have come since: what the
 * statement sees may have values in those.
 */
async function* readWith(
  tables: StoredTables,
  sourceName: string,
  selection: RowSelection,
  signal: AbortSignal,
): AsyncGenerator<readonly LogEvent[], boolean, void> {
  await tables.refresh();
  const state = tables.stateOf(sourceName);
  const { table, entries } = state;
  const entryCount = entries.length;
  const { columns, toEvent } = createStoredRows(state);
  const all = { ...selection, tenantColumn: tenantColumnOf(state) };
  if (isWithoutTenants(all)) return true;
  const isSame = async () => {
    await tables.refresh();
    const now = tables.stateOf(sourceName);
    return now === state && now.table === table && now.entries.length === entryCount;
  };
  let isBegun = false;
  for await (const batch of tables.rows(table, columns, all, signal)) {
    if (!isBegun && !(await isSame())) return false;
    isBegun = true;
    if (batch.length > 0) yield batch.map(toEvent);
  }
  checkWhole(signal);
  // The table of a source that was dropped meanwhile is empty, which says nothing of what was asked for.
  return isBegun || isSame();
}

/** Rows that end because the reader was aborted must not look complete. */
function checkWhole(signal: AbortSignal): void {
  if (signal.aborted) throw new EngineError("aborted", "The caller is gone");
}
