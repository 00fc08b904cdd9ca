import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Static, Type } from "typebox";
import { parseCheckedYaml, type TextProblem } from "../checked-yaml.ts";
import { caretLines, positionAt } from "../googlesql/diagnostic.ts";
import type { ScalarKind } from "../googlesql/types.ts";
import type { Source } from "./source.ts";

const fieldPath = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

const SourceFile = Type.Object(
  {
    name: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_.-]{0,127}$" }),
    aliases: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }))),
    kind: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    retention_days: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    fields: Type.Optional(Type.Record(Type.String(), Type.Enum(["STRING", "INT64", "FLOAT64", "BOOL"]))),
  },
  { additionalProperties: false },
);

/** A source file that cannot be used; the message names file, line and column and shows the line with a caret. */
export class SourceFileError extends Error {
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
  const yaml = parseCheckedYaml(text, SourceFile);
  const problems = yaml.isValid ? checkFieldPaths(yaml.value, yaml.offsetOf) : yaml.problems;
  if (!yaml.isValid || problems.length > 0) {
    throw new SourceFileError(problems.map((problem) => showProblem(text, path, problem)).join("\n"));
  }
  return toSource(yaml.value, basename(path));
}

function checkFieldPaths(
  file: Static<typeof SourceFile>,
  offsetOf: (path: readonly string[]) => number,
): readonly TextProblem[] {
  const badPaths = Object.keys(file.fields ?? {}).filter((key) => !fieldPath.test(key));
  return badPaths.map((key) => ({
    message: `${key} is not a field path: letters, digits and _, parts joined with dots`,
    offset: offsetOf(["fields", key]),
  }));
}

function showProblem(text: string, path: string, problem: TextProblem): string {
  const { line, column } = positionAt(text, problem.offset);
  return `${path}:${line}:${column}: ${problem.message}\n${caretLines(text, problem.offset)}`;
}

function toSource(file: Static<typeof SourceFile>, fileName: string): Source {
  return {
    name: file.name,
    aliases: file.aliases ?? [],
    kind: file.kind,
    description: file.description ?? `Events of ${fileName}`,
    retentionDays: file.retention_days,
    knownFields: Object.entries(file.fields ?? {}).map(([path, kind]) => ({
      path,
      type: { kind: kind as ScalarKind },
    })),
  };
}

function findSharedNames(sources: readonly Source[]): string[] {
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const source of sources) {
    for (const name of new Set([source.name, ...source.aliases].map((each) => each.toLowerCase()))) {
      const owner = owners.get(name);
      if (owner !== undefined) problems.push(`Sources ${owner} and ${source.name} both have the name or alias ${name}`);
      owners.set(name, source.name);
    }
  }
  return problems;
}
