import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
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
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problemAt = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    const lineText = text.split(/\r?\n/)[line - 1] ?? "";
    return `${path}:${line}:${col}: ${message}\n  ${lineText}\n  ${" ".repeat(col - 1)}^`;
  };
  const syntaxError = document.errors[0];
  if (syntaxError !== undefined) throw new SourceFileError(problemAt(syntaxError.pos[0], syntaxError.message));
  const value: unknown = document.toJS();
  if (!Value.Check(SourceFile, value)) {
    const messages = Value.Errors(SourceFile, value)
      .filter((error) => error.keyword !== "additionalProperties") // said again, by name, with keyword "boolean"
      .map((error) => {
        const keys = error.instancePath.split("/").slice(1);
        const name = keys.join(".");
        const message = describeError(error.keyword, error.params, error.message);
        return problemAt(offsetOf(document.contents, keys), name === "" ? `a source ${message}` : `${name} ${message}`);
      });
    throw new SourceFileError(messages.join("\n"));
  }
  const badPath = Object.keys(value.fields ?? {}).find((key) => !fieldPath.test(key));
  if (badPath !== undefined) {
    const message = `${badPath} is not a field path: letters, digits and _, parts joined with dots`;
    throw new SourceFileError(problemAt(offsetOf(document.contents, ["fields", badPath]), message));
  }
  return toSource(value, basename(path));
}

function describeError(keyword: string, params: object, message: string): string {
  if (keyword === "boolean")
    return `is not a key of a source file; known keys: ${Object.keys(SourceFile.properties).join(", ")}`;
  if ("allowedValues" in params && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(", ")}`;
  return message;
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

/** Offset of the deepest node on the way to `keys`: of the key itself where it is a map's. */
function offsetOf(node: unknown, keys: readonly string[]): number {
  let offset = 0;
  let current = node;
  for (const key of keys) {
    if (!isMap(current)) break;
    const pair = current.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
    if (pair === undefined) break;
    if (isScalar(pair.key) && pair.key.range) offset = pair.key.range[0];
    current = pair.value;
  }
  return offset;
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
