import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeDefinition } from "../../endpoints/definition/document.ts";
import { writeEndpointFile } from "../../endpoints/definition/write-endpoint-file.ts";
import { changedFields } from "../../endpoints/versions/compare-versions.ts";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { readEndpointFolder } from "../input/endpoint-folder.ts";
import { type PlannedChange, planEndpoints, readServiceEndpoints } from "../input/endpoint-plan.ts";
import { confirm } from "../output/confirm.ts";
import { planToJson, printPlan } from "../output/print-plan.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "../service-call.ts";

export interface SyncOptions extends ServiceOptions {
  readonly json?: boolean;
  /** Overwrite files with different content. */
  readonly force?: boolean;
  /** Delete endpoints that are not in the folder. */
  readonly prune?: boolean;
  /** Do not ask for confirmation. */
  readonly yes?: boolean;
}

/** The exit code of `endpoint diff` when there are changes. */
const differsExitCode = 2;

/**
 * Writes the endpoints of a service as files. A file with the same meaning is not rewritten; one with a different
 * meaning is overwritten only with `force`, and without it nothing at all is written.
 */
export async function pullEndpoints(folder: string, options: SyncOptions, context: CliContext): Promise<void> {
  const directory = resolve(context.workingDir, folder);
  const service = await readServiceEndpoints(options, context);
  await mkdir(directory, { recursive: true });
  const files = await readEndpointFolder(directory);
  const writes: { readonly name: string; readonly path: string; readonly text: string }[] = [];
  const conflicts: string[] = [];
  for (const { definition } of service.values()) {
    const known = files.find((file) => file.definition.id === definition.id);
    if (known !== undefined && changedFields(known.definition, definition).length === 0) continue;
    const path = known?.path ?? join(directory, `${definition.name}.sql`);
    const isTaken = known !== undefined || (await readFile(path).then(Boolean, () => false));
    if (isTaken) conflicts.push(path);
    writes.push({ name: definition.name, path, text: writeEndpointFile(definition) });
  }
  if (conflicts.length > 0 && options.force !== true) {
    const list = conflicts.map((path) => `  ${path}`).join("\n");
    throw new CliError(`These files say something else than the service; --force overwrites them:\n${list}`);
  }
  for (const { path, text } of writes) await writeFile(path, text);
  const unchanged = service.size - writes.length;
  if (options.json === true) {
    printJson(context.output, { written: writes.map(({ name, path }) => ({ name, file: path })), unchanged });
    return;
  }
  for (const { path } of writes) print(context.output, `wrote ${path}`);
  print(context.output, `${writes.length} written, ${unchanged} unchanged`);
}

/** Prints what `applyEndpoints` would do, and fails with 2 when there are changes. */
export async function diffEndpoints(folder: string, options: SyncOptions, context: CliContext): Promise<void> {
  const plan = await planEndpoints(await readEndpointFolder(resolve(context.workingDir, folder)), options, context);
  if (options.json === true) printJson(context.output, planToJson(plan));
  else printPlan(plan, context);
  const { length } = plan.changes;
  if (length === 0) return;
  throw new CliError(length === 1 ? "There is a change" : `There are ${length} changes`, differsExitCode);
}

/**
 * Makes the endpoints of a service match a folder, after confirmation. Every change is checked before the first one is
 * made.
 */
export async function applyEndpoints(folder: string, options: SyncOptions, context: CliContext): Promise<void> {
  const plan = await planEndpoints(await readEndpointFolder(resolve(context.workingDir, folder)), options, context);
  if (options.json !== true) printPlan(plan, context);
  if (plan.changes.length > 0 && options.yes !== true) {
    const isAgreed = await confirm("Apply this?", context);
    if (isAgreed === undefined) throw new CliError("Nobody can be asked here: --yes applies the plan without asking");
    if (!isAgreed) throw new CliError("Nothing was changed");
  }
  const applied = await applyChanges(plan.changes, options, context);
  if (options.json === true) {
    printJson(context.output, { applied: applied.map(toJson), unchanged: plan.unchangedCount, kept: plan.kept });
    return;
  }
  for (const { change, version } of applied) {
    const suffix = version === undefined ? "" : ` (version ${version})`;
    print(context.output, `${change.action}d ${change.definition.name}${suffix}`);
  }
}

/** A change that was made, and the version that the endpoint has now. */
interface AppliedChange {
  readonly change: PlannedChange;
  readonly version: number | undefined;
}

function toJson({ change, version }: AppliedChange): object {
  const { action, definition } = change;
  return { action, name: definition.name, id: definition.id, version: version ?? null };
}

/** Makes all changes; when one is refused after all, the earlier ones are undone. */
async function applyChanges(
  changes: readonly PlannedChange[],
  options: ServiceOptions,
  context: CliContext,
): Promise<readonly AppliedChange[]> {
  const applied: AppliedChange[] = [];
  for (const change of changes) {
    try {
      applied.push({ change, version: await write(change, options, context) });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      for (const each of applied.toReversed()) await undo(each, options, context);
      const undone = applied.length === 0 ? "" : "; what was done before it was undone";
      throw new CliError(`${change.definition.name}: ${error.message}\nNothing was changed${undone}.`);
    }
  }
  return applied;
}

async function undo({ change, version }: AppliedChange, options: ServiceOptions, context: CliContext): Promise<void> {
  const { action, definition, previous } = change;
  if (action === "create") await write({ ...change, action: "delete", version }, options, context);
  else if (previous !== undefined) await write({ ...change, definition: previous, version }, options, context);
  else await send("POST", `/api/endpoints/${definition.id}/versions/${change.version}/rollback`, {}, options, context);
}

/** Makes one change and answers the version that the endpoint has then. */
async function write(
  { action, definition, version }: PlannedChange,
  options: ServiceOptions,
  context: CliContext,
): Promise<number | undefined> {
  const path = action === "create" ? "/api/endpoints" : `/api/endpoints/${definition.id}`;
  const method = { create: "POST", update: "PUT", delete: "DELETE" }[action];
  const ifMatch = version === undefined ? {} : { "if-match": `"${version}"` };
  if (action === "delete") {
    await send(method, path, { headers: ifMatch }, options, context);
    return undefined;
  }
  const request = {
    headers: { ...ifMatch, "content-type": "application/json" },
    body: JSON.stringify(describeDefinition(definition)),
  };
  const response = await send(method, path, request, options, context);
  return ((await response.json()) as { readonly version: number }).version;
}

async function send(
  method: string,
  path: string,
  request: RequestInit,
  options: ServiceOptions,
  context: CliContext,
): Promise<Response> {
  const response = await createServiceClient(options, context).send(path, { ...request, method });
  if (!response.ok) throw new CliError(await describeAnswer(response));
  return response;
}
