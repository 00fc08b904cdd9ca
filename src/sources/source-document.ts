import { type Static, Type } from "typebox";
import type { ScalarKind } from "../googlesql/types.ts";
import { type RetentionDays, type Source, type SourceOrigin, sourceId } from "./source.ts";

const fixedFields: ReadonlySet<string> = new Set(["id", "timestamp", "event_message"]);
const fieldPath = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

const days = Type.Number({ exclusiveMinimum: 0 });

const daysByTenant = Type.Object(
  { default: Type.Optional(days), tenants: Type.Optional(Type.Record(Type.String(), days)) },
  { additionalProperties: false, minProperties: 1 },
);

/** How long events are kept, in days; for ever where it is null. */
export const RetentionOrNull = Type.Union([days, daysByTenant, Type.Null()]);

/** A source as its file says it. Over the API `kind` may be left out. */
export const SourceDocument = Type.Object(
  {
    name: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_.-]{0,127}$" }),
    aliases: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }))),
    kind: Type.String({ minLength: 1, maxLength: 128 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    tenant: Type.Optional(Type.String()),
    retention_days: Type.Optional(Type.Union([days, daysByTenant])),
    fields: Type.Optional(Type.Record(Type.String(), Type.Enum(["STRING", "INT64", "FLOAT64", "BOOL"]))),
  },
  { additionalProperties: false },
);

export type SourceDocument = Static<typeof SourceDocument>;

/** Why a name that is reserved for the service cannot be used. */
export const ownNameProblem = "names that begin with logweir. are the service's own";

/** The problem of a field's path; undefined for none. */
export function whyNoFieldPath(path: string): string | undefined {
  return fieldPath.test(path) ? undefined : "is not a field path: letters, digits and _, parts joined with dots";
}

/** The problem of the tenant field named by a document; undefined for none. */
export function whyNoTenantField({ tenant, fields = {} }: SourceDocument): string | undefined {
  if (tenant === undefined) return undefined;
  if (fixedFields.has(tenant.toLowerCase()))
    return `${tenant} is a field of every event; name one that tells tenants apart`;
  const path = whyNoFieldPath(tenant);
  if (path !== undefined) return `${tenant} ${path}`;
  const type = fields[tenant] ?? "STRING";
  if (type !== "STRING") return `${tenant} is declared ${type}; a tenant is a STRING`;
  const related = Object.keys(fields).find((other) => other.startsWith(`${tenant}.`) || tenant.startsWith(`${other}.`));
  return related === undefined ? undefined : `${tenant} cannot be a text beside the field ${related}`;
}

/** The problem of a document's retention; undefined for none. */
export function whyNoRetention({ tenant, retention_days: retention }: SourceDocument): string | undefined {
  if (typeof retention !== "object" || retention.tenants === undefined || tenant !== undefined) return undefined;
  return "names tenants, and the source has none: add tenant, the field that tells them apart";
}

/** The declared fields, with the tenant's. */
function fieldsOf({ tenant, fields = {} }: SourceDocument): NonNullable<SourceDocument["fields"]> {
  return tenant === undefined || tenant in fields ? fields : { [tenant]: "STRING", ...fields };
}

/** The source defined by a document. */
export function toSource(document: SourceDocument, origin: SourceOrigin, usualDescription: string): Source {
  return {
    name: document.name,
    aliases: document.aliases ?? [],
    kind: document.kind,
    description: document.description ?? usualDescription,
    retentionDays: document.retention_days,
    knownFields: Object.entries(fieldsOf(document)).map(([path, kind]) => ({
      path,
      type: { kind: kind as ScalarKind },
    })),
    ...(document.tenant === undefined ? {} : { tenantField: document.tenant }),
    origin,
  };
}

/** The document that defines the same source. */
export function toDocument(source: Source): SourceDocument {
  const { name, aliases, kind, description, retentionDays, knownFields, tenantField } = source;
  return {
    name,
    aliases: [...aliases],
    kind,
    description,
    ...(tenantField === undefined ? {} : { tenant: tenantField }),
    ...(retentionDays === undefined ? {} : { retention_days: retentionDays }),
    fields: typesOf(knownFields),
  };
}

/** A source as the API shows it. */
export interface ShownSource {
  readonly id: string;
  /** The id, by the name that older clients have for it. */
  readonly token: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: string;
  readonly description: string;
  /** The field that tells tenants apart, where there is one. */
  readonly tenant?: string;
  readonly retention_days: RetentionDays | null;
  /** The types of declared fields by dotted path, the tenant's among them. */
  readonly fields: NonNullable<SourceDocument["fields"]>;
  /** True for a source that the API cannot change: it is defined in a file, or is the service's own. */
  readonly read_only: boolean;
}

export function showSource(source: Source): ShownSource {
  const { name, aliases, kind, description, tenantField, retentionDays, knownFields, origin } = source;
  return {
    id: sourceId(name),
    token: sourceId(name),
    name,
    aliases,
    kind,
    description,
    ...(tenantField === undefined ? {} : { tenant: tenantField }),
    retention_days: retentionDays ?? null,
    fields: typesOf(knownFields),
    read_only: origin?.kind !== "api",
  };
}

function typesOf(fields: Source["knownFields"]): NonNullable<SourceDocument["fields"]> {
  return Object.fromEntries(
    fields.map(({ path, type }) => [path, type.kind as "STRING" | "INT64" | "FLOAT64" | "BOOL"]),
  );
}
