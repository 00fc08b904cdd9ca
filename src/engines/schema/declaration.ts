/**
 * The part of a schema that a source's definition fixes, whatever events contain: the type of each declared field, the
 * paths of records, and the tenant's field. Paths are compared without case.
 */
import { isRecordType } from "../../googlesql/types.ts";
import type { SourceDefinition } from "../contract/query-engine.ts";
import type { ValueType } from "./schema-entry.ts";
import { valueTypeOf } from "./value-type.ts";

/** A path or a name as it is compared. Names are of ASCII letters, digits and `_`. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

export interface DeclaredField {
  /** As the definition spells it. */
  readonly path: string;
  /** `record` for a record, else the type of its values. */
  readonly type: ValueType | "record";
}

export interface Declaration {
  /** By folded path, in the definition's order; the records above a field come before it. */
  readonly fields: ReadonlyMap<string, DeclaredField>;
  /** Names of the tenant's path; undefined for a source without tenants. */
  readonly tenant: readonly string[] | undefined;
}

export const NO_DECLARATION: Declaration = { fields: new Map(), tenant: undefined };

export function createDeclaration({ knownFields, tenantField }: SourceDefinition): Declaration {
  const fields = new Map<string, DeclaredField>();
  for (const { path, type } of knownFields) {
    for (let end = path.indexOf("."); end !== -1; end = path.indexOf(".", end + 1)) {
      const record = path.slice(0, end);
      // What is above another field is a record, also where it was declared otherwise.
      if (fields.get(foldName(record))?.type !== "record")
        fields.set(foldName(record), { path: record, type: "record" });
    }
    const key = foldName(path);
    if (!fields.has(key)) fields.set(key, { path, type: isRecordType(type) ? "record" : valueTypeOf(type) });
  }
  return { fields, tenant: tenantField?.split(".") };
}
