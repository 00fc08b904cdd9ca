import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { caretLines, positionAt } from "../googlesql/diagnostic.ts";
import { parseCheckedYaml, type TextProblem } from "../shared/documents/checked-yaml.ts";
import { UserError } from "../shared/user-error.ts";
import { findSharedNames, ownNamePrefix, type Source } from "./source.ts";
import {
  ownNameProblem,
  SourceDocument,
  toSource,
  whyNoFieldPath,
  whyNoRetention,
  whyNoTenantField,
} from "./source-document.ts";

/** A source file that cannot be used; the message names file, line and column and shows the line with a caret. */
export class SourceFileError extends UserError {
  override readonly name = "SourceFileError";
}

/**
 * Reads every `*.yaml` file of some folders. Throws one `SourceFileError` that lists all problems of all files;
 * nothing is half loaded. Names and aliases are unique over all files of a folder, also when compared without case; a
 * source of a later folder takes the place of those of earlier ones that share a name with it.
 */
export async function loadSources(folders: readonly string[]): Promise<readonly Source[]> {
  const problems: string[] = [];
  let sources: readonly Source[] = [];
  for (const folder of folders) {
    const own = await loadFolder(folder, problems);
    problems.push(...findSharedNames(own));
    sources = [...sources.filter((source) => !own.some((other) => sharesName(source, other))), ...own];
  }
  // Without any folder, sources are those of the API.
  if (folders.length > 0 && sources.length === 0 && problems.length === 0) {
    problems.push(`${folders.join(", ")}: no source file (*.yaml) in it`);
  }
  if (problems.length > 0) throw new SourceFileError(problems.join("\n"));
  return sources;
}

/** The sources of the files that can be used; what is wrong with the others goes to `problems`. */
async function loadFolder(folder: string, problems: string[]): Promise<readonly Source[]> {
  const files = await readdir(folder).catch((error: Error) => {
    throw new SourceFileError(`The folder of sources cannot be read: ${error.message}`);
  });
  const sources: Source[] = [];
  for (const file of files.filter((name) => /\.ya?ml$/.test(name)).sort()) {
    const path = join(folder, file);
    try {
      sources.push(parseSource(await readFile(path, "utf8"), path));
    } catch (error) {
      if (!(error instanceof SourceFileError)) throw error;
      problems.push(error.message);
    }
  }
  return sources;
}

function sharesName(source: Source, other: Source): boolean {
  return findSharedNames([source, other]).length > 0;
}

/** Parses one source file; `path` is for messages. Throws `SourceFileError`. */
export function parseSource(text: string, path: string): Source {
  const yaml = parseCheckedYaml(text, SourceDocument);
  const problems = yaml.isValid ? findKeyProblems(yaml.value, yaml.offsetOf) : yaml.problems;
  if (!yaml.isValid || problems.length > 0) {
    throw new SourceFileError(problems.map((problem) => showProblem(text, path, problem)).join("\n"));
  }
  return toSource(yaml.value, { kind: "file", path }, `Events of ${basename(path)}`);
}

function findKeyProblems(
  document: SourceDocument,
  offsetOf: (path: readonly string[]) => number,
): readonly TextProblem[] {
  const { name, aliases = [], fields = {} } = document;
  const tenant = whyNoTenantField(document);
  const retention = whyNoRetention(document);
  const own = [name, ...aliases].filter((each) => each.toLowerCase().startsWith(ownNamePrefix));
  const paths = Object.keys(fields).flatMap((key) => {
    const message = whyNoFieldPath(key);
    return message === undefined ? [] : [{ message: `${key} ${message}`, offset: offsetOf(["fields", key]) }];
  });
  return [
    ...own.map((each) => ({ message: `${each}: ${ownNameProblem}`, offset: offsetOf(["name"]) })),
    ...(tenant === undefined ? [] : [{ message: tenant, offset: offsetOf(["tenant"]) }]),
    ...(retention === undefined
      ? []
      : [{ message: `retention_days ${retention}`, offset: offsetOf(["retention_days"]) }]),
    ...paths,
  ];
}

function showProblem(text: string, path: string, problem: TextProblem): string {
  const { line, column } = positionAt(text, problem.offset);
  return `${path}:${line}:${column}: ${problem.message}\n${caretLines(text, problem.offset)}`;
}
