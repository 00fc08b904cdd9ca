/** Two stores, one of which holds a single tenant's events, and calls of endpoints over both. */

import { readsOf } from "../../../src/endpoints/call/plan/planned-query.ts";
import { createPlanner } from "../../../src/endpoints/call/plan/planner.ts";
import { prepareCall } from "../../../src/endpoints/call/prepare/prepare-call.ts";
import type { PreparedCall } from "../../../src/endpoints/call/prepare/query-call.ts";
import { createDataThrough, type DataThrough } from "../../../src/endpoints/call/run/data-through.ts";
import { runPrepared } from "../../../src/endpoints/call/run/run-prepared.ts";
import type { EndpointRunner } from "../../../src/endpoints/call/run/runner.ts";
import { checkEndpoint, lookupOf } from "../../../src/endpoints/definition/check-endpoint.ts";
import { formatContractType } from "../../../src/endpoints/definition/contract.ts";
import type { Endpoint, ParameterType } from "../../../src/endpoints/definition/definition.ts";
import { draftEndpoint } from "../../../src/endpoints/definition/draft-endpoint.ts";
import { describeByField } from "../../../src/endpoints/definition/field-problem.ts";
import type { ParameterHeader } from "../../../src/endpoints/definition/header.ts";
import { toDefinition } from "../../../src/endpoints/definition/to-definition.ts";
import { createCursorSealer } from "../../../src/endpoints/paging/cursor.ts";
import { readNewestOfTenant, type TenantOfSource } from "../../../src/endpoints/tenants/newest-of-tenant.ts";
import type { Engine, LogEvent } from "../../../src/engines/contract/query-engine.ts";
import { openMemoryEngine } from "../../../src/engines/duckdb/index.ts";
import { Admission } from "../../../src/shared/concurrency/admission.ts";
import { ServiceError } from "../../../src/shared/errors.ts";
import { openSources } from "../../../src/sources/source-registry.ts";

const never = new AbortController().signal;
const nowMs = () => 1_787_216_400_000;

/** The tenant whose token calls. */
export const ownTenant = "own";

/** An endpoint to be called, or read by others. */
export interface Draft {
  readonly name: string;
  readonly query: string;
  readonly isSandboxed?: boolean;
  readonly tenantParameter?: string;
  /** Names, each with its type behind a colon unless it is a text. */
  readonly parameters?: readonly string[];
}

/** One call; a pin is a value that the token sets. */
export interface Call {
  readonly pins?: Readonly<Record<string, string>>;
  readonly sent?: Readonly<Record<string, string>>;
}

/** The sources of both stores: three with tenants, of which one has them inside its record, and one without. */
const sourceOf = (name: string, knownFields: readonly (readonly [string, "STRING" | "INT64"])[], tenant?: string) => ({
  name,
  kind: "x",
  description: "",
  retentionDays: undefined,
  aliases: [],
  knownFields: knownFields.map(([path, kind]) => ({ path, type: { kind } as const })),
  ...(tenant === undefined ? {} : { tenantField: tenant }),
});
const sources = [
  sourceOf(
    "edge",
    [
      ["project", "STRING"],
      ["level", "STRING"],
      ["n", "INT64"],
    ],
    "project",
  ),
  sourceOf(
    "db",
    [
      ["project", "STRING"],
      ["level", "STRING"],
      ["n", "INT64"],
    ],
    "project",
  ),
  sourceOf(
    "jobs",
    [
      ["metadata.ref", "STRING"],
      ["metadata.n", "INT64"],
    ],
    "metadata.ref",
  ),
  sourceOf("notes", [
    ["project", "STRING"],
    ["n", "INT64"],
  ]),
];

/** Ids are equal across tenants now and then; the others' values are larger, smaller and more than the own ones. */
function eventsOf(source: string): readonly (LogEvent & { readonly tenant: string | undefined })[] {
  const tenants = ["other", ownTenant, "third", "other", ownTenant, "Own", undefined, "zz"];
  return tenants.map((tenant, index) => {
    const n = tenant === ownTenant ? 5 + index : 100 - 30 * index;
    const level = index % 2 === 0 ? "info" : "error";
    const isJob = source === "jobs";
    // Another field with nearly the tenant field's name says that every event is the own tenant's.
    const posing = isJob ? { Ref: ownTenant } : { Project: ownTenant };
    const told = tenant === undefined ? {} : { ...posing, [isJob ? "ref" : "project"]: tenant };
    const own = { n, [`only_${tenant}`]: 1 };
    return {
      id: index < 2 && source !== "notes" ? `same-${source}` : `${tenant}-${source}-${index}`,
      hasGeneratedId: false,
      timestampUs: 1_787_216_000_000_000n + BigInt(index) * 1_000_000n,
      eventMessage: `${tenant} ${index}`,
      fields: isJob ? { metadata: { ...told, ...own } } : { ...told, level, ...own },
      tenant,
    };
  });
}

/** The answer of a call: its rows and the time of its newest event as reported, or the error. */
export type Answer =
  | { readonly rows: readonly string[]; readonly columns: readonly string[]; readonly through: string }
  | { readonly error: string; readonly message: string };

/** One store with the endpoints over it. */
export interface Setup {
  /** Saves endpoints as the service does; each may read those before it. Answers their warnings. */
  save(drafts: readonly Draft[]): readonly (readonly string[])[];
  has(name: string): boolean;
  ask(name: string, call: Call): Promise<Answer>;
  /** All that decides the call's answer: the query that the engine gets, its values, and what it says to read. */
  plan(name: string, call: Call): string;
  /** The time of the own tenant's newest event in a source, as the store says. */
  readNewest(source: string): Promise<string>;
  /** Tells tenants apart in the source `notes`, or no longer. */
  separateNotes(isSeparate: boolean): Promise<void>;
  /** The next call is planned as the first one. */
  forgetPlans(): void;
}

/** `alone` holds the own tenant's events only, `shared` those of all. */
export interface Setups {
  readonly alone: Setup;
  readonly shared: Setup;
  close(): Promise<void>;
}

export async function openSetups(
  open: () => Promise<Engine> = () => openMemoryEngine({ threads: 1 }),
): Promise<Setups> {
  const [alone, shared] = await Promise.all([open(), open()]);
  return {
    alone: await openSetup(alone, (tenant) => tenant === ownTenant),
    shared: await openSetup(shared, () => true),
    async close() {
      await Promise.all([alone.close(), shared.close()]);
    },
  };
}

async function openSetup(engine: Engine, holds: (tenant: string | undefined) => boolean): Promise<Setup> {
  const tables = await openSources(sources, engine.store);
  for (const { name } of sources) {
    const events = eventsOf(name).filter(({ tenant }) => holds(tenant));
    await engine.store.append(
      name,
      events.map(({ tenant: _, ...event }) => event),
      never,
    );
  }
  const endpoints = new Map<string, Endpoint>();
  const lookup = { findByName: (name: string) => endpoints.get(name), names: () => [...endpoints.keys()] };
  const dependencies = { engine, tables, endpoints: lookup, nowMs };
  const runner = {
    engine,
    admission: new Admission({ maxRunning: 4, maxWaiting: 1_000 }),
    cursors: createCursorSealer(new Uint8Array(32)),
    timeoutMs: 30_000,
    maxResultBytes: 10_000_000,
    now: () => 0,
  };
  let planner = createPlanner(dependencies);
  const readNewest = (of: TenantOfSource) => readNewestOfTenant(engine, tables, of, never);
  const dataThrough = await createDataThrough(engine.store, readNewest, never);
  const find = (name: string): Endpoint => {
    const found = endpoints.get(name);
    if (found === undefined) throw new Error(`There is no endpoint ${name}`);
    return found;
  };
  return {
    save: (drafts) =>
      drafts.map((draft) => {
        const endpoint = makeEndpoint(draft, dependencies, [...endpoints.values()]);
        endpoints.set(draft.name, endpoint);
        return endpoint.warnings ?? [];
      }),
    async readNewest(source) {
      const sourceNewestUs = dataThrough.newestOf(source) ?? 0n;
      return String(await readNewest({ source, tenant: ownTenant, sourceNewestUs }));
    },
    async separateNotes(isSeparate) {
      const wanted = sources.map((source) =>
        source.name === "notes" && isSeparate ? { ...source, tenantField: "project" } : source,
      );
      await tables.prepare(wanted);
      tables.replace(wanted);
    },
    forgetPlans() {
      planner = createPlanner(dependencies);
    },
    has: (name) => endpoints.has(name),
    plan(name, call) {
      try {
        const { query, values } = prepare({ ...runner, planner }, find(name), call);
        return JSON.stringify([query.digest, query.columns, values, query.reads]);
      } catch (error) {
        return String(error);
      }
    },
    ask: (name, call) => askWith({ runner: { ...runner, planner }, dataThrough }, find(name), call),
  };
}

function toParameter(text: string): [string, ParameterHeader] {
  const [name = "", type] = text.split(":");
  return [name, type === undefined ? {} : { type: type as ParameterType }];
}

let made = 0;

function makeEndpoint(
  { name, query, isSandboxed = false, tenantParameter, parameters = ["project"] }: Draft,
  dependencies: Pick<Parameters<typeof createPlanner>[0], "engine" | "tables">,
  others: readonly Endpoint[],
): Endpoint {
  const header = {
    id: `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`,
    sandbox: isSandboxed,
    parameters: Object.fromEntries(parameters.map((each) => toParameter(each))),
    ...(tenantParameter === undefined ? {} : { tenant_parameter: tenantParameter }),
  };
  const { definition, problems } = toDefinition(header, name, query);
  const draft = draftEndpoint(definition);
  const checked = checkEndpoint(draft, { ...dependencies, endpoints: lookupOf([...others, draft]) }, { isNew: true });
  const all = [...problems, ...(checked.problems ?? [])];
  if (checked.endpoint === undefined || all.length > 0) throw new Error(JSON.stringify(describeByField(all, query)));
  return checked.endpoint;
}

function prepare(runner: EndpointRunner, target: Endpoint, { pins = {}, sent = {} }: Call): PreparedCall {
  const parameters = new Map(Object.entries({ ...sent, ...pins }));
  return prepareCall(runner, { target, parameters, pinned: new Set(Object.keys(pins)), redactsPii: false });
}

/** As the service answers a call of a token with these pins. */
async function askWith(
  { runner, dataThrough }: { readonly runner: EndpointRunner; readonly dataThrough: DataThrough },
  target: Endpoint,
  call: Call,
): Promise<Answer> {
  try {
    const prepared = prepare(runner, target, call);
    let json = "";
    for await (const batch of runPrepared(runner, prepared, never)) {
      if (batch.rowCount > 0) json += `${json === "" ? "" : ","}${batch.json}`;
    }
    const through = await dataThrough.of(readsOf(prepared.query));
    return {
      rows: (JSON.parse(`[${json}]`) as unknown[]).map((row) => JSON.stringify(row)).sort(),
      columns: prepared.query.columns.map(({ name, type }) => `${name} ${formatContractType(type)}`),
      through: String(through),
    };
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.code, message: error.message };
    throw error;
  }
}
