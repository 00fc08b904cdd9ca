/**
 * Rows of a source's table as the events that they were made of: the inverse of `../encode/event-walk.ts`. A top-level
 * field is in the JSON column of its own, in that of the rest, or in the column of its type, and the first of these
 * that has it has it as it was sent.
 */
import type { SqlType } from "../../../googlesql/types.ts";
import type { EventValue, LogEvent } from "../../contract/event-store.ts";
import { tenantOf } from "../../contract/event-tenant.ts";
import { parseJson } from "../../contract/parse-json.ts";
import { foldName } from "../declaration.ts";
import { hasEntry } from "../entry-set.ts";
import { type EventObject, holdsObject, isObject } from "../json-text.ts";
import type { SourceState } from "../source/source-state.ts";
import { isScalar, sqlTypeOf, type ValueType } from "../value-type.ts";

/** A column that has to be read, after `id`, `timestamp` (in microseconds) and `event_message`. */
export interface StoredColumn {
  readonly name: string;
  readonly type: SqlType;
}

/**
 * A row's cells as JSON has them, in the order of the columns; integers of 64 bits may come as texts. A missing value
 * is null, or an empty array.
 */
export type StoredCells = readonly unknown[];

/** How the rows of a source are read; valid until the source's schema grows. */
export interface StoredRows {
  readonly columns: readonly StoredColumn[];
  toEvent(cells: StoredCells): LogEvent;
}

interface FieldColumn extends StoredColumn {
  /** `json`: a record's text, or that of the rest, whose name is empty. */
  readonly holds: ValueType | "json";
  /** Spellings of the field that events had, with the entry of each. */
  readonly names: { readonly name: string; readonly entry: number }[];
}

const STRING: SqlType = sqlTypeOf("STRING");

/** Records and the rest first: a column repeats what they have. */
const RANK = (column: FieldColumn) => (column.holds === "json" ? 0 : 1);

function fieldColumns({ entries }: SourceState): readonly FieldColumn[] {
  const columns = new Map<string, FieldColumn>();
  for (const [entry, each] of entries.entries()) {
    const isField = (each.role === "value" && each.column !== null) || each.role === "json";
    if (!isField || each.path.includes(".")) continue;
    const name = each.column ?? "";
    const holds = each.role === "json" ? "json" : each.type;
    const type = each.role === "json" ? STRING : sqlTypeOf(each.type);
    const column = columns.get(name) ?? { name, type, holds, names: [] };
    columns.set(name, column);
    column.names.push({ name: each.path, entry });
  }
  return [...columns.values()].sort((a, b) => RANK(a) - RANK(b));
}

/** Spellings of top-level record fields have entries of their own: the JSON column has that of one of them only. */
function addSpellings(columns: readonly FieldColumn[], { entries }: SourceState): void {
  const records = new Map(
    columns.filter(({ holds }) => holds === "json").map((each) => [foldName(spelled(each)), each]),
  );
  for (const [entry, each] of entries.entries()) {
    if (each.role !== "record" || each.path.includes(".")) continue;
    records.get(foldName(each.path))?.names.push({ name: each.path, entry });
  }
}

function spelled({ names }: FieldColumn): string {
  return names[0]?.name ?? "";
}

/** The value that a record's text holds: there every object is an array of one. */
function fromRecord(value: EventValue): EventValue {
  if (isScalar(value) || !Array.isArray(value)) return value;
  const items = value as readonly EventValue[];
  // An array without an object is written unchanged.
  if (!holdsObject(items)) return items;
  const [only] = items;
  if (items.length === 1 && only !== undefined && isObject(only)) return fromObject(only);
  return items.map((item) => (isObject(item) ? fromObject(item) : item));
}

function fromObject(object: EventObject): EventObject {
  const fields: Record<string, EventValue> = Object.create(null) as Record<string, EventValue>;
  for (const name of Object.keys(object)) fields[name] = fromRecord(object[name] ?? "");
  return fields;
}

function toInteger(cell: unknown): number | bigint {
  const integer = BigInt(cell as string | number);
  return integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER ? Number(integer) : integer;
}

/** The value of a column of its type; undefined where the row has none. */
function fromColumn(type: ValueType, cell: unknown): EventValue | undefined {
  if (cell === null || (Array.isArray(cell) && cell.length === 0)) return undefined;
  if (type === "INT64") return toInteger(cell);
  if (type === "INT64[]") return (cell as readonly unknown[]).map(toInteger);
  return cell as EventValue;
}

/** How the rows of a source are read with the schema that it has now. */
export function createStoredRows(state: SourceState): StoredRows {
  const columns = fieldColumns(state);
  addSpellings(columns, state);
  const isSpelledOneWay = columns.every(({ names }) => new Set(names.map(({ name }) => name)).size === 1);
  const tenantPath = state.rules?.tenantField?.split(".");
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    toEvent([id, timestamp, message, ...cells]) {
      let fields = readFields(columns, cells, spelled);
      if (!isSpelledOneWay) {
        const nameOf = spellingsOf(state, tenantOf(tenantPath, fields));
        fields = readFields(columns, cells, nameOf);
      }
      return {
        id: String(id),
        hasGeneratedId: false,
        timestampUs: BigInt(timestamp as string | number),
        eventMessage: message === null || message === undefined ? null : String(message),
        fields,
      };
    },
  };
}

function readFields(
  columns: readonly FieldColumn[],
  cells: StoredCells,
  nameOf: (column: FieldColumn) => string,
): EventObject {
  const found = new Map<string, readonly [name: string, value: EventValue]>();
  const put = (name: string, value: EventValue) => {
    if (!found.has(foldName(name))) found.set(foldName(name), [name, value]);
  };
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? null;
    if (column.holds !== "json") {
      const value = fromColumn(column.holds, cell);
      if (value !== undefined) put(nameOf(column), value);
    } else if (cell !== null) {
      const value = fromRecord(parseJson(String(cell)) as EventValue);
      if (spelled(column) !== "") put(nameOf(column), value);
      else for (const [name, each] of Object.entries(value)) put(name, each as EventValue);
    }
  }
  // The order of top-level fields is not stored; sorted by name, it is the same in every store.
  const fields = Object.create(null) as Record<string, EventValue>;
  for (const [name, value] of [...found.values()].sort(([a], [b]) => (a < b ? -1 : 1))) fields[name] = value;
  return fields;
}

/** A field's name as the tenant's view shows it: as declared, else the first of those that its events had. */
function spellingsOf(state: SourceState, tenant: string | null): (column: FieldColumn) => string {
  const carried = state.rules?.tenantField == null ? undefined : state.tenants.get(tenant).entries;
  const declared = new Map(
    (state.rules?.fields ?? []).map(([path]) => {
      const [name = path] = path.split(".");
      return [foldName(name), name] as const;
    }),
  );
  return (column) => {
    const names = column.names.map(({ name }) => name);
    const own = carried === undefined ? [] : column.names.filter(({ entry }) => hasEntry(carried, entry));
    const [first = spelled(column)] = (own.length > 0 ? own.map(({ name }) => name) : names).sort();
    return declared.get(foldName(first)) ?? first;
  };
}
