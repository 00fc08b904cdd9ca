import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { hidesSecrets, showAlert } from "../../../alerts/alert-document.ts";
import { AlertDocument } from "../../../alerts/alert-form.ts";
import { type AlertFile, loadAlerts } from "../../../alerts/load-alerts.ts";
import { CliError, type CommandContext, failForAny, print, printAnswer } from "../../context.ts";
import { type PullOptions, writePulled } from "../../output/write-pulled.ts";
import { readAnswer } from "../../service-call.ts";

/** The fields of an alert that a file has, without secrets. */
type Fields = Readonly<Record<string, unknown>> & { readonly name: string };

/** The exit code of `alert diff` when there are changes. */
const differsExitCode = 2;

/**
 * Writes the alerts of a service as files. A file with the same meaning is not rewritten; one with a different meaning
 * is overwritten only with `force`, and without it nothing at all is written. Alerts with secrets of their own, which
 * no file can have, are named and left out.
 */
export async function pullAlerts(context: CommandContext, folder: string, options: PullOptions): Promise<void> {
  const directory = resolve(context.workingDir, folder);
  const service = await readServiceAlerts(context);
  await mkdir(directory, { recursive: true });
  const files = await loadAlerts(directory);
  const writes: { readonly name: string; readonly file: string; readonly text: string }[] = [];
  const conflicts: string[] = [];
  const names: string[] = [];
  const taken = new Set(files.map(({ path }) => path));
  for (const fields of service) {
    const known = files.find(({ form }) => form.name === fields.name);
    if (known !== undefined && changedFields(fieldsOf(known), fields).length === 0) continue;
    if (hidesSecrets(fields)) {
      names.push(fields.name);
      continue;
    }
    const file = known?.path ?? (await freePath(directory, fields.name, taken));
    taken.add(file);
    if (known !== undefined) conflicts.push(file);
    writes.push({ name: fields.name, file, text: stringify(fields, { lineWidth: 0 }) });
  }
  const skipped = { names, why: "it has secrets; name a backend in notify" };
  const unchanged = service.length - writes.length - names.length;
  await writePulled({ writes, conflicts, skipped, unchanged }, options, context);
}

/** Prints what `alert apply` would do, and fails with 2 when there are changes. Other alerts are left as they are. */
export async function diffAlerts(context: CommandContext, path: string): Promise<void> {
  const files = await loadAlerts(resolve(context.workingDir, path));
  const service = await readServiceAlerts(context);
  const changes = files.flatMap((file) => {
    const { name } = file.form;
    const before = service.find((each) => each.name === name);
    if (before === undefined) return [{ action: "create", name, fields: [] }];
    const fields = changedFields(before, fieldsOf(file));
    return fields.length === 0 ? [] : [{ action: "change", name, fields }];
  });
  printAnswer(context, changes, () => {
    for (const { action, name, fields } of changes) {
      print(context.output, `${action} ${name}${fields.length === 0 ? "" : `: ${fields.join(", ")}`}`);
    }
  });
  failForAny(changes, "change", differsExitCode);
}

/** Reads the alerts of a service. Throws `CliError` for two of one name, which files cannot distinguish. */
async function readServiceAlerts(context: CommandContext): Promise<readonly Fields[]> {
  const shown = await readAnswer<readonly Readonly<Record<string, unknown>>[]>(context, "/api/alerts");
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
