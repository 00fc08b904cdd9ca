import { Type } from "typebox";
import type { FieldProblems } from "../shared/documents/document-form.ts";
import type { Source } from "../sources/source.ts";
import { sourceId } from "../sources/source.ts";
import type { DrainRule } from "./backend.ts";

/** The properties of a rule that its document sets. */
export type RuleDraft = Pick<DrainRule, "backendId" | "source" | "lql">;

/** The functions that check a rule's document. */
export interface RuleReaders {
  readonly findBackend: (id: string) => { readonly id: string } | undefined;
  readonly findSource: (nameOrId: string) => Source | undefined;
  /** Why a query in LQL cannot be run over the source; undefined for nothing. Rejects where that is not known now. */
  readonly findProblem: (source: string, lql: string) => Promise<string | undefined>;
}

/** A rule as the API takes it. A change may leave out what stays. */
export const RuleDocument = Type.Partial(
  Type.Object({
    backend_id: Type.String(),
    source_id: Type.String({ description: "Id, name or alias of a source" }),
    source: Type.String({ description: "The same, by the name that rules are shown with" }),
    lql_string: Type.String({ description: "Which events go there, in LQL; empty for all" }),
  }),
);

const fields = Object.keys(RuleDocument.properties);
const shownFields = ["id", "token", "inserted_at"];

/** Reads a rule's document; what it leaves out stays as it was `before`. All problems are reported together. */
export async function readRule(
  sent: Readonly<Record<string, unknown>>,
  readers: RuleReaders,
  before?: DrainRule,
): Promise<{ readonly draft: RuleDraft } | { readonly problems: FieldProblems }> {
  const problems: Record<string, readonly string[]> = Object.create(null);
  for (const key of Object.keys(sent)) {
    if (![...fields, ...shownFields].includes(key)) {
      problems[key] = [`there is no such field; fields are ${fields.join(", ")}`];
    }
  }
  const backend = readers.findBackend(toText(sent.backend_id ?? before?.backendId));
  if (backend === undefined) problems.backend_id = ["must be the id of a backend"];
  const source = readers.findSource(toText(sent.source_id ?? sent.source ?? before?.source));
  if (source === undefined) problems.source_id = ["must be the id, name or alias of a source"];
  const lql = sent.lql_string ?? before?.lql ?? "";
  if (typeof lql !== "string") problems.lql_string = ["must be a text in LQL, empty for all events"];
  else if (source !== undefined) {
    const problem = await readers.findProblem(source.name, lql);
    if (problem !== undefined) problems.lql_string = [problem];
  }
  if (Object.keys(problems).length > 0 || backend === undefined || source === undefined) return { problems };
  return { draft: { backendId: backend.id, source: source.name, lql: String(lql) } };
}

/** Objects name nothing, whatever methods their keys name. */
function toText(sent: unknown): string {
  return typeof sent === "string" || typeof sent === "number" ? String(sent) : "";
}

/** A rule as the API shows it. */
export function showRule({ id, backendId, source, lql, createdAtMs }: DrainRule) {
  return {
    id,
    token: id,
    backend_id: backendId,
    source_id: sourceId(source),
    source,
    lql_string: lql,
    inserted_at: new Date(createdAtMs).toISOString(),
  };
}
