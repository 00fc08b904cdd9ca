/**
 * The surroundings of the cases: one engine after the other over one place, and shorthands for the contract's calls.
 */

import type {
  AppendResult,
  CompiledQuery,
  Engine,
  LogEvent,
  ParameterValue,
  QueryLimits,
  RowEncoding,
  RunningQuery,
  SourceDefinition,
} from "../../src/engines/contract/query-engine.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveQuery } from "../../src/googlesql/resolve.ts";
import type { SqlType } from "../../src/googlesql/types.ts";

/** Opens the engine under test over the place's store: empty the first time, then as the engine before left it. */
export type OpenEngine = () => Promise<Engine>;

export interface AskOptions {
  readonly parameters?: Readonly<Record<string, { readonly type: SqlType; readonly value: ParameterValue }>>;
  readonly encoding?: RowEncoding;
  readonly limits?: Partial<QueryLimits>;
  readonly signal?: AbortSignal;
  /** Whose view of the tables is read; the whole unless set. */
  readonly tenant?: string;
}

type Fields = LogEvent["fields"];

const defaultLimits: QueryLimits = { timeoutMs: 60_000, maxRows: 10_000, maxResultBytes: 10_000_000 };

/** A new signal for each call, which is never aborted. */
const never = () => new AbortController().signal;

/** An event with an id of its sender's. */
export function eventOf(id: string, fields: Fields = {}, timestampUs = 1_000_000n): LogEvent {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: `message ${id}`, fields };
}

export class Bench {
  readonly #open: OpenEngine;
  readonly #prefix: string;
  #engine: Engine;
  #sourceCount = 0;
  readonly #prepared = new Map<string, Promise<void>>();

  private constructor(open: OpenEngine, engine: Engine, prefix: string) {
    this.#open = open;
    this.#engine = engine;
    this.#prefix = prefix;
  }

  /** Sources of cases begin with the prefix; benches over one place have different ones. */
  static async open(open: OpenEngine, prefix = "case"): Promise<Bench> {
    return new Bench(open, await open(), prefix);
  }

  get engine(): Engine {
    return this.#engine;
  }

  /** Closes the engine and opens another over the same place. Definitions have to be told again. */
  async reopen(): Promise<void> {
    await this.#engine.close();
    this.#engine = await this.#open();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Does the work the first time the name is asked for. */
  async prepare(name: string, work: () => Promise<void>): Promise<void> {
    const prepared = this.#prepared.get(name) ?? work();
    this.#prepared.set(name, prepared);
    await prepared;
  }

  /** Makes a source that no other case uses, and answers its name. */
  async makeSource(definition: Partial<SourceDefinition> = {}): Promise<string> {
    const name = `${this.#prefix}_${++this.#sourceCount}`;
    await this.define(name, definition);
    return name;
  }

  define(name: string, definition: Partial<SourceDefinition> = {}): Promise<void> {
    return this.#engine.store.ensureSource({ knownFields: [], ...definition, name });
  }

  append(source: string, events: readonly LogEvent[], signal = never()): Promise<AppendResult> {
    return this.#engine.store.append(source, events, signal);
  }

  /** Compiles a query over the sources as they are now, as the tenant sees them. */
  compile(text: string, types: ReadonlyMap<string, SqlType> = new Map(), tenant?: string): CompiledQuery {
    const { store } = this.#engine;
    const tables = { findTable: (name: string) => store.describe(name, tenant), tableNames: () => [] };
    return this.#engine.compile(resolveQuery(parseQuery(text), text, { tables, parameters: types }), { text });
  }

  /** Starts a query. */
  start(text: string, options: AskOptions = {}): Promise<RunningQuery> {
    const { parameters = {}, tenant } = options;
    const types = new Map(Object.entries(parameters).map(([name, { type }]) => [name, type]));
    return this.startCompiled(this.compile(text, types, tenant), options);
  }

  /** Starts a query that was compiled before. */
  startCompiled(query: CompiledQuery, options: AskOptions = {}): Promise<RunningQuery> {
    const { parameters = {}, encoding = "objects", limits, signal = never() } = options;
    const values = query.parameters.map(({ key }) => parameters[key]?.value ?? null);
    return this.#engine.run({ query, values, encoding, limits: { ...defaultLimits, ...limits }, signal });
  }

  /** The rows' JSON text, as the engine writes it. */
  async askText(text: string, options: AskOptions = {}): Promise<string> {
    return readText(await this.start(text, options));
  }

  async ask(text: string, options: AskOptions = {}): Promise<unknown[]> {
    return JSON.parse(await this.askText(text, options)) as unknown[];
  }

  /** The values of a query's only column. */
  async askValues(text: string, options: AskOptions = {}): Promise<unknown[]> {
    return (await this.ask(text, { ...options, encoding: "cells" })).map((row) => (row as unknown[])[0]);
  }
}

/** All rows of a query that was started, as one JSON array. */
export async function readText({ batches }: RunningQuery): Promise<string> {
  const parts: string[] = [];
  for await (const { json, rowCount } of batches) if (rowCount > 0) parts.push(json);
  return `[${parts.join(",")}]`;
}
