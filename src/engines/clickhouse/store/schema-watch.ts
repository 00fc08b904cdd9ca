/** Follows what other nodes decide: new sources, fields, tenants' fields, and sources that are dropped. */

import { messageOf } from "../../../shared/message-of.ts";
import { parseEntries } from "../../schema/entry-set.ts";
import type { TenantEntries } from "../../schema/source/source-schema.ts";
import { changeSource, growSourceState, noteTenant } from "../../schema/source/source-state.ts";
import type { SourceStates } from "../../schema/source/source-states.ts";
import type { DecidedSource } from "./decisions.ts";
import type { SchemaKeeper } from "./schema-keeper.ts";

export interface WatchOptions {
  readonly keeper: SchemaKeeper;
  readonly sources: SourceStates;
  readonly watchMs: number;
  readonly log: (level: "warn", message: string) => void;
}

export class SchemaWatch {
  readonly #options: WatchOptions;
  #version = "";
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasFailed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#look();
    this.#reportStray();
    this.#plan();
  }

  #reportStray(): void {
    const { sources, keeper, log } = this.#options;
    for (const source of sources.all()) {
      const stray = keeper.strayColumns(source);
      if (stray.length === 0) continue;
      const message =
        `${source.table} has columns that logweir_schema does not report (${stray.slice(0, 5).join(", ")}), so that ` +
        "events lack fields: was it restored from a backup that was made before it was merged?";
      log("warn", message);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Resolves when everything is known that was decided before this call. */
  async refresh(): Promise<void> {
    await this.#looking;
    const looked = this.#look();
    this.#looking = looked.catch(() => undefined);
    await looked;
  }

  #plan(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        .then(() => {
          this.#hasFailed = false;
        })
        .catch((error: unknown) => this.#report(error))
        .finally(() => this.#plan());
    }, this.#options.watchMs);
    this.#timer.unref();
  }

  /** Logged once for as long as it lasts. */
  #report(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const reason = messageOf(error);
    this.#options.log("warn", `new fields of other nodes cannot be looked for at the moment: ${reason}`);
  }

  async #look(): Promise<void> {
    const { keeper, sources } = this.#options;
    const version = await keeper.version();
    if (version === this.#version) return;
    // This node may make and drop sources while the decisions are read: what it did since is newer than they are.
    const before = sources.all();
    const [{ sources: decided }, tenants] = [await keeper.read(), await keeper.readTenants()];
    for (const state of before) {
      const isGone = decided.get(state.name)?.table !== state.table;
      if (isGone && sources.find(state.name) === state) await sources.drop(state.name, async () => undefined);
    }
    for (const source of decided.values()) await this.#take(source, tenants.get(source.table) ?? []);
    this.#version = version;
  }

  async #take(source: DecidedSource, tenants: readonly TenantEntries[]): Promise<void> {
    const { keeper, sources } = this.#options;
    if (keeper.isDropped(source.table)) return;
    const state = sources.find(source.name);
    if (state === undefined) {
      await keeper.apply(source);
      if (!keeper.isDropped(source.table)) sources.add({ ...source, tenants });
      return;
    }
    if (state.table !== source.table) return;
    await changeSource(state, async () => {
      if (sources.find(source.name) !== state) return;
      if (state.entries.length < source.entries.length) {
        await keeper.apply(source);
        growSourceState(state, source.entries.slice(state.entries.length));
      }
      state.rules = source.rules;
      for (const [tenant, text] of tenants) noteTenant(state, tenant, parseEntries(text));
    });
  }
}
