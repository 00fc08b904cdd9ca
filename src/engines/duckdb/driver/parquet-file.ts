/** Parquet as DuckDB reads it: with every compression and type that it knows, and whatever is damaged. */
import { messageOf } from "../../../shared/message-of.ts";
import { formatIsoTimestamp } from "../../../values/iso-timestamp.ts";
import type { ParquetFile } from "../../contract/parquet-file.ts";
import { parseJson } from "../../contract/parse-json.ts";
import { EngineError, type EventValue, WideNumber } from "../../contract/query-engine.ts";
import { quoteIdentifier, quoteString } from "../sql-text.ts";
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListType,
  DuckDBListVector,
  DuckDBMapType,
  DuckDBMapVector,
  DuckDBStructType,
  DuckDBStructVector,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  type DuckDBVector,
} from "./driver.ts";
import { toEngineError } from "./driver-error.ts";

const memoryLimit = "512MB";

/** How DuckDB begins its errors. */
const errorKind = /^[A-Z]\w*(?: [A-Z]\w*)* Error: /;

/** Types that DuckDB knows by their older annotation alone, which the format asks writers for too. */
const isOverlooked = "coalesce(converted_type IS NULL AND regexp_matches(logical_type, '^(Decimal|Date)'), false)";

/** Opens a file in this process, so it is for commands only. Throws `EngineError` where it is no Parquet or damaged. */
export async function openParquetFile(path: string): Promise<ParquetFile> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: memoryLimit,
    temp_directory: "",
    // Nothing is fetched for what a file may hold.
    autoinstall_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    const file = quoteString(path.replace(/[*?[]/g, (character) => `[${character}]`));
    const read = async (sql: string) => (await connection.run(sql)).getRows();
    const schema = await read(`SELECT name, num_children, ${isOverlooked} FROM parquet_schema(${file})`);
    const facts = await read(`SELECT CAST(key AS VARCHAR), CAST(value AS VARCHAR) FROM parquet_kv_metadata(${file})`);
    const [counts] = await read(`SELECT num_rows FROM parquet_file_metadata(${file})`);
    const [overlooked] = schema.find(([, , is]) => is === true) ?? [];
    if (overlooked !== undefined) {
      throw new Error(`the type of ${JSON.stringify(overlooked)} has no converted_type, so that it would be a number`);
    }
    const [root] = schemaTree(schema.values());
    if (root === undefined) throw new Error("it has no columns");
    refuseDoubles(root);
    return {
      columns: root.children.map(({ name }) => name),
      facts: new Map(facts.map(([key, value]) => [String(key), String(value)])),
      rows: (columns) => readRows(connection, `read_parquet(${file}, hive_partitioning = false)`, columns, counts?.[0]),
      close: () => instance.closeSync(),
    };
  } catch (error) {
    instance.closeSync();
    throw readingError(error);
  }
}

function readingError(error: unknown): unknown {
  const known = toEngineError(error);
  if (known.code === "memory_exceeded") {
    const text = `its row groups need more than ${memoryLimit} of memory: write it with smaller ones`;
    return new EngineError("memory_exceeded", text, { cause: error });
  }
  const [line = ""] = messageOf(error).split("\n");
  return new EngineError("damaged", line.replace(errorKind, ""), { cause: error });
}

interface SchemaNode {
  readonly name: string;
  readonly children: readonly SchemaNode[];
}

/** The next elements, each of which is followed by those below it. */
function schemaTree(elements: Iterator<readonly DuckDBValue[]>, count = 1): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [];
  while (nodes.length < count) {
    const { value, done } = elements.next();
    if (done === true) break;
    const [name, childCount] = value;
    nodes.push({ name: String(name), children: schemaTree(elements, Number(childCount ?? 0)) });
  }
  return nodes;
}

/** DuckDB, for which case is nothing, would give the second of two columns another name. */
function refuseDoubles({ children }: SchemaNode): void {
  const names = new Set<string>();
  for (const { name } of children) {
    if (names.has(name.toLowerCase())) throw new Error(`it has two columns named ${JSON.stringify(name)}`);
    names.add(name.toLowerCase());
  }
  for (const child of children) refuseDoubles(child);
}

async function* readRows(
  connection: DuckDBConnection,
  file: string,
  columns: readonly string[],
  rowCount: DuckDBValue | undefined,
): AsyncGenerator<readonly (EventValue | null)[]> {
  let count = 0n;
  try {
    const names = columns.map(quoteIdentifier);
    const described = await connection.run(`SELECT ${names.join(", ")} FROM ${file} LIMIT 0`);
    // The driver reads a VARIANT only in part.
    const selected = names.map((name, index) =>
      described.columnTypeId(index) === DuckDBTypeId.VARIANT ? `CAST(${name} AS JSON)` : name,
    );
    const result = await connection.stream(`SELECT ${selected.join(", ")} FROM ${file}`);
    const types = result.columnTypes();
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const read = types.map((type, index) => {
        const vector = chunk.getColumnVector(index);
        return (row: number) => readItem(vector, type, row);
      });
      for (let row = 0; row < chunk.rowCount; row++, count++) yield read.map((each) => each(row));
    }
  } catch (error) {
    throw readingError(error);
  }
  if (count !== rowCount) throw new EngineError("damaged", "its parts do not have the rows that it declares");
}

/** The item of a vector. The driver's own objects lose a part that is named `__proto__`, and vectors lose aliases. */
function readItem(vector: DuckDBVector, type: DuckDBType, row: number): EventValue | null {
  if (vector instanceof DuckDBStructVector && type instanceof DuckDBStructType) {
    if (!vector.isItemValid(row)) return null;
    const { entryNames, entryTypes } = type;
    return objectOf(
      entryTypes.map((part, index) => [entryNames[index] ?? "", readItem(vector.entryVectorAt(index), part, row)]),
    );
  }
  if (vector instanceof DuckDBMapVector && type instanceof DuckDBMapType) {
    const items = entriesOf(vector).getItemVector(row);
    if (!(items instanceof DuckDBStructVector)) return null;
    const [keys, values] = [items.entryVectorAt(0), items.entryVectorAt(1)];
    const { keyType, valueType } = type;
    return objectOf(
      rowsOf(items, (index) => [String(readItem(keys, keyType, index)), readItem(values, valueType, index)]),
    );
  }
  if (vector instanceof DuckDBListVector && type instanceof DuckDBListType) {
    const items = vector.getItemVector(row);
    return items === null ? null : (rowsOf(items, (index) => readItem(items, type.valueType, index)) as EventValue);
  }
  return leafValue(vector.getItem(row), type);
}

/** The driver has no name for it. */
function entriesOf(vector: DuckDBMapVector): DuckDBListVector {
  return (vector as unknown as { readonly listVector: DuckDBListVector }).listVector;
}

function rowsOf<T>({ itemCount }: DuckDBVector, read: (row: number) => T): T[] {
  return Array.from({ length: itemCount }, (_, row) => read(row));
}

function objectOf(entries: readonly (readonly [string, EventValue | null])[]): EventValue {
  return Object.fromEntries(entries) as EventValue;
}

function leafValue(value: DuckDBValue, type: DuckDBType): EventValue | null {
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "string") return type.alias === "JSON" ? (parseJson(value) as EventValue | null) : value;
  if (value instanceof DuckDBDecimalValue) return value.scale === 0 ? value.value : new WideNumber(value.toString());
  if (value instanceof DuckDBBlobValue) return textOf(value.bytes);
  if (value instanceof DuckDBDateValue)
    return formatIsoTimestamp(BigInt(value.days) * 86_400_000_000n).replace(/T.*/, "");
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) {
    return formatIsoTimestamp(value.micros);
  }
  if (value instanceof DuckDBTimestampNanosecondsValue)
    return formatIsoTimestamp(BigInt.asIntN(64, value.nanos / 1000n));
  return String(value);
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes without a type are text in older files; those that are none, in base64. */
function textOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("base64");
  }
}
