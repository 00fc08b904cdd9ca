/**
 * Places in the JSON text of a record. Names that differ by case are one field, of which an object has one spelling:
 * a step goes to all of those that the field has, and in a record with fields that are not listed to any.
 */

import { exactField } from "../../../../googlesql/record-fields.ts";
import { type RecordField, type RecordType, recordIn, type SqlType } from "../../../../googlesql/types.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { nameSql, textSql, variableSql } from "../../sql/atoms.ts";
import { lambda } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";

export { isRecordType } from "../../../../googlesql/types.ts";

/** 0: the first element of an array; else the member with one of the names, or with this name in any case. */
export type JsonStep = 0 | readonly string[] | { readonly anyCase: string };

/** A text that holds a value, and the way to the value in it. */
export interface JsonPlace {
  readonly text: Sql;
  readonly steps: readonly JsonStep[];
}

/** More ways than these are not tried one by one. */
const MAX_POINTERS = 8;

function fieldStep(record: RecordType | undefined, name: string): JsonStep {
  if (record?.isOpen === true) return { anyCase: name };
  const names = fieldOf(record, name)?.names ?? [name];
  return names.length > MAX_POINTERS ? { anyCase: name } : names;
}

/** The way from a value of the type to the field at `path`. */
export function fieldSteps(type: SqlType, path: readonly string[]): readonly JsonStep[] {
  const steps: JsonStep[] = type.kind === "RECORD" ? [] : [0];
  let record = recordIn(type);
  path.forEach((name, index) => {
    if (index > 0) steps.push(0);
    steps.push(fieldStep(record, name));
    const inner = fieldOf(record, name)?.type;
    record = inner === undefined ? undefined : recordIn(inner);
  });
  return steps;
}

/** The field at `path` of a value of the type; undefined where it is not listed. */
export function fieldAt(type: SqlType, path: readonly string[]): RecordField | undefined {
  let field: RecordField | undefined;
  let record = recordIn(type);
  for (const name of path) {
    field = fieldOf(record, name);
    record = field === undefined ? undefined : recordIn(field.type);
  }
  return field;
}

function fieldOf(record: RecordType | undefined, name: string): RecordField | undefined {
  return record === undefined ? undefined : exactField(record, name);
}

function pointerStep(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

type Reader = "json_extract" | "json_extract_string";

function readPointers(text: Sql, pointers: readonly string[], reader: Reader): Sql {
  const [only = EMPTY, ...others] = pointers.map(textSql);
  if (others.length === 0) return sql`${nameSql(reader)}(${text}, ${only})`;
  return sql`list_any_value(${nameSql(reader)}(${text}, [${joinSql([only, ...others], ", ")}]))`;
}

/** The member that has the name in any case. Names of fields are of letters, digits and `_`. */
function readAnyCase(text: Sql, name: string, reader: Reader): Sql {
  return computeOnce([text], "member", (v) => {
    const matches = lambda(variableSql("lw_key"), sql`lower(lw_key) = ${textSql(name.toLowerCase())}`);
    return sql`${nameSql(reader)}(${v}, '/' || list_any_value(list_filter(json_keys(${v}), ${matches})))`;
  });
}

/** The value at the place: as JSON, or as the content of a string and the JSON text of anything else. */
export function readPlace({ text, steps }: JsonPlace, reader: Reader): Sql {
  let value = text;
  let pointers = [""];
  const isPending = () => pointers[0] !== "";
  steps.forEach((step, index) => {
    if (step === 0 || Array.isArray(step)) {
      const ends = step === 0 ? ["/0"] : (step as readonly string[]).map(pointerStep);
      if (pointers.length * ends.length > MAX_POINTERS) {
        value = readPointers(value, pointers, "json_extract");
        pointers = [""];
      }
      pointers = pointers.flatMap((pointer) => ends.map((end) => pointer + end));
      return;
    }
    if (isPending()) value = readPointers(value, pointers, "json_extract");
    pointers = [""];
    const { anyCase } = step as { readonly anyCase: string };
    value = readAnyCase(value, anyCase, index === steps.length - 1 ? reader : "json_extract");
  });
  const isRead = steps.length > 0 && !isPending();
  return isRead ? value : readPointers(value, pointers, reader);
}
