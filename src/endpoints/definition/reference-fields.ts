import type { FieldProblem } from "./field-problem.ts";
import { isUuid } from "./header.ts";

/** The reference's name of a field, and ours. */
const renamed: Readonly<Record<string, string>> = {
  token: "id",
  max_limit: "max_rows",
  cache_duration_seconds: "cache_seconds",
  proactive_requerying_seconds: "warm_every_seconds",
  sandboxable: "sandbox",
};

const languages: readonly unknown[] = ["sql", "bq_sql", "googlesql", "bigquery"];

/**
 * Fields that clients of the reference send and that have no counterpart here. Each returns undefined for a value that
 * can be ignored, otherwise the reason why it cannot.
 */
const ignored: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  language: (value) =>
    value === null || languages.includes(value) ? undefined : "queries are GoogleSQL here: bq_sql is the only language",
  backend_id: (value) =>
    value === null ? undefined : "endpoints run on the service's own store: there are no backends",
  enable_auth: (value) =>
    value === null || value === true ? undefined : "every call needs an access token here: this cannot be switched off",
  // Sources are found by name.
  source_mapping: () => undefined,
  enable_dynamic_reservation: () => undefined,
};

/** A document in our names, whatever names it came in. Both names of a field may be there where they say the same. */
export function readReferenceFields(input: object): {
  readonly fields: Record<string, unknown>;
  readonly problems: FieldProblem[];
} {
  const problems: FieldProblem[] = [];
  // Without a prototype, which `__proto__` would replace.
  const fields: Record<string, unknown> = Object.create(null);
  const sent = new Map<string, unknown>(Object.entries(input));
  // Beside a token, the reference's id is a number of its own.
  const id = sent.get("id");
  if (sent.has("token") && (typeof id !== "string" || !isUuid(id))) sent.delete("id");
  for (const [key, value] of sent) {
    const problem = Object.hasOwn(ignored, key) ? ignored[key]?.(value) : undefined;
    if (problem !== undefined) problems.push({ path: [key], message: problem });
    if (Object.hasOwn(ignored, key) || Object.hasOwn(renamed, key)) continue;
    fields[key] = value;
  }
  for (const [theirs, ours] of Object.entries(renamed)) {
    const value = sent.get(theirs);
    if (value === undefined || value === null) continue;
    const other = fields[ours];
    if (other === undefined || other === null) fields[ours] = value;
    else if (JSON.stringify(other).toLowerCase() !== JSON.stringify(value).toLowerCase()) {
      problems.push({ path: [theirs], message: `says something else than ${ours}, which means the same` });
    }
  }
  // There it is on by default, and says nothing where no answer is cached.
  const warm = sent.get("proactive_requerying_seconds");
  const keepsNothing = (fields.cache_seconds ?? 0) === 0;
  if (warm !== undefined && (warm === 0 || keepsNothing) && sent.get("warm_every_seconds") === undefined) {
    delete fields.warm_every_seconds;
  }
  if (typeof fields.labels === "string") fields.labels = readLabels(fields.labels);
  return { fields, problems };
}

/** `team=logs,urgent` as names and texts; a name alone has an empty text. */
function readLabels(text: string): Record<string, string> {
  const parts = text.split(",").map((part) => part.trim());
  return Object.fromEntries(
    parts
      .filter((part) => part !== "")
      .map((part) => {
        const at = part.indexOf("=");
        return at === -1 ? [part, ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      }),
  );
}
