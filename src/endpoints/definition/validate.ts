import { parseQuery } from "../../googlesql/parse.ts";
import type { CompileDependencies } from "../call/plan/compile-query.ts";
import { type CheckedEndpoint, checkEndpoint, findTwins, fromQueryErrors, lookupOf } from "./check-endpoint.ts";
import type { Endpoint, EndpointDefinition } from "./definition.ts";
import { readDocument } from "./document.ts";
import { draftEndpoint } from "./draft-endpoint.ts";
import type { FieldProblem } from "./field-problem.ts";
import { parseEndpointFile } from "./parse-endpoint.ts";
import { toDefinition } from "./to-definition.ts";

/** The surroundings that endpoints are validated against. */
export interface ValidationContext extends Pick<CompileDependencies, "engine" | "tables"> {
  /** The other endpoints: their ids and names are taken, and they may be read as tables. */
  readonly others: readonly Endpoint[];
}

/** The properties of an endpoint that are not in its document. */
export interface EndpointIdentity extends Partial<Pick<Endpoint, "version" | "origin">> {
  /** The id where the document has none; a document that has another one is refused where `isFixed`. */
  readonly id: string;
  readonly isFixed?: boolean;
}

/**
 * An endpoint of a document as the API takes it, or every problem of it by field: unknown fields, wrong values, and
 * all that the language and the engine say about the query.
 */
export function validateDocument(
  input: unknown,
  { id, isFixed = false, ...more }: EndpointIdentity,
  context: ValidationContext,
): CheckedEndpoint {
  const { fields, problems: formProblems } = readDocument(input);
  const { name = "", query, ...header } = fields;
  const { definition, problems: meaningProblems } = toDefinition({ id, ...header }, name, query ?? "");
  const problems = [...formProblems, ...meaningProblems];
  if (isFixed && definition.id !== id) problems.push({ path: ["id"], message: "an endpoint keeps its id" });
  if (query === undefined) return { problems };
  return checkDefinition(definition, problems, more, context);
}

/** An endpoint of a definition, or `problems` and those of its query. */
function checkDefinition(
  definition: EndpointDefinition,
  problems: readonly FieldProblem[],
  more: Partial<Endpoint>,
  { engine, tables, others }: ValidationContext,
): CheckedEndpoint {
  try {
    parseQuery(definition.query);
  } catch (error) {
    return { problems: [...problems, ...fromQueryErrors(error)] };
  }
  const draft = draftEndpoint(definition, more);
  const lookup = lookupOf([...others, draft]);
  const checked = checkEndpoint(draft, { engine, tables, endpoints: lookup }, { isNew: true });
  const isGuess = problems.some(({ path }) => path[0] === "parameters");
  const found = [
    ...problems,
    ...findTwins(draft, others),
    // Of a declaration that is wrong, the query's parameters may be as good as declared.
    ...(checked.problems ?? []).filter(({ code }) => !(isGuess && code === "unknown_parameter")),
  ];
  return found.length > 0 || checked.endpoint === undefined ? { problems: found } : checked;
}

/** One problem of a file, where it stands in the file. */
export interface FileProblem {
  readonly message: string;
  /** A UTF-16 offset. */
  readonly offset: number;
}

/** An endpoint file taken apart and its query parsed, or what is wrong with it so far. */
export type FileDraft =
  | { readonly draft: Endpoint; readonly place: (problem: FieldProblem) => FileProblem }
  | { readonly problems: readonly FileProblem[] };

/**
 * Reads an endpoint file as far as that goes without knowing other endpoints. `path` is named in messages and gives
 * the default name.
 */
export function draftOfFile(text: string, path: string): FileDraft {
  const parsed = parseEndpointFile(text, path);
  if ("problems" in parsed) return parsed;
  const { definition, queryStart, offsetOf } = parsed;
  const place = (problem: FieldProblem): FileProblem =>
    problem.path[0] === "query"
      ? { message: problem.message, offset: queryStart + (problem.offset ?? 0) }
      : { message: problem.message, offset: offsetOf(problem.path) };
  try {
    return { draft: draftEndpoint(definition, { origin: { kind: "file", path } }), place };
  } catch (error) {
    return { problems: fromQueryErrors(error).map(place) };
  }
}
