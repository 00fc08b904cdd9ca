import { toLabelName } from "../pipeline/line-labels.ts";

/** A label of streams, and the fields that hold its value, of which the first that has one counts. */
export interface LabelField {
  readonly name: string;
  readonly paths: readonly (readonly string[])[];
}

/** Fields that become labels, where a table has them. What senders of Loki push has its labels in `metadata.labels`. */
const wellKnown: readonly LabelField[] = [
  { name: "level", paths: [["level"], ["metadata", "level"], ["metadata", "parsed", "error_severity"]] },
  { name: "service_name", paths: [["service_name"], ["metadata", "resource", "_service_name"]] },
];

const pushed = ["metadata", "labels"];
/** The place of the fields that lines were pushed with beside their labels. */
const structured = "metadata.structured.";
/** Labels of pushed lines that a table has at most. */
const maxPushed = 50;
/** Where the nanoseconds of a pushed line are. */
const nanoseconds = ["metadata", "time_unix_nano"];
/** Shown by every line in other ways. */
const shownApart = ["timestamp", "event_message", "id", nanoseconds.join(".")];

const scalar = /^(?:STRING|INT64|FLOAT64|BOOL)$/;

interface TableField {
  readonly path: string;
  readonly type: string;
}

/** The labels of a table's streams. `constant` are the names that all its lines have a value for. */
export function findLabelFields(
  fields: readonly TableField[],
  tenantField: string | undefined,
  constant: ReadonlySet<string>,
): readonly LabelField[] {
  const scalars = fields.filter(({ type }) => scalar.test(type)).map(({ path }) => path);
  const found = new Map<string, (readonly string[])[]>();
  const add = (name: string, path: readonly string[]) => {
    if (!constant.has(name) && scalars.includes(path.join("."))) found.set(name, [...(found.get(name) ?? []), path]);
  };
  for (const path of scalars.filter((each) => each.startsWith(`${pushed.join(".")}.`)).slice(0, maxPushed)) {
    const steps = path.split(".");
    add(toLabelName(steps.slice(pushed.length).join("_")), steps);
  }
  if (tenantField !== undefined) add(metadataName(tenantField.split(".")), tenantField.split("."));
  for (const { name, paths } of wellKnown) for (const path of paths) add(name, path);
  return [...found].map(([name, paths]) => ({ name, paths }));
}

/** The name under which a field that is no label is reported. */
function metadataName(path: readonly string[]): string {
  const [first] = path;
  const isStructured = path.join(".").startsWith(structured);
  return toLabelName(path.slice(first === "metadata" && path.length > 1 ? (isStructured ? 2 : 1) : 0).join("_"));
}

/** The fields of a table that are no labels: those that its lines were pushed with, and the names of all others. */
export function findMetadata(fields: readonly TableField[], labels: readonly LabelField[]) {
  const taken = takenPaths(labels);
  const free = fields.filter(({ path }) => !taken.has(path));
  const isPushed = ({ path, type }: TableField) => path.startsWith(structured) && scalar.test(type);
  const pushedFields = free.filter(isPushed).map(({ path }): LabelField => {
    return { name: metadataName(path.split(".")), paths: [path.split(".")] };
  });
  const others = free.filter((each) => !isPushed(each));
  return { pushedFields, metadataNames: new Set(others.map(({ path }) => metadataName(path.split(".")))) };
}

/** The paths of fields that are reported as labels or in ways of their own. */
export function takenPaths(labels: readonly LabelField[]): ReadonlySet<string> {
  return new Set([...shownApart, ...labels.flatMap(({ paths }) => paths.map((path) => path.join(".")))]);
}

type Fields = Readonly<Record<string, unknown>>;

/** The value of a field; of a list of one its item, as records have it. */
function valueAt(fields: Fields, path: readonly string[]): unknown {
  let value: unknown = fields;
  for (const name of path) value = unwrapOne((value as Fields | null | undefined)?.[name]);
  return value;
}

function unwrapOne(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 && typeof value[0] === "object" ? value[0] : value;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "object")
    return JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each));
  return String(value);
}

/** The part of a table by which the labels of its events are read. */
interface LabelledTable {
  readonly constant: ReadonlyMap<string, string>;
  readonly labels: readonly LabelField[];
  readonly taken: ReadonlySet<string>;
  /** Names of metadata by dotted path, as far as they were made: lines have the same fields. */
  readonly names: Map<string, string>;
}

/** The labels of an event's stream, its other fields by their names, and those of them that it was pushed with. */
export function readLabels(fields: Fields, { constant, labels, taken, names }: LabelledTable) {
  const stream = new Map(constant);
  for (const { name, paths } of labels) {
    const value = paths.map((path) => textOf(valueAt(fields, path))).find((text) => text !== "");
    if (value !== undefined) stream.set(name, value);
  }
  const metadata = new Map<string, string>();
  const pushedWith = new Map<string, string>();
  const flatten = (value: unknown, path: string) => {
    const inner = unwrapOne(value);
    if (taken.has(path)) return;
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      for (const [name, each] of Object.entries(inner)) flatten(each, path === "" ? name : `${path}.${name}`);
      return;
    }
    const text = textOf(inner);
    if (text === "" || text === "[]") return;
    const name = names.get(path) ?? metadataName(path.split("."));
    names.set(path, name);
    if (stream.has(name) || metadata.has(name)) return;
    metadata.set(name, text);
    if (path.startsWith(structured)) pushedWith.set(name, text);
  };
  flatten(fields, "");
  return { stream, metadata, pushedWith };
}

/** Nanoseconds of an event since 1970: those that it was pushed with, where they fit to its microseconds. */
export function readNanoseconds(fields: Fields, us: bigint): bigint {
  const exact = valueAt(fields, nanoseconds);
  const isWhole = typeof exact === "bigint" || (typeof exact === "number" && Number.isSafeInteger(exact));
  if (isWhole && BigInt(exact) / 1000n === us) return BigInt(exact);
  return us * 1000n;
}
