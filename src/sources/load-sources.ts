import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseCheckedYaml, type TextProblem } from "../checked-yaml.ts";
import { caretLines, positionAt } from "../googlesql/diagnostic.ts";
import { UserError } from "../user-error.ts";
import { findSharedNames, ownNamePrefix, type Source } from "./source.ts";
import { ownNameProblem, SourceDocument, toSource, whyNoFieldPath } from "./source-document.ts";

/** A source file that cannot be used; the message names file, line and column and shows the line with a caret. */
export class SourceFileError extends UserError {
  override readonly name = "SourceFileError";
}

/**
 * Reads every `*.yaml` file of a folder. Throws one `SourceFileError` that lists all problems of all files; nothing is
 * half loaded. Names and aliases are unique over all files, also when compared without case.
 */
export async function loadSources(folder: string): Promise<readonly Source[]> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).sort();
  const problems: string[] = [];
  const sources: Source[] = [];
  for (const file of files) {
    const path = join(folder, file);
    try {
      sources.push(parseSource(await readFile(path, "utf8"), path));
    } catch (error) {
      if (!(error instanceof SourceFileError)) throw error;
      problems.push(error.message);
    }
  }
  if (files.length === 0) problems.push(`${folder}: no source file (*.yaml) in it`);
  problems.push(...findSharedNames(sources));
  if (problems.length > 0) throw new SourceFileError(problems.join("\n"));
  return sources;
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
  { name, aliases = [], fields = {} }: SourceDocument,
  offsetOf: (path: readonly string[]) => number,
): readonly TextProblem[] {
  const own = [name, ...aliases].filter((each) => each.toLowerCase().startsWith(ownNamePrefix));
  const paths = Object.keys(fields).flatMap((key) => {
    const message = whyNoFieldPath(key);
    return message === undefined ? [] : [{ message: `${key} ${message}`, offset: offsetOf(["fields", key]) }];
  });
  return [...own.map((each) => ({ message: `${each}: ${ownNameProblem}`, offset: offsetOf(["name"]) })), ...paths];
}

function showProblem(text: string, path: string, problem: TextProblem): string {
  const { line, column } = positionAt(text, problem.offset);
  return `${path}:${line}:${column}: ${problem.message}\n${caretLines(text, problem.offset)}`;
}
