import type { FieldProblems } from "../shared/documents/document-form.ts";
import { findSchemaProblems } from "../shared/documents/schema-problems.ts";
import { ownNamePrefix, type Source } from "./source.ts";
import {
  ownNameProblem,
  SourceDocument,
  toDocument,
  toSource,
  whyNoFieldPath,
  whyNoRetention,
  whyNoTenantField,
} from "./source-document.ts";

/** Fields that clients of the reference send but that have no meaning here. */
const overlooked: ReadonlySet<string> = new Set([
  "favorite",
  "webhook_notification_url",
  "slack_hook_url",
  "notifications",
  "custom_event_message_keys",
  "lock_schema",
  "validate_schema",
  "suggested_keys",
]);

const usualKind = "log";

/** The surroundings that a document is checked against. */
export interface SourceSurroundings {
  readonly sources: readonly Source[];
  /** True for the name of an endpoint, which queries can read as a table too. */
  readonly isEndpoint: (name: string) => boolean;
}

/**
 * The source defined by a document of the API: a new one, or a change to `before`. `isPatch` retains omitted fields.
 * All problems are reported together. A source's name is its table's, and cannot change.
 */
export function readSource(
  input: Readonly<Record<string, unknown>>,
  { sources, isEndpoint }: SourceSurroundings,
  before?: Source,
  isPatch = false,
): { readonly source: Source } | { readonly problems: FieldProblems } {
  const sent = Object.entries(input).filter(([key, value]) => !overlooked.has(key) && value !== null);
  const kept = before !== undefined && isPatch ? Object.entries(toDocument(before)) : [];
  const document: Record<string, unknown> = {
    kind: usualKind,
    // Null clears a field.
    ...Object.fromEntries(kept.filter(([key]) => input[key] !== null)),
    ...Object.fromEntries(sent),
  };
  const problems = new Map<string, string[]>();
  const report = (field: string, message: string) => {
    problems.set(field, [...(problems.get(field) ?? []), message]);
  };
  if (document.name === undefined) report("name", "is required");
  for (const { path, message } of findSchemaProblems(SourceDocument, document)) {
    const [field, ...inner] = path;
    if (field !== undefined) report(field, inner.length === 0 ? message : `${inner.join(".")}: ${message}`);
  }
  if (problems.size > 0) return { problems: Object.fromEntries(problems) };
  const checked = document as SourceDocument;
  const source = toSource(checked, { kind: "api" }, "");
  if (before !== undefined && source.name !== before.name) {
    report("name", `must stay ${before.name}: events are kept under it; an alias gives a source a further name`);
  }
  for (const [index, name] of [source.name, ...source.aliases].entries()) {
    const field = index === 0 ? "name" : "aliases";
    if (name.toLowerCase().startsWith(ownNamePrefix)) report(field, `${name}: ${ownNameProblem}`);
    if (isEndpoint(name)) report(field, `${name}: an endpoint has this name`);
    const other = sources.find((each) => each.name !== before?.name && sharesName(each, name));
    if (other !== undefined) report(field, `${name}: the source ${other.name} has this name`);
  }
  if (problems.size === 0 && new Set(source.aliases.map(fold)).size < source.aliases.length) {
    report("aliases", "has an alias twice");
  }
  const tenantProblem = whyNoTenantField(checked);
  if (tenantProblem !== undefined) report("tenant", tenantProblem);
  const retentionProblem = whyNoRetention(checked);
  if (retentionProblem !== undefined) report("retention_days", retentionProblem);
  for (const path of Object.keys(checked.fields ?? {})) {
    const message = whyNoFieldPath(path);
    if (message !== undefined) report("fields", `${path} ${message}`);
  }
  return problems.size === 0 ? { source } : { problems: Object.fromEntries(problems) };
}

/**
 * Sources of files combined with those of the API. A file wins: it replaces a source of its name, and aliases that it
 * has too are removed from the others. Returns messages about these losses.
 */
export function joinSources(
  files: readonly Source[],
  stored: readonly Source[],
): { readonly sources: readonly Source[]; readonly lost: readonly string[] } {
  const sources = [...files];
  const lost: string[] = [];
  const owners = new Map(files.flatMap((source) => namesOf(source).map((name) => [name, source])));
  for (const source of stored) {
    const owner = owners.get(fold(source.name));
    if (owner !== undefined) {
      lost.push(`the source ${source.name} of the API gives way to ${owner.name}, which has the name too`);
      continue;
    }
    const aliases = source.aliases.filter((alias) => !owners.has(fold(alias)));
    if (aliases.length < source.aliases.length) {
      lost.push(`the source ${source.name} of the API gives up aliases that other sources have`);
    }
    const joined = { ...source, aliases };
    sources.push(joined);
    for (const name of namesOf(joined)) owners.set(name, joined);
  }
  return { sources, lost };
}

function sharesName(source: Source, name: string): boolean {
  return namesOf(source).includes(fold(name));
}

function namesOf({ name, aliases }: Source): readonly string[] {
  return [name, ...aliases].map(fold);
}

function fold(name: string): string {
  return name.toLowerCase();
}
