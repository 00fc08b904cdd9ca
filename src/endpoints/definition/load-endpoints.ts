import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../shared/user-error.ts";
import type { CompileDependencies } from "../call/plan/compile-query.ts";
import { describeProblem } from "../call/plan/query-error.ts";
import { checkEndpoint, findTwins, findUnfitNames, lookupOf } from "./check-endpoint.ts";
import type { Endpoint } from "./definition.ts";
import type { FieldProblem } from "./field-problem.ts";
import { draftOfFile, type FileProblem } from "./validate.ts";

/** Unusable endpoint files; the message lists every problem with file, line, column and a caret. */
export class EndpointFileError extends UserError {
  override readonly name = "EndpointFileError";
}

/** The dependencies of loading files. */
export interface LoadDependencies extends Pick<CompileDependencies, "engine" | "tables"> {
  /**
   * Endpoints that are in no file: files may read them, and their names are taken. One with the id of a file gives
   * way to it.
   */
  readonly stored?: readonly Endpoint[];
  /**
   * True for a file that was taken over before as it is: then what events have made of its query does not keep it, or
   * the others, from being loaded.
   */
  readonly isKnown?: (draft: Endpoint) => Promise<boolean>;
}

interface DraftedFile {
  readonly path: string;
  readonly text: string;
  readonly draft: Endpoint;
  readonly place: (problem: FieldProblem) => FileProblem;
}

/**
 * Reads every `*.sql` file of some folders and compiles it as a call would. Throws one `EndpointFileError` with all
 * problems of all files; nothing is half loaded. Ids and names are unique over all files of a folder; a file of a
 * later folder takes the place of those of earlier ones with its id or name. The versions are all 1.
 */
export async function loadEndpoints(
  folders: readonly string[],
  { engine, tables, stored = [], isKnown = async () => false }: LoadDependencies,
): Promise<readonly Endpoint[]> {
  const problems: ProblemText[] = [];
  let files: readonly DraftedFile[] = [];
  for (const folder of folders) {
    const own = await draftFolder(folder, problems);
    files = [...files.filter((file) => !own.some((other) => isReplaced(file, other))), ...own];
  }
  const ids = new Set(files.map(({ draft }) => draft.definition.id));
  const others = stored.filter(({ definition }) => !ids.has(definition.id));
  const endpoints = lookupOf([...others, ...files.map(({ draft }) => draft)]);
  const checked: Endpoint[] = [];
  for (const [index, { path, text, draft, place }] of files.entries()) {
    const earlier = files.slice(0, index).map((file) => file.draft);
    const result = checkEndpoint(draft, { engine, tables, endpoints });
    const own = result.problems ?? [];
    const isOfEvents = own.length > 0 && own.every(comesFromEvents) && (await isKnown(draft));
    const names = findUnfitNames((result.endpoint ?? draft).definition);
    const isUnfit = names.length > 0 && !(await isKnown(draft));
    const found = [...findTwins(draft, [...earlier, ...others]), ...(isOfEvents ? [] : own), ...(isUnfit ? names : [])];
    problems.push(...found.map((problem) => ({ path, text: describe(path, text, place(problem)) })));
    const [first] = own;
    checked.push(result.endpoint ?? { ...draft, ...(first === undefined ? {} : { problem: first.message }) });
  }
  if (problems.length > 0) {
    const sorted = problems.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
    throw new EndpointFileError(sorted.map(({ text }) => text).join("\n"));
  }
  return checked;
}

/** Columns, their names and types are what events make them; the rest of a query is its author's. */
const eventCodes: ReadonlySet<FieldProblem["code"]> = new Set([
  "unknown_column",
  "ambiguous_name",
  "duplicate_name",
  "type_mismatch",
  "invalid_query",
  "unsupported",
]);

function comesFromEvents({ code }: FieldProblem): boolean {
  return eventCodes.has(code);
}

interface ProblemText {
  readonly path: string;
  readonly text: string;
}

/** The drafts of a folder's files; what cannot be read as one goes to `problems`. */
async function draftFolder(folder: string, problems: ProblemText[]): Promise<readonly DraftedFile[]> {
  const names = await readdir(folder).catch((error: Error) => {
    throw new EndpointFileError(`The folder of endpoints cannot be read: ${error.message}`);
  });
  const files: DraftedFile[] = [];
  for (const name of names.filter((each) => each.endsWith(".sql")).sort()) {
    const path = join(folder, name);
    const text = await readFile(path, "utf8");
    const file = draftOfFile(text, path);
    if ("draft" in file) files.push({ path, text, ...file });
    else problems.push(...file.problems.map((problem) => ({ path, text: describe(path, text, problem) })));
  }
  return files;
}

function isReplaced({ draft: { definition } }: DraftedFile, { draft: { definition: other } }: DraftedFile): boolean {
  return definition.id === other.id || definition.name === other.name;
}

function describe(path: string, text: string, { offset, message }: FileProblem): string {
  return describeProblem(path, text, offset, message);
}
