import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { AlertDocument, hidesSecrets, showAlert } from "../../../alerts/alert-document.ts";
import { type AlertFile, loadAlerts } from "../../../alerts/load-alerts.ts";
import type { ServiceCommandOptions } from "../../command-definition.ts";
import { type CliContext, CliError, print, printJson } from "../../context.ts";
import { readAnswer } from "../../service-call.ts";

/** The fields of an alert that a file has, without secrets. */
type Fields = Readonly<Record<string, unknown>> & { readonly name: string };

/** The exit code of `alert diff` when there are changes. */
const differsExitCode = 2;

export interface PullOptions extends ServiceCommandOptions {
  /** Overwrite files with different content. */
  readonly force?: boolean;
}

/**
 * Writes the alerts of a service as files. A file with the same meaning is not rewritten; one with a different meaning
 * is overwritten only with `force`, and without it nothing at all is written. Alerts with secrets of their own, which
 * no file can have, are named and left out.
 */
export async function pullAlerts(folder: string, options: PullOptions, context: CliContext): Promise<void> {
  const directory = resolve(context.workingDir, folder);
  const service = await readServiceAlerts(options, context);
  await mkdir(directory, { recursive: true });
  const files = await loadAlerts(directory);
  const writes: { readonly name: string; readonly file: string; readonly text: string }[] = [];
  const conflicts: string[] = [];
  const skipped: string[] = [];
  const taken = new Set(files.map(({ path }) => path));
  for (const fields of service) {
    const known = files.find(({ form }) => form.name === fields.name);
    if (known !== undefined && changedFields(fieldsOf(known), fields).length === 0) continue;
    if (hidesSecrets(fields)) {
      skipped.push(fields.name);
      continue;
    }
    const file = known?.path ?? (await freePath(directory, fields.name, taken));
    taken.add(file);
    if (known !== undefined) conflicts.push(file);
    writes.push({ name: fields.name, file, text: stringify(fields, { lineWidth: 0 }) });
  }
  if (conflicts.length > 0 && options.force !== true) {
    const list = conflicts.map((path) => `  ${path}`).join("\n");
    throw new CliError(`These files say something else than the service; --force overwrites them:\n${list}`);
  }
  for (const { file, text } of writes) await writeFile(file, text);
  const unchanged = service.length - writes.length - skipped.length;
  if (options.json === true) {
    printJson(context.output, { written: writes.map(({ name, file }) => ({ name, file })), skipped, unchanged });
    return;
  }
  for (const { file } of writes) print(context.output, `wrote ${file}`);
  for (const name of skipped) print(context.output, `left out ${name}: it has secrets; name a backend in notify`);
  print(context.output, `${writes.length} written, ${skipped.length} left out, ${unchanged} unchanged`);
}

/** Prints what `alert apply` would do, and fails with 2 when there are changes. Other alerts are left as they are. */
export async function diffAlerts(path: string, options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const files = await loadAlerts(resolve(context.workingDir, path));
  const service = await readServiceAlerts(options, context);
  const changes = files.flatMap((file) => {
    const { name } = file.form;
    const before = service.find((each) => each.name === name);
    if (before === undefined) return [{ action: "create", name, fields: [] }];
    const fields = changedFields(before, fieldsOf(file));
    return fields.length === 0 ? [] : [{ action: "change", name, fields }];
  });
  if (options.json === true) printJson(context.output, changes);
  else {
    for (const { action, name, fields } of changes) {
      print(context.output, `${action} ${name}${fields.length === 0 ? "" : `: ${fields.join(", ")}`}`);
    }
  }
  const { length } = changes;
  if (length === 0) return;
  throw new CliError(length === 1 ? "There is a change" : `There are ${length} changes`, differsExitCode);
}

/** Reads the alerts of a service. Throws `CliError` for two of one name, which files cannot tell apart. */
async function readServiceAlerts(options: ServiceCommandOptions, context: CliContext): Promise<readonly Fields[]> {
  const shown = await readAnswer<readonly Readonly<Record<string, unknown>>[]>("/api/alerts", options, context);
  const alerts = shown.map(keepFields);
  const names = alerts.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new CliError(`Two alerts of the service have the name ${twin}: rename one`);
  return alerts;
}

/** The fields of a file as the service would show them. */
function fieldsOf({ form }: AlertFile): Fields {
  return keepFields(showAlert({ id: "", form, createdAtMs: 0, updatedAtMs: 0 }));
}

function keepFields(shown: Readonly<Record<string, unknown>>): Fields {
  const { enabled, ...own } = Object.fromEntries(
    Object.keys(AlertDocument.properties).flatMap((field) => {
      const value = shown[field];
      return value === undefined || value === null ? [] : [[field, value]];
    }),
  );
  return { ...own, ...(enabled === false ? { enabled } : {}), name: String(shown.name) };
}

function changedFields(before: Fields, after: Fields): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name])).sort();
}

/** A file that no alert has and that does not exist; names of alerts may be any text. */
async function freePath(directory: string, name: string, taken: ReadonlySet<string>): Promise<string> {
  const stem = name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 60);
  for (let number = 1; ; number += 1) {
    const path = join(directory, `${stem}${number === 1 ? "" : `-${number}`}.yaml`);
    if (!taken.has(path) && !(await readFile(path).then(Boolean, () => false))) return path;
  }
}
