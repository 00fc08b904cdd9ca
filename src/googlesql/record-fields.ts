/** Fields of records and structs by name: they may have thousands, and a star asks for each of them. */
import type { RecordField, RecordType, StructType } from "./types.ts";

interface Names {
  readonly exact: ReadonlyMap<string, RecordField>;
  /** By the name in lower case; the first of those that differ by case. */
  readonly folded: ReadonlyMap<string, RecordField>;
}

const known = new WeakMap<RecordType, Names>();

function namesOf(record: RecordType): Names {
  let names = known.get(record);
  if (names === undefined) {
    // Of several with one name the first is found, so it is set last.
    const fields = [...record.fields].reverse();
    names = {
      exact: new Map(fields.map((field) => [field.name, field])),
      folded: new Map(fields.map((field) => [field.name.toLowerCase(), field])),
    };
    known.set(record, names);
  }
  return names;
}

/** The field of exactly that name. */
export function exactField(record: RecordType, name: string): RecordField | undefined {
  return namesOf(record).exact.get(name);
}

/** The field of that name, else the first that has it in another case. */
export function fieldNamed(record: RecordType, name: string): RecordField | undefined {
  const { exact, folded } = namesOf(record);
  return exact.get(name) ?? folded.get(name.toLowerCase());
}

const positions = new WeakMap<StructType, ReadonlyMap<string, readonly number[]>>();

/** The positions of the struct's fields of that name, in any case. */
export function structFieldsNamed(struct: StructType, name: string): readonly number[] {
  let named = positions.get(struct);
  if (named === undefined) {
    named = positionsByName(struct.fields);
    positions.set(struct, named);
  }
  return named.get(name.toLowerCase()) ?? [];
}

/** The positions of named items by their names in lower case. */
export function positionsByName(
  items: readonly { readonly name?: string | undefined }[],
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  items.forEach(({ name }, position) => {
    if (name === undefined) return;
    const key = name.toLowerCase();
    const known = found.get(key);
    if (known === undefined) found.set(key, [position]);
    else known.push(position);
  });
  return found;
}
