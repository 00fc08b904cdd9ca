import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { OutputColumn } from "../../engines/contract/query-engine.ts";
import type { AnswerFormat, AnswerWriter } from "./answer-format.ts";
import { writeInGroups } from "./batches.ts";
import { type StoredKind, storedKindOf, toStoredColumns } from "./typed-columns.ts";

const elements: Readonly<Record<StoredKind, Omit<SchemaElement, "name">>> = {
  int64: { type: "INT64" },
  float64: { type: "DOUBLE" },
  bool: { type: "BOOLEAN" },
  timestamp: { type: "INT64", converted_type: "TIMESTAMP_MICROS" },
  date: { type: "INT32", converted_type: "DATE" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
};

/** A fact about a file, in its footer. */
export interface ParquetFact {
  readonly key: string;
  readonly value: string;
}

/**
 * Apache Parquet: a row group for every few megabytes, Snappy. Timestamps are microseconds in UTC, nested values JSON
 * text.
 */
export const parquetFormat: AnswerFormat = {
  name: "parquet",
  mediaType: "application/vnd.apache.parquet",
  typeParameters: "",
  isCompressed: true,
  open: (columns) => openParquet(columns),
};

/** Opens a file; `describe` is asked for facts once all rows are written. */
export function openParquet(
  columns: readonly OutputColumn[],
  describe: () => readonly ParquetFact[] = () => [],
): AnswerWriter {
  const bytes = new ByteWriter();
  const facts: ParquetFact[] = [];
  const schema: SchemaElement[] = columns.map(({ name, type }) => {
    return { name, repetition_type: "OPTIONAL", ...elements[storedKindOf(type)] };
  });
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "root", num_children: columns.length }, ...schema],
    createdBy: "logweir",
    kvMetadata: facts,
  });
  const take = () => {
    const taken = bytes.getBytes().slice();
    // Offsets in the file go on; only the buffer starts over.
    bytes.index = 0;
    return taken;
  };
  return writeInGroups(
    (json) => {
      const stored = toStoredColumns(columns, json);
      const rows = stored[0]?.values.length ?? 0;
      if (rows > 0) {
        const columnData = stored.map(({ name, values }) => ({ name, data: values }));
        void writer.write({ columnData, rowGroupSize: rows });
      }
      return take();
    },
    () => {
      facts.push(...describe());
      void writer.finish();
      return take();
    },
  );
}
