import { randomUUID } from "node:crypto";
import { createSerialQueue, orUndo } from "../shared/concurrency/serial-queue.ts";
import { refuseDocument } from "../shared/documents/document-form.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Source } from "../sources/source.ts";
import type { Backend, DrainRule } from "./backend.ts";
import { type BackendDraft, readBackend } from "./backend-document.ts";
import { type RuleReaders, readRule } from "./rule-document.ts";
import type { RuleOfBackend, RuleState, RunningRules } from "./running-rules.ts";
import type { ArrivalWatch } from "./watched-store.ts";

/** A document as it is sent, not yet looked at. */
type Sent = Readonly<Record<string, unknown>>;

/** The delivery status of a rule. */
export interface RuleStatus extends RuleState, RuleOfBackend {}

/** Whether a destination could be reached, and what speaks against it. */
export interface BackendTest {
  readonly connected: boolean;
  readonly reason?: string;
}

/** The source that a test names where no rule has one. */
const testedSource = "edge";

/** Keeps what is drained where. */
export interface DrainDocuments {
  putBackend(backend: Backend): Promise<void>;
  removeBackend(id: string): Promise<void>;
  putRule(rule: DrainRule): Promise<void>;
  removeRule(id: string): Promise<void>;
}

export interface DrainsOptions {
  readonly documents: DrainDocuments;
  readonly running: RunningRules;
  readonly findSource: (nameOrId: string) => Source | undefined;
  readonly nowMs: () => number;
  /** Why nothing may be sent to an address; undefined for nothing. */
  readonly findAddressProblem: (url: string) => Promise<string | undefined>;
  /** Runs a change exclusively among the services on the same documents; immediately if there is only one. */
  readonly amongServices?: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Log drains: destinations, and the events for them. Changes are made one after another and take effect immediately.
 */
export class Drains implements Required<ArrivalWatch> {
  readonly #options: DrainsOptions;
  readonly #backends = new Map<string, Backend>();
  readonly #rules = new Map<string, DrainRule>();
  readonly isWatched: ArrivalWatch["isWatched"];
  readonly note: ArrivalWatch["note"];
  readonly noteRemoval: Required<ArrivalWatch>["noteRemoval"];
  readonly appends: ArrivalWatch["appends"];
  /** Changes are made one after another. */
  readonly #exclusively = createSerialQueue();

  constructor(options: DrainsOptions) {
    this.#options = options;
    this.appends = options.running.appends;
    this.isWatched = options.running.isWatched;
    this.note = options.running.note;
    this.noteRemoval = options.running.noteRemoval;
  }

  get backends(): readonly Backend[] {
    return [...this.#backends.values()];
  }

  get rules(): readonly DrainRule[] {
    return [...this.#rules.values()];
  }

  /** Bytes on disk of undelivered events. */
  get waitingBytes(): number {
    return this.#options.running.waitingBytes;
  }

  /** Throws `unknown_backend`. */
  findBackend(id: string): Backend {
    const backend = this.#backends.get(id.toLowerCase());
    if (backend === undefined) throw new ServiceError("unknown_backend", `There is no backend ${id.slice(0, 100)}`);
    return backend;
  }

  /** Throws `unknown_rule`. */
  findRule(id: string): DrainRule {
    const rule = this.#rules.get(id.toLowerCase());
    if (rule === undefined) throw new ServiceError("unknown_rule", `There is no rule ${id.slice(0, 100)}`);
    return rule;
  }

  /** Makes a backend, or changes the one of an id. Throws `validation_failed` and `unknown_backend`. */
  async saveBackend(sent: Sent, id?: string): Promise<Backend> {
    const { documents, running, nowMs, findAddressProblem } = this.#options;
    const read = () => {
      const before = id === undefined ? undefined : this.findBackend(id);
      const found = readBackend(sent, before);
      if ("problems" in found) throw refuseDocument("The backend was not saved", found.problems);
      return { before, draft: found.draft };
    };
    // Before its turn, since name servers may be silent. Another change that brings an address has looked at it too.
    const problem = await findAddressProblem(read().draft.config.url);
    if (problem !== undefined) throw refuseDocument("The backend was not saved", { "config.url": [problem] });
    return this.#inTurn(async () => {
      const { before, draft } = read();
      const backend = toBackend(draft, before, nowMs());
      const undo = async () => {
        // A new one has no rules yet, and nothing else is restarted.
        if (before === undefined) return;
        this.#backends.set(before.id, before);
        await documents.putBackend(before);
        await running.replaceAll(this.#wanted());
      };
      await documents.putBackend(backend);
      this.#backends.set(backend.id, backend);
      await orUndo(() => running.replaceAll(this.#wanted()), undo);
      return backend;
    });
  }

  /**
   * Sends a request without events to a backend, and says whether it was answered as one that is taken, or that is
   * refused for what it holds. Throws `unknown_backend`.
   */
  async testBackend(id: string): Promise<BackendTest> {
    const { running, findAddressProblem } = this.#options;
    const backend = this.findBackend(id);
    const problem = await findAddressProblem(backend.config.url);
    if (problem !== undefined) return { connected: false, reason: problem };
    const answer = await running.tryOut(backend, this.#rulesOf(backend)[0]?.source ?? testedSource);
    if (answer.kind === "taken") return { connected: true };
    return { connected: answer.kind === "refused", reason: answer.reason };
  }

  /** Removes a backend, with its rules and what waits for them. Throws `unknown_backend`. */
  removeBackend(id: string): Promise<Backend> {
    const { documents, running } = this.#options;
    return this.#inTurn(async () => {
      const backend = this.findBackend(id);
      await documents.removeBackend(backend.id);
      const rules = this.#rulesOf(backend);
      this.#backends.delete(backend.id);
      for (const rule of rules) this.#rules.delete(rule.id);
      await running.remove(...rules);
      return backend;
    });
  }

  /**
   * Makes a rule, whose events are those from now on, or changes the one of an id. Throws `validation_failed` and
   * `unknown_rule`.
   */
  async saveRule(sent: Sent, id?: string): Promise<DrainRule> {
    const { documents, running, nowMs } = this.#options;
    const saved = await this.#inTurn(async () => {
      const before = id === undefined ? undefined : this.findRule(id);
      const read = await readRule(sent, this.#readers(), before);
      if ("problems" in read) throw refuseDocument("The rule was not saved", read.problems);
      const own = { id: before?.id ?? randomUUID(), createdAtMs: before?.createdAtMs ?? nowMs() };
      const rule = { ...read.draft, ...own };
      const undo = async () => {
        if (before === undefined) {
          this.#rules.delete(rule.id);
          await documents.removeRule(rule.id);
          await running.remove(rule);
        } else {
          this.#rules.set(before.id, before);
          await documents.putRule(before);
          await running.restart(before, this.findBackend(before.backendId));
        }
      };
      await documents.putRule(rule);
      this.#rules.set(rule.id, rule);
      await orUndo(() => running.restart(rule, this.findBackend(rule.backendId)), undo);
      return rule;
    });
    // Nobody has noted the events of appends that began before.
    await this.appends.settled();
    return saved;
  }

  /** Throws `unknown_rule`. */
  removeRule(id: string): Promise<DrainRule> {
    const { documents, running } = this.#options;
    return this.#inTurn(async () => {
      const rule = this.findRule(id);
      await documents.removeRule(rule.id);
      this.#rules.delete(rule.id);
      await running.remove(rule);
      return rule;
    });
  }

  /** These are all backends and rules: those that are stored, at the start and after a change of another service. */
  replaceAll(backends: readonly Backend[], rules: readonly DrainRule[]): Promise<void> {
    return this.#exclusively(async () => {
      refill(this.#backends, backends);
      refill(this.#rules, rules);
      await this.#options.running.replaceAll(this.#wanted());
    });
  }

  /** The status of all rules, or of those of one backend. */
  status(backendId?: string): readonly RuleStatus[] {
    const wanted = this.#wanted(backendId === undefined ? this.rules : this.#rulesOf({ id: backendId }));
    return wanted.map((each) => ({ ...each, ...this.#options.running.stateOf(each.rule) }));
  }

  /** Those of the rules that have a backend. */
  #wanted(rules = this.rules): readonly RuleOfBackend[] {
    return rules.flatMap((rule) => {
      const backend = this.#backends.get(rule.backendId);
      return backend === undefined ? [] : { rule, backend };
    });
  }

  #rulesOf({ id }: Pick<Backend, "id">): readonly DrainRule[] {
    return this.rules.filter(({ backendId }) => backendId === id);
  }

  #readers(): RuleReaders {
    const { findSource, running } = this.#options;
    return {
      findBackend: (id) => this.#backends.get(id.toLowerCase()),
      findSource,
      findProblem: running.findProblem,
    };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { amongServices } = this.#options;
    return amongServices === undefined ? this.#exclusively(work) : amongServices(() => this.#exclusively(work));
  }
}

function toBackend(draft: BackendDraft, before: Backend | undefined, nowMs: number): Backend {
  return { ...draft, id: before?.id ?? randomUUID(), createdAtMs: before?.createdAtMs ?? nowMs, updatedAtMs: nowMs };
}

function refill<T extends { readonly id: string }>(map: Map<string, T>, values: readonly T[]): void {
  map.clear();
  for (const value of values) map.set(value.id, value);
}
