import type { LogEvent } from "../../contract/query-engine.ts";
import type { ValueType } from "../schema-entry.ts";
import type { ByteColumn } from "./byte-column.ts";

/** Takes rows, one after the other, and the values of each in any order. */
export interface RowSink {
  /** Begins a row with the event's fixed columns and answers its number. */
  addRow(event: LogEvent): number;
  /** Arrays come as their JSON text. Of two values for one place the first counts. */
  put(row: number, column: string, type: ValueType, value: string | number | bigint | boolean): void;
}

/** Takes the values of rows as bytes too. */
export interface ByteSink extends RowSink {
  /** Begins a row without values and answers its number. */
  beginRow(): number;
  /** Notes that the last row's id was chosen by its sender. */
  noteOwnId(): void;
  /** Takes the last row back, with its values. */
  undoRow(): void;
  /** The column of the name; `id`, `timestamp` and `event_message` among them. It holds the last row's value. */
  column(name: string, type: ValueType | "TIMESTAMP"): ByteColumn;
}
