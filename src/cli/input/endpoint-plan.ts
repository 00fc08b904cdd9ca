import type {
  EndpointContract,
  EndpointDefinition,
  ParameterDefinition,
} from "../../endpoints/definition/definition.ts";
import { describeDefinition, readDocument } from "../../endpoints/definition/document.ts";
import { toDefinition } from "../../endpoints/definition/to-definition.ts";
import { changedFields, compareVersions, type VersionComparison } from "../../endpoints/versions/compare-versions.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { CliError, type CommandContext } from "../context.ts";
import { readAnswer } from "../service-call.ts";
import { checkedName } from "./checked-name.ts";
import type { EndpointFile } from "./endpoint-folder.ts";

interface ContractAnswer {
  readonly parameters: readonly {
    readonly name: string;
    readonly type: ParameterDefinition["type"];
    readonly required: boolean;
    readonly allowed: readonly unknown[] | null;
    readonly default: unknown;
  }[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

interface EndpointAnswer {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly origin: "file" | "api";
  readonly contract: ContractAnswer;
}

/** An endpoint of a service. */
export interface ServiceEndpoint {
  readonly definition: EndpointDefinition;
  readonly contract: EndpointContract;
  readonly version: number;
  /** True where the service reads it from a file of its own. */
  readonly isFile: boolean;
}

/** The action planned for one endpoint of a service. */
export interface PlannedChange {
  readonly action: "create" | "update" | "delete";
  readonly definition: EndpointDefinition;
  /** The definition that an update replaces. */
  readonly previous?: EndpointDefinition;
  /** The version that the change builds on. */
  readonly version: number | undefined;
  /** For an update: undefined where the new contract is known only once others are written. */
  readonly comparison: VersionComparison | undefined;
}

/** The actions that make a service's endpoints match a folder, in their required order. */
export interface EndpointPlan {
  readonly changes: readonly PlannedChange[];
  readonly unchangedCount: number;
  /** Names of endpoints that only the service has, and that are not deleted. */
  readonly kept: readonly string[];
}

/** The endpoints of a service, by id. */
export async function readServiceEndpoints(context: CommandContext): Promise<ReadonlyMap<string, ServiceEndpoint>> {
  const answers = await readAnswer<readonly EndpointAnswer[]>(context, "/api/endpoints");
  return new Map(answers.map((answer) => [answer.id, toServiceEndpoint(answer)]));
}

function toServiceEndpoint(answer: EndpointAnswer): ServiceEndpoint {
  const { name: read = answer.name, query = "", ...header } = readDocument(answer).fields;
  const name = checkedName(read);
  return {
    definition: toDefinition({ ...header, id: checkedName(answer.id) }, name, query).definition,
    contract: toContract(answer.contract),
    version: answer.version,
    isFile: answer.origin === "file",
  };
}

/** Types are compared as they are shown: the text stands in for the type. */
function toContract({ parameters, columns }: ContractAnswer): EndpointContract {
  return {
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: parameter.type,
      isRequired: parameter.required,
      allowed: parameter.allowed?.map(String),
      default: parameter.default === null ? null : String(parameter.default),
      description: undefined,
    })),
    columns: columns.map(({ name, type }) => ({ name, type: { kind: type } as SqlType })),
  };
}

/**
 * Compares a folder with a service and lets the service check every change, before any is made. Throws one `CliError`
 * with all that stands in the way. Endpoints are the same by id; those that are in the service alone are deleted with
 * `prune`.
 */
export async function planEndpoints(
  files: readonly EndpointFile[],
  prune: boolean,
  context: CommandContext,
): Promise<EndpointPlan> {
  const service = await readServiceEndpoints(context);
  const problems: string[] = [];
  const pending = files.filter(({ path, definition }) => {
    const current = service.get(definition.id);
    if (current !== undefined && changedFields(current.definition, definition).length === 0) return false;
    if (current?.isFile !== true) return true;
    problems.push(`${path}: the service has ${definition.name} in a file of its own: change it there`);
    return false;
  });
  const changes: PlannedChange[] = [];
  for (const file of inOrderOfReading(pending)) {
    const { path, definition } = file;
    const current = service.get(definition.id);
    // A reader of an endpoint that is not written yet can only be checked then.
    const isOpen = pending.some((other) => other !== file && reads(definition, other.definition));
    const contract = isOpen ? undefined : await validate(definition, context).catch(noteIn(problems, path));
    changes.push({
      action: current === undefined ? "create" : "update",
      definition,
      ...(current === undefined ? {} : { previous: current.definition }),
      version: current?.version,
      comparison:
        current === undefined || contract === undefined
          ? undefined
          : compareVersions(current, { definition, contract }),
    });
  }
  if (problems.length > 0) throw new CliError(problems.join("\n"));
  const ids = new Set(files.map(({ definition }) => definition.id));
  const alone = [...service.values()].filter(({ definition, isFile }) => !isFile && !ids.has(definition.id));
  const deleted = prune ? inOrderOfReading(alone).toReversed() : [];
  return {
    changes: [
      ...changes,
      ...deleted.map(({ definition, version }): PlannedChange => {
        return { action: "delete", definition, version, comparison: undefined };
      }),
    ],
    unchangedCount: files.length - pending.length,
    kept: prune ? [] : alone.map(({ definition }) => definition.name),
  };
}

function noteIn(problems: string[], path: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof CliError)) throw error;
    problems.push(`${path}: ${error.message}`);
  };
}

async function validate(definition: EndpointDefinition, context: CommandContext): Promise<EndpointContract> {
  const body = describeDefinition(definition);
  return toContract((await readAnswer<EndpointAnswer>(context, "/api/endpoints/validate", { body })).contract);
}

/** An endpoint comes before its readers. */
function inOrderOfReading<T extends { readonly definition: EndpointDefinition }>(
  endpoints: readonly T[],
): readonly T[] {
  const ordered: T[] = [];
  const seen = new Set<T>();
  const visit = (endpoint: T) => {
    if (seen.has(endpoint)) return;
    seen.add(endpoint);
    for (const other of endpoints) if (reads(endpoint.definition, other.definition)) visit(other);
    ordered.push(endpoint);
  };
  for (const endpoint of endpoints) visit(endpoint);
  return ordered;
}

/** True where the query seems to read the other as a table; too often does no harm. */
function reads({ query }: EndpointDefinition, { name }: EndpointDefinition): boolean {
  const pattern = new RegExp(`(?<![\\w.-])${name.replaceAll(".", "\\.")}(?![\\w-])`, "i");
  return pattern.test(query);
}
