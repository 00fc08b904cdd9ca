import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { parseCheckedYaml, type TextProblem } from "../shared/documents/checked-yaml.ts";
import { messageOf } from "../shared/message-of.ts";
import { UserError } from "../shared/user-error.ts";
import { readAlert } from "./alert-document.ts";
import { AlertDocument, type AlertForm } from "./alert-form.ts";

/** Unusable alert files; the message lists every problem with file, line and column, and shows nothing of a file. */
export class AlertFileError extends UserError {
  override readonly name = "AlertFileError";
}

/** An alert defined by a file. */
export interface AlertFile {
  readonly path: string;
  readonly form: AlertForm;
}

/**
 * Reads every `*.yaml` file of a folder, or one file: each holds an alert in the form of the API, whose name is that of
 * the file unless it gives one. Throws one `AlertFileError` with all problems of all files. Names are unique. What
 * depends on anything but the files is not checked: tables, columns, backends, and whether addresses may be called.
 */
export async function loadAlerts(path: string): Promise<readonly AlertFile[]> {
  const files = new Map<string, AlertFile>();
  const problems: string[] = [];
  for (const file of await listFiles(path)) {
    const read = parseAlert(await readFile(file, "utf8"), file);
    if ("problems" in read) {
      problems.push(...read.problems);
      continue;
    }
    const { form } = read;
    const twin = files.get(form.name);
    if (twin !== undefined) problems.push(`${file}: ${twin.path} has the same name, ${form.name}`);
    files.set(form.name, twin ?? { path: file, form });
  }
  if (problems.length > 0) throw new AlertFileError(problems.join("\n"));
  return [...files.values()];
}

async function listFiles(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path);
    return names
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    throw new AlertFileError(`Alerts cannot be read: ${messageOf(error)}`);
  }
}

function parseAlert(text: string, path: string): { readonly form: AlertForm } | { readonly problems: string[] } {
  // Without the line itself: it may hold a secret.
  const show = ({ offset, message }: TextProblem) => {
    const before = text.slice(0, offset).split("\n");
    return `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}: ${message}`;
  };
  const yaml = parseCheckedYaml(text, AlertDocument);
  if (!yaml.isValid) return { problems: yaml.problems.map(show) };
  const named = { name: basename(path, extname(path)), ...yaml.value };
  const read = readAlert(named, { findBackend: (id) => ({ id }) });
  if ("form" in read) return read;
  const found = Object.entries(read.problems).flatMap(([field, texts]) =>
    texts.map((each) => show({ offset: yaml.offsetOf([field]), message: `${field}: ${each}` })),
  );
  return { problems: found };
}
