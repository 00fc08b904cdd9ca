import type { Retention } from "./retention.ts";

/** A source as a form holds it: texts, empty for what is not set. */
export interface SourceDraft {
  readonly name: string;
  readonly description: string;
  /** The field that identifies the tenant. */
  readonly tenant: string;
  /** Days after which events are deleted. */
  readonly days: string;
  /** `TENANT: DAYS`, one a line, for tenants that differ. */
  readonly tenantDays: string;
  /** Further names, with commas between. */
  readonly aliases: string;
  /** `PATH TYPE`, one a line. */
  readonly fields: string;
}

/** The draft of a new source. */
export const newSource: SourceDraft = {
  name: "",
  description: "",
  tenant: "project",
  days: "",
  tenantDays: "",
  aliases: "",
  fields: "",
};

interface ShownSource {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly tenant?: string | undefined;
  readonly retention_days: Retention;
  readonly fields: Readonly<Record<string, string>>;
}

/** The draft of a source that the API shows. */
export function readSourceDraft(source: ShownSource): SourceDraft {
  const { name, description, aliases, tenant = "", retention_days: retention, fields } = source;
  const { default: days, tenants = {} } = typeof retention === "number" ? { default: retention } : (retention ?? {});
  const lines = (of: Readonly<Record<string, unknown>>, between: string) =>
    Object.entries(of)
      .map(([key, value]) => `${key}${between}${value}`)
      .join("\n");
  const others = Object.fromEntries(Object.entries(fields).filter(([path]) => path !== tenant));
  return {
    name,
    description,
    tenant,
    days: days === undefined ? "" : String(days),
    tenantDays: lines(tenants, ": "),
    aliases: aliases.join(", "),
    fields: lines(others, " "),
  };
}

/**
 * The change that the API is sent, of everything but the name: null for what is cleared. Throws `Error` for a line that
 * cannot be read.
 */
export function toSourceChange(draft: SourceDraft) {
  const { description, tenant, aliases } = draft;
  const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
  return {
    ...(orNull(description) === null ? {} : { description: description.trim() }),
    tenant: orNull(tenant),
    retention_days: readRetention(draft),
    aliases: aliases.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])),
    fields: readFields(draft.fields),
  };
}

function readRetention({ days, tenantDays }: SourceDraft): Retention {
  const usual = days.trim() === "" ? undefined : readDays(days, days);
  const tenants = Object.fromEntries(
    linesOf(tenantDays).map((line) => {
      const at = line.lastIndexOf(":");
      if (at <= 0) throw new Error(`${line}: write a tenant, a colon and days, such as acme: 7`);
      return [line.slice(0, at).trim(), readDays(line.slice(at + 1), line)];
    }),
  );
  if (Object.keys(tenants).length === 0) return usual ?? null;
  return { ...(usual === undefined ? {} : { default: usual }), tenants };
}

function readDays(text: string, where: string): number {
  const days = Number(text);
  if (text.trim() === "" || !(days > 0))
    throw new Error(`${where}: days are a number above 0; empty keeps events forever`);
  return days;
}

/** Types that a field can be declared to have. */
const fieldTypes = ["STRING", "INT64", "FLOAT64", "BOOL"] as const;
type FieldType = (typeof fieldTypes)[number];

function readFields(text: string): Readonly<Record<string, FieldType>> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const [, path = "", named = ""] = /^(\S+)\s+(\w+)$/.exec(line) ?? [];
      const type = fieldTypes.find((each) => each === named.toUpperCase());
      if (type === undefined)
        throw new Error(`${line}: write a path and ${fieldTypes.join(", ")}, such as status INT64`);
      return [path, type] as const;
    }),
  );
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
