import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeProblem } from "../../endpoints/call/plan/query-error.ts";
import type { EndpointDefinition } from "../../endpoints/definition/definition.ts";
import { parseEndpointFile } from "../../endpoints/definition/parse-endpoint.ts";
import { CliError } from "../context.ts";

/** An endpoint defined by a file of a folder. */
export interface EndpointFile {
  readonly path: string;
  readonly text: string;
  readonly definition: EndpointDefinition;
}

/**
 * Reads every endpoint file of a folder. Throws one `CliError` with all problems of their headers, of ids and of
 * names.
 */
export async function readEndpointFolder(folder: string): Promise<readonly EndpointFile[]> {
  const names = await readdir(folder).catch((error: Error) => {
    throw new CliError(`The folder of endpoints cannot be read: ${error.message}`);
  });
  const files: EndpointFile[] = [];
  const problems: string[] = [];
  for (const name of names.filter((each) => each.endsWith(".sql")).sort()) {
    const path = join(folder, name);
    const text = await readFile(path, "utf8");
    const parsed = parseEndpointFile(text, path);
    if ("problems" in parsed) {
      problems.push(...parsed.problems.map(({ offset, message }) => describeProblem(path, text, offset, message)));
      continue;
    }
    const { definition } = parsed;
    for (const other of files) {
      if (other.definition.id === definition.id) problems.push(`${path}: ${other.path} has the same id`);
      if (other.definition.name === definition.name) problems.push(`${path}: ${other.path} has the same name`);
    }
    files.push({ path, text, definition });
  }
  if (problems.length > 0) throw new CliError(problems.join("\n"));
  return files;
}
