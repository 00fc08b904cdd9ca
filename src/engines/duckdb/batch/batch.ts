/**
 * A batch of rows on its way from the service to the engine host: values by column, in one buffer. Text crosses as
 * UTF-8, so that neither side builds or parses JSON for it.
 *
 * Layout, little-endian: for each column of the header, in its order: when it lacks rows, u32 row numbers (`count` of
 * them); then its values: f64 (FLOAT64), i64 (INT64, TIMESTAMP), u8 (BOOL); others are text: u32 bytes of all of it,
 * u32 lengths in bytes, then all texts joined. Text is not decoded on its way into the database. `batch-reader.ts`
 * reads it.
 */
import type { LogEvent } from "../../contract/query-engine.ts";
import { ByteColumn, type ByteKind } from "../../schema/encode/byte-column.ts";
import type { ByteSink } from "../../schema/encode/row-sink.ts";
import type { ValueType } from "../../schema/schema-entry.ts";

/** Arrays cross as their JSON text. RUN is the store's own column, which no batch fills. */
export type BatchType = ValueType | "TIMESTAMP" | "RUN";
export type BatchValue = string | number | bigint | boolean;

interface BatchColumn {
  readonly column: string;
  readonly type: BatchType;
  /** Values in this column; fewer than the rows of the batch when some rows have none. */
  readonly count: number;
}

export interface BatchHeader {
  readonly rowCount: number;
  readonly columns: readonly BatchColumn[];
  /** Rows whose id the sender chose, so that it can be a repeat. */
  readonly ownIdRows: "all" | readonly number[];
}

export interface EncodedBatch {
  readonly header: BatchHeader;
  readonly payload: Buffer;
}

/**
 * A text that UTF-8 can hold, in one piece: half a surrogate pair cannot be held, and the pieces that a text was put
 * together from would be written one by one.
 */
function ownText(text: string): string {
  // Looking at a character joins the pieces.
  const isEmpty = Number.isNaN(text.charCodeAt(0));
  return isEmpty || text.isWellFormed() ? text : text.toWellFormed();
}

function kindOf(type: BatchType): ByteKind {
  switch (type) {
    case "FLOAT64":
    case "WIDE":
      return "float64";
    case "INT64":
    case "TIMESTAMP":
      return "int64";
    case "BOOL":
      return "bool";
    default:
      return "text";
  }
}

interface BuiltColumn {
  readonly name: string;
  readonly type: BatchType;
  readonly values: ByteColumn;
}

/** Gathers rows; values of one row may be put in any order, rows come one after the other. */
export class BatchBuilder implements ByteSink {
  readonly #columns = new Map<string, BuiltColumn>();
  readonly #ids = this.#addColumn("id", "STRING");
  readonly #timestamps = this.#addColumn("timestamp", "TIMESTAMP");
  readonly #messages = this.#addColumn("event_message", "STRING");
  #ownIdRows: number[] = [];
  #rowCount = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  addRow(event: LogEvent): number {
    const row = this.beginRow();
    if (!event.hasGeneratedId) this.noteOwnId();
    this.#putText(this.#ids, row, event.id);
    this.#timestamps.begin(row);
    this.#timestamps.writeInt(event.timestampUs);
    this.#timestamps.end();
    if (event.eventMessage !== null) this.#putText(this.#messages, row, event.eventMessage);
    return row;
  }

  beginRow(): number {
    return this.#rowCount++;
  }

  noteOwnId(): void {
    this.#ownIdRows.push(this.#rowCount - 1);
  }

  /** Notes all ids from the row on, those too that were made here. */
  noteIdsFrom(row: number): void {
    this.#ownIdRows = this.#ownIdRows.filter((own) => own < row);
    for (let each = row; each < this.#rowCount; each++) this.#ownIdRows.push(each);
  }

  undoRow(): void {
    const row = --this.#rowCount;
    for (const { values } of this.#columns.values()) values.undo(row);
    if (this.#ownIdRows.at(-1) === row) this.#ownIdRows.pop();
  }

  column(name: string, type: BatchType): ByteColumn {
    return this.#columns.get(name)?.values ?? this.#addColumn(name, type);
  }

  put(row: number, name: string, type: BatchType, value: BatchValue): void {
    const column = this.column(name, type);
    // Of two values for one place the first counts: a column with more values than rows would be read as another.
    if (!column.begin(row)) return;
    switch (column.kind) {
      case "text":
        column.write(ownText(String(value)));
        break;
      case "int64":
        column.writeInt(value as number | bigint);
        break;
      case "float64":
        column.writeFloat(Number(value));
        break;
      case "bool":
        column.push(value === true ? 1 : 0);
    }
    column.end();
  }

  /** The rows so far, after which it has none. */
  encode(): EncodedBatch {
    const rowCount = this.#rowCount;
    const built = [...this.#columns.values()].filter(({ values }) => values.count > 0);
    const size = built.reduce((sum, { values }) => sum + encodedBytes(values, rowCount), 0);
    const payload = Buffer.allocUnsafe(size);
    let offset = 0;
    const columns = built.map(({ name, type, values }): BatchColumn => {
      offset = writeColumn(payload, values, rowCount, offset);
      return { column: name, type, count: values.count };
    });
    const ownIdRows = this.#ownIdRows.length === rowCount ? "all" : this.#ownIdRows;
    this.clear();
    return { header: { rowCount, columns, ownIdRows }, payload };
  }

  /** Forgets all rows; their memory stays for the next ones. */
  clear(): void {
    for (const { values } of this.#columns.values()) values.clear();
    this.#ownIdRows = [];
    this.#rowCount = 0;
  }

  /** The memory that it takes. */
  get capacity(): number {
    let sum = 0;
    for (const { values } of this.#columns.values()) sum += values.capacity;
    return sum;
  }

  #putText(column: ByteColumn, row: number, text: string): void {
    column.begin(row);
    column.write(ownText(text));
    column.end();
  }

  #addColumn(name: string, type: BatchType): ByteColumn {
    const values = new ByteColumn(kindOf(type));
    this.#columns.set(name, { name, type, values });
    return values;
  }
}

function encodedBytes({ kind, used, count }: ByteColumn, rowCount: number): number {
  return used + (count < rowCount ? 4 * count : 0) + (kind === "text" ? 4 + 4 * count : 0);
}

function writeColumn(payload: Buffer, values: ByteColumn, rowCount: number, start: number): number {
  const { kind, used, count, rows, lengths } = values;
  let offset = start;
  if (count < rowCount) offset = writeNumbers(payload, rows, count, offset);
  if (kind === "text") {
    payload.writeUInt32LE(used, offset);
    offset = writeNumbers(payload, lengths, count, offset + 4);
  }
  payload.set(values.bytes.subarray(0, used), offset);
  return offset + used;
}

function writeNumbers(payload: Buffer, numbers: Uint32Array, count: number, offset: number): number {
  payload.set(new Uint8Array(numbers.buffer, 0, 4 * count), offset);
  return offset + 4 * count;
}

/** The batch, with every id of it looked up in the table. */
export function withOwnIds({ header, payload }: EncodedBatch): EncodedBatch {
  return { header: { ...header, ownIdRows: "all" }, payload };
}
