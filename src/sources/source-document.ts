import { type Static, Type } from "typebox";
import type { ScalarKind } from "../googlesql/types.ts";
import { type Source, type SourceOrigin, sourceId } from "./source.ts";

const fieldPath = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

/** A source as its file says it. Over the API `kind` may be left out. */
export const SourceDocument = Type.Object(
  {
    name: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_.-]{0,127}$" }),
    aliases: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }))),
    kind: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    retention_days: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    fields: Type.Optional(Type.Record(Type.String(), Type.Enum(["STRING", "INT64", "FLOAT64", "BOOL"]))),
  },
  { additionalProperties: false },
);

export type SourceDocument = Static<typeof SourceDocument>;

/** Why somebody else may not have the name of a source of the service's own. */
export const ownNameProblem = "names that begin with logweir. are the service's own";

/** What is wrong with a field's path; undefined for nothing. */
export function whyNoFieldPath(path: string): string | undefined {
  return fieldPath.test(path) ? undefined : "is not a field path: letters, digits and _, parts joined with dots";
}

/** The source that a document is. */
export function toSource(document: SourceDocument, origin: SourceOrigin, usualDescription: string): Source {
  return {
    name: document.name,
    aliases: document.aliases ?? [],
    kind: document.kind,
    description: document.description ?? usualDescription,
    retentionDays: document.retention_days,
    knownFields: Object.entries(document.fields ?? {}).map(([path, kind]) => ({
      path,
      type: { kind: kind as ScalarKind },
    })),
    origin,
  };
}

/** The document that makes the same source again. */
export function toDocument(source: Source): SourceDocument {
  const { name, aliases, kind, description, retentionDays, knownFields } = source;
  return {
    name,
    aliases: [...aliases],
    kind,
    description,
    ...(retentionDays === undefined ? {} : { retention_days: retentionDays }),
    fields: Object.fromEntries(
      knownFields.map(({ path, type }) => [path, type.kind as "STRING" | "INT64" | "FLOAT64" | "BOOL"]),
    ),
  };
}

/** A source as the API shows it. */
export interface ShownSource {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: string;
  readonly description: string;
  readonly retention_days: number | null;
  /** True for what the API cannot change: it is kept in a file, or is the service's own. */
  readonly read_only: boolean;
}

export function showSource({ name, aliases, kind, description, retentionDays, origin }: Source): ShownSource {
  return {
    id: sourceId(name),
    name,
    aliases,
    kind,
    description,
    retention_days: retentionDays ?? null,
    read_only: origin?.kind !== "api",
  };
}
