import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeDefinition } from "../../endpoints/definition/document.ts";
import { writeEndpointFile } from "../../endpoints/definition/write-endpoint-file.ts";
import { changedFields } from "../../endpoints/versions/compare-versions.ts";
import { CliError, type CommandContext, failForAny, print, printAnswer } from "../context.ts";
import { readEndpointFolder } from "../input/endpoint-folder.ts";
import { type EndpointPlan, type PlannedChange, planEndpoints, readServiceEndpoints } from "../input/endpoint-plan.ts";
import { confirm } from "../output/confirm.ts";
import { planToJson, printPlan } from "../output/print-plan.ts";
import { type PullOptions, writePulled } from "../output/write-pulled.ts";
import { readAnswer } from "../service-call.ts";

interface PlanOptions {
  /** Delete endpoints that are not in the folder. */
  readonly prune?: boolean;
}

interface ApplyOptions extends PlanOptions {
  /** Do not ask for confirmation. */
  readonly yes?: boolean;
}

/** The exit code of `endpoint diff` when there are changes. */
const differsExitCode = 2;

/**
 * Writes the endpoints of a service as files. A file with the same meaning is not rewritten; one with a different
 * meaning is overwritten only with `force`, and without it nothing at all is written.
 */
export async function pullEndpoints(context: CommandContext, folder: string, options: PullOptions): Promise<void> {
  const directory = resolve(context.workingDir, folder);
  const service = await readServiceEndpoints(context);
  await mkdir(directory, { recursive: true });
  const files = await readEndpointFolder(directory);
  const writes: { readonly name: string; readonly file: string; readonly text: string }[] = [];
  const conflicts: string[] = [];
  for (const { definition } of service.values()) {
    const known = files.find((each) => each.definition.id === definition.id);
    if (known !== undefined && changedFields(known.definition, definition).length === 0) continue;
    const file = known?.path ?? join(directory, `${definition.name}.sql`);
    const isTaken = known !== undefined || (await readFile(file).then(Boolean, () => false));
    if (isTaken) conflicts.push(file);
    writes.push({ name: definition.name, file, text: writeEndpointFile(definition) });
  }
  await writePulled({ writes, conflicts, unchanged: service.size - writes.length }, options, context);
}

/** Prints what `applyEndpoints` would do, and fails with 2 when there are changes. */
export async function diffEndpoints(context: CommandContext, folder: string, options: PlanOptions): Promise<void> {
  const plan = await planFolder(context, folder, options);
  printAnswer(context, planToJson(plan), () => printPlan(plan, context));
  failForAny(plan.changes, "change", differsExitCode);
}

async function planFolder(context: CommandContext, folder: string, { prune }: PlanOptions): Promise<EndpointPlan> {
  return planEndpoints(await readEndpointFolder(resolve(context.workingDir, folder)), prune === true, context);
}

/**
 * Makes the endpoints of a service match a folder, after confirmation. Every change is checked before the first one is
 * made.
 */
export async function applyEndpoints(context: CommandContext, folder: string, options: ApplyOptions): Promise<void> {
  const plan = await planFolder(context, folder, options);
  if (context.json !== true) printPlan(plan, context);
  if (plan.changes.length > 0 && options.yes !== true) {
    const isAgreed = await confirm("Apply this?", context);
    if (isAgreed === undefined) throw new CliError("Nobody can be asked here: --yes applies the plan without asking");
    if (!isAgreed) throw new CliError("Nothing was changed");
  }
  const applied = await applyChanges(plan.changes, context);
  const value = { applied: applied.map(toJson), unchanged: plan.unchangedCount, kept: plan.kept };
  printAnswer(context, value, () => {
    for (const { change, version } of applied) {
      const suffix = version === undefined ? "" : ` (version ${version})`;
      print(context.output, `${change.action}d ${change.definition.name}${suffix}`);
    }
  });
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
  context: CommandContext,
): Promise<readonly AppliedChange[]> {
  const applied: AppliedChange[] = [];
  for (const change of changes) {
    try {
      applied.push({ change, version: await write(change, context) });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      for (const each of applied.toReversed()) await undo(each, context);
      const undone = applied.length === 0 ? "" : "; what was done before it was undone";
      throw new CliError(`${change.definition.name}: ${error.message}\nNothing was changed${undone}.`);
    }
  }
  return applied;
}

async function undo({ change, version }: AppliedChange, context: CommandContext): Promise<void> {
  const { action, definition, previous } = change;
  if (action === "create") await write({ ...change, action: "delete", version }, context);
  else if (previous !== undefined) await write({ ...change, definition: previous, version }, context);
  else {
    const path = `/api/endpoints/${definition.id}/versions/${change.version}/rollback`;
    await readAnswer(context, path, { method: "POST" });
  }
}

/** Makes one change and answers the version that the endpoint has then. */
async function write(
  { action, definition, version }: PlannedChange,
  context: CommandContext,
): Promise<number | undefined> {
  const path = action === "create" ? "/api/endpoints" : `/api/endpoints/${definition.id}`;
  const method = { create: "POST", update: "PUT", delete: "DELETE" }[action];
  const headers = version === undefined ? {} : { "if-match": `"${version}"` };
  const document = action === "delete" ? {} : { body: describeDefinition(definition) };
  const answer = await readAnswer<{ readonly version: number } | undefined>(context, path, {
    ...{ method, headers, ...document },
  });
  return answer?.version;
}
