import {
  batchType,
  bool,
  Column,
  columnFromArray,
  type DataType,
  dateDay,
  float64,
  int64,
  TimeUnit,
  tableFromColumns,
  tableToIPC,
  timestamp,
  utf8,
} from "@uwdata/flechette";
import type { AnswerFormat } from "./answer-format.ts";
import { writeInGroups } from "./batches.ts";
import { type StoredColumn, type StoredKind, toStoredColumns } from "./typed-columns.ts";

const types: Readonly<Record<StoredKind, DataType>> = {
  int64: int64(),
  float64: float64(),
  bool: bool(),
  timestamp: timestamp(TimeUnit.MICROSECOND, "UTC"),
  date: dateDay(),
  text: utf8(),
};

const dayMs = 86_400_000;
/** Continuation mark and length before a message; a length of zero ends the stream. */
const prefixBytes = 8;

/**
 * An Arrow IPC stream: a record batch for every few megabytes. Timestamps are microseconds in UTC, nested values JSON
 * text.
 */
export const arrowFormat: AnswerFormat = {
  name: "arrow",
  mediaType: "application/vnd.apache.arrow.stream",
  typeParameters: "",
  open(columns) {
    let isFirst = true;
    return writeInGroups(
      (json) => {
        const stored = toStoredColumns(columns, json);
        const table = tableFromColumns(stored.map((column) => [column.name, toColumn(column)]));
        const bytes = tableToIPC(table, { format: "stream" });
        if (bytes === null) throw new Error("Arrow was written elsewhere");
        const from = isFirst ? 0 : schemaBytes(bytes);
        isFirst = false;
        return bytes.subarray(from, bytes.length - prefixBytes);
      },
      () => Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0),
    );
  },
};

/** The first message of a stream is its schema, which has no body. */
function schemaBytes(stream: Uint8Array): number {
  return prefixBytes + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);
}

function toColumn({ kind, values }: StoredColumn): Column<unknown> {
  const type = types[kind];
  if (kind === "date") {
    const dates = values.map((days) => (typeof days === "number" ? new Date(days * dayMs) : null));
    return columnFromArray(dates, type);
  }
  if (kind !== "timestamp") return columnFromArray([...values], type, { useBigInt: true });
  // Whole microseconds: building from JavaScript's times would round them.
  const integers = columnFromArray([...values], types.int64, { useBigInt: true });
  const Batch = batchType(type, { useBigInt: true });
  return new Column(
    integers.data.map(({ length, nullCount, validity, values: micros }) => {
      return new Batch({ length, nullCount, type, validity, values: micros });
    }),
    type,
  );
}
