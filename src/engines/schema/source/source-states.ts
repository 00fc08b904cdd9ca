/** The sources that a store holds, as the service knows them. */

import type { TableDefinition } from "../../../googlesql/relation.ts";
import { EngineError, type SourceDefinition } from "../../contract/query-engine.ts";
import type { SchemaLimits } from "../grant-entries.ts";
import type { TableLayout } from "../layout.ts";
import type { NewSource, SourceRules, SourceSchema } from "./source-schema.ts";
import {
  type ChangeGuard,
  changeSource,
  createSourceState,
  isSameRules,
  layoutFor,
  resetSourceState,
  rulesOf,
  type SourceState,
  toNewSource,
} from "./source-state.ts";

/** How a store makes sources, and takes over what a definition declares. */
export interface SourceMaker {
  create(sources: readonly NewSource[]): Promise<readonly SourceSchema[]>;
  define(state: SourceState, definition: SourceDefinition, rules: SourceRules): Promise<void>;
}

export class SourceStates {
  readonly #limits: SchemaLimits;
  readonly #guard: ChangeGuard | undefined;
  readonly #states = new Map<string, SourceState>();
  readonly #dropping = new Map<SourceState, Promise<void>>();

  /** For as long as the definition is referenced. */
  readonly #layouts = new WeakMap<TableDefinition, TableLayout>();

  constructor(limits: SchemaLimits, guard?: ChangeGuard) {
    this.#limits = limits;
    this.#guard = guard;
  }

  /** Takes over what a host that was just opened holds; what it does not hold is gone. */
  load(schemas: readonly SourceSchema[]): void {
    const held = new Set(schemas.map(({ name }) => name));
    for (const name of this.#states.keys()) if (!held.has(name)) this.#states.delete(name);
    for (const schema of schemas) {
      const state = this.#states.get(schema.name);
      if (state === undefined) this.add(schema);
      else resetSourceState(state, schema);
    }
  }

  /** Notes a source that the host has made, unless it is known. */
  add(schema: SourceSchema): void {
    if (!this.#states.has(schema.name))
      this.#states.set(schema.name, createSourceState(schema, this.#limits, this.#guard));
  }

  /** Makes those that are missing, and takes over what each declares, where that is not what it declared before. */
  async ensure(definitions: readonly SourceDefinition[], maker: SourceMaker): Promise<void> {
    for (const { name } of definitions) await this.#waitForDrop(name);
    const missing = definitions.filter(({ name }) => this.find(name) === undefined).map(toNewSource);
    if (missing.length > 0) for (const schema of await maker.create(missing)) this.add(schema);
    for (const definition of definitions) {
      const rules = rulesOf(definition);
      const state = this.get(definition.name);
      if (state.definition !== undefined && isSameRules(rulesOf(state.definition), rules)) continue;
      await changeSource(state, async () => {
        this.checkPresent(state);
        await maker.define(state, definition, rules);
      });
    }
  }

  /** Those that are there, but for what is being dropped. */
  all(): readonly SourceState[] {
    return [...this.#states.values()].filter((state) => !this.#dropping.has(state));
  }

  /** Undefined for a source that is not there, or is being dropped. */
  find(name: string): SourceState | undefined {
    const state = this.#states.get(name);
    return state === undefined || this.#dropping.has(state) ? undefined : state;
  }

  /** Throws `unknown_source`. */
  get(name: string): SourceState {
    const state = this.find(name);
    if (state === undefined) throw new EngineError("unknown_source", `The store has no source ${name}`);
    return state;
  }

  /** The table of the source as the tenant sees it (`layoutFor`); undefined where `find` answers none. */
  describe(name: string, tenant: string | null | undefined): TableDefinition | undefined {
    const state = this.find(name);
    if (state === undefined) return undefined;
    const layout = layoutFor(state, tenant);
    this.#layouts.set(layout.definition, layout);
    return layout.definition;
  }

  /** The layout of a table that `describe` answered. */
  layoutOf(table: TableDefinition): TableLayout | undefined {
    return this.#layouts.get(table);
  }

  /**
   * Throws `unknown_source` where the source was dropped since the state was taken: what was made by it must not reach
   * another source of the name.
   */
  checkPresent(state: SourceState): void {
    if (this.get(state.name) !== state) {
      throw new EngineError("unknown_source", `The source ${state.name} was dropped meanwhile`);
    }
  }

  /** Hides the source while the work drops it, and forgets it then. Drops of one source are one. */
  async drop(name: string, work: () => Promise<void>): Promise<void> {
    const state = this.#states.get(name);
    if (state === undefined) return;
    let dropping = this.#dropping.get(state);
    if (dropping === undefined) {
      dropping = work()
        .then(() => void this.#states.delete(name))
        .finally(() => this.#dropping.delete(state));
      this.#dropping.set(state, dropping);
    }
    await dropping;
  }

  /** Waits for a running drop, however it ends. */
  async #waitForDrop(name: string): Promise<void> {
    const state = this.#states.get(name);
    if (state !== undefined) await this.#dropping.get(state)?.catch(() => undefined);
  }
}
