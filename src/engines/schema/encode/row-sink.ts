import type { LogEvent } from "../../contract/query-engine.ts";
import type { ValueType } from "../schema-entry.ts";

/** Takes rows, one after the other, and the values of each in any order. */
export interface RowSink {
  /** Begins a row with the event's fixed columns and answers its number. */
  addRow(event: LogEvent): number;
  /** Arrays come as their JSON text. Of two values for one place the first counts. */
  put(row: number, column: string, type: ValueType, value: string | number | bigint | boolean): void;
}
