import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { GoogleSqlError } from "../googlesql/diagnostic.ts";
import { parseQuery } from "../googlesql/parse.ts";
import type { Endpoint } from "./definition.ts";
import { parseEndpointFile } from "./parse-endpoint.ts";
import { describeProblem } from "./query-error.ts";
import type { Planner } from "./run-endpoint.ts";

/** Endpoint files that cannot be used; the message lists every problem with file, line, column and a caret. */
export class EndpointFileError extends Error {
  override readonly name = "EndpointFileError";
}

/**
 * Reads every `*.sql` file of a folder and compiles it as a call would. Throws one `EndpointFileError` with all problems of
 * all files; nothing is half loaded. Ids and names are unique over all files.
 */
export async function loadEndpoints(folder: string, planner: Planner): Promise<readonly Endpoint[]> {
  const files = await readdir(folder).catch((error: Error) => {
    throw new EndpointFileError(`The folder of endpoints cannot be read: ${error.message}`);
  });
  const endpoints: Endpoint[] = [];
  const problems: string[] = [];
  for (const file of files.filter((name) => name.endsWith(".sql")).sort()) {
    const path = join(folder, file);
    const loaded = loadEndpoint(await readFile(path, "utf8"), path, planner, endpoints);
    if (Array.isArray(loaded)) problems.push(...loaded);
    else endpoints.push(loaded);
  }
  if (problems.length > 0) throw new EndpointFileError(problems.join("\n"));
  return endpoints;
}

/** One endpoint, or what is wrong with its file. `others` are those whose id and name it may not have. */
function loadEndpoint(text: string, path: string, planner: Planner, others: readonly Endpoint[]): Endpoint | string[] {
  const parsed = parseEndpointFile(text, path);
  if ("problems" in parsed) {
    return parsed.problems.map(({ offset, message }) => describeProblem(path, text, offset, message));
  }
  const { definition, offsetOf } = parsed;
  try {
    const endpoint: Endpoint = { definition, version: 1, savedQuery: parseQuery(text), sourceText: text, path };
    planner.plan(endpoint, undefined, undefined);
    const problems = [...findTwins(endpoint, others), ...findBadAliases(endpoint)];
    if (problems.length === 0) return endpoint;
    return problems.map(({ keys, message }) => describeProblem(path, text, offsetOf(keys), message));
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    return error.diagnostics.map(({ span, message }) => describeProblem(path, text, span.start, message));
  }
}

interface HeaderProblem {
  readonly keys: readonly string[];
  readonly message: string;
}

function findTwins({ definition }: Endpoint, others: readonly Endpoint[]): readonly HeaderProblem[] {
  return others.flatMap((other): readonly HeaderProblem[] => {
    if (other.definition.id === definition.id) return [{ keys: ["id"], message: `${other.path} has the same id` }];
    if (other.definition.name === definition.name)
      return [{ keys: ["name"], message: `${other.path} has the same name` }];
    return [];
  });
}

/** An alias stands for a table of the query's WITH, and does not hide another. */
function findBadAliases({ definition, savedQuery }: Endpoint): readonly HeaderProblem[] {
  const tables = new Set((savedQuery.with?.entries ?? []).map((entry) => entry.name.name.toLowerCase()));
  const problems: HeaderProblem[] = [];
  if (definition.isSandboxed && tables.size === 0) {
    problems.push({
      keys: ["sandbox"],
      message: "a sandboxed endpoint needs a WITH clause: its tables are what callers may read",
    });
  }
  for (const [alias, table] of Object.entries(definition.tableAliases)) {
    const keys = ["table_aliases", alias];
    if (!tables.has(table.toLowerCase()))
      problems.push({ keys, message: `the query's WITH clause has no table ${table}` });
    if (tables.has(alias.toLowerCase()))
      problems.push({ keys, message: "the query's WITH clause has a table of this name" });
  }
  return problems;
}
