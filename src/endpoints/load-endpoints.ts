import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../user-error.ts";
import { checkEndpoint, findTwins, lookupOf } from "./check-endpoint.ts";
import type { CompileDependencies } from "./compile-endpoint.ts";
import type { Endpoint } from "./definition.ts";
import type { FieldProblem } from "./field-problem.ts";
import { describeProblem } from "./query-error.ts";
import { draftOfFile, type FileProblem } from "./validate.ts";

/** Endpoint files that cannot be used; the message lists every problem with file, line, column and a caret. */
export class EndpointFileError extends UserError {
  override readonly name = "EndpointFileError";
}

/** What the files of a folder are read with. */
export interface LoadDependencies extends Pick<CompileDependencies, "engine" | "tables"> {
  /** Endpoints that are in no file: files may read them, and their names are taken. One with the id of a file gives way to it. */
  readonly stored?: readonly Endpoint[];
}

interface DraftedFile {
  readonly path: string;
  readonly text: string;
  readonly draft: Endpoint;
  readonly place: (problem: FieldProblem) => FileProblem;
}

/**
 * Reads every `*.sql` file of a folder and compiles it as a call would. Throws one `EndpointFileError` with all problems of
 * all files; nothing is half loaded. Ids and names are unique over all files. The versions are all 1.
 */
export async function loadEndpoints(
  folder: string,
  { engine, tables, stored = [] }: LoadDependencies,
): Promise<readonly Endpoint[]> {
  const names = await readdir(folder).catch((error: Error) => {
    throw new EndpointFileError(`The folder of endpoints cannot be read: ${error.message}`);
  });
  const problems: { readonly path: string; readonly text: string }[] = [];
  const files: DraftedFile[] = [];
  for (const name of names.filter((each) => each.endsWith(".sql")).sort()) {
    const path = join(folder, name);
    const text = await readFile(path, "utf8");
    const file = draftOfFile(text, path);
    if ("draft" in file) files.push({ path, text, ...file });
    else problems.push(...file.problems.map((problem) => ({ path, text: describe(path, text, problem) })));
  }
  const ids = new Set(files.map(({ draft }) => draft.definition.id));
  const others = stored.filter(({ definition }) => !ids.has(definition.id));
  const endpoints = lookupOf([...others, ...files.map(({ draft }) => draft)]);
  const checked = files.map(({ path, text, draft, place }, index) => {
    const earlier = files.slice(0, index).map((file) => file.draft);
    const result = checkEndpoint(draft, { engine, tables, endpoints });
    const found = [...findTwins(draft, [...earlier, ...others]), ...(result.problems ?? [])];
    problems.push(...found.map((problem) => ({ path, text: describe(path, text, place(problem)) })));
    return result.endpoint;
  });
  if (problems.length > 0) {
    const sorted = problems.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
    throw new EndpointFileError(sorted.map(({ text }) => text).join("\n"));
  }
  return checked.flatMap((endpoint) => endpoint ?? []);
}

function describe(path: string, text: string, { offset, message }: FileProblem): string {
  return describeProblem(path, text, offset, message);
}
