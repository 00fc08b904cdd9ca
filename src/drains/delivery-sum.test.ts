import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeStore, nameOf } from "../../test/support/drains/fake-store.ts";
import { createDisk, createMemoryLog } from "../../test/support/drains/memory-log.ts";
import { sampleSize } from "../../test/support/sample-size.ts";
import { keyOf } from "../engines/contract/event-tenant.ts";
import { EngineError, type LogEvent } from "../engines/contract/query-engine.ts";
import type { Backend, DrainRule } from "./backend.ts";
import type { DrainAnswer, DrainRequest } from "./destinations/send-request.ts";
import { writeEvent } from "./destinations/write-event.ts";
import { sumOf } from "./position.ts";
import { createEventReader } from "./read-events.ts";
import { createRemovals } from "./removals.ts";
import { type RuleState, RunningRules } from "./running-rules.ts";

const serviceId = "0123456789abcdef";
const source = "edge";

/** An event in the life of a service, its destination and its store. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      events: fc.array(
        fc.record({
          id: fc.integer({ min: 0, max: 12 }),
          tenant: fc.constantFrom("a", "b", null),
          us: fc.integer({ min: 0, max: 20 }),
          size: fc.constantFrom(0, 10, 10, 10, 900),
          select: fc.constantFrom("x", "y"),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      hops: fc.constantFrom([], [], ["fedcba9876543210"], ["fedcba9876543210", serviceId]),
      readsUntilShown: fc.constantFrom(0, 0, 0, 2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("answers" as const),
      list: fc.array(fc.constantFrom("failed", "busy", "lost", "refused", "hangs"), { maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("troubles" as const),
      list: fc.array(fc.constantFrom("memory_exceeded", "unavailable", "timeout", "internal"), { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("deliver" as const), turns: fc.nat({ max: 60 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("change" as const), lql: fc.constantFrom("", "x", "y") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), us: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("diskFull" as const) }) },
);

const plan = fc.record({
  steps: fc.array(step, { minLength: 2, maxLength: 14 }),
  lqls: fc.array(fc.constantFrom("", "x", "y"), { minLength: 1, maxLength: 2 }),
  maxReadBytes: fc.constantFrom(300, 1_000, Number.POSITIVE_INFINITY),
  maxBytes: fc.constantFrom(200, 1_000, 1_000_000),
  segmentKeys: fc.integer({ min: 1, max: 8 }),
  poison: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 2 }),
});

type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

const never = new Promise<never>(() => undefined);

/** One service after the other on one disk, a store and a destination; a process that is killed does nothing further. */
class Simulation {
  readonly #plan: Plan;
  readonly #store = new FakeStore();
  readonly #disk = createDisk();
  readonly #rules: DrainRule[];
  /** Changes with each kill. */
  #process = 0;
  #running: RunningRules | undefined;
  #nowMs = 0;
  #noteFails = false;
  #answers: string[] = [];
  #troubles: string[] = [];
  /** Ends the time of requests that hang. */
  readonly #hanging: ((end: unknown) => void)[] = [];
  /** Events by rule that the destination took, or refused alone. */
  readonly taken = new Map<string, Set<string>>();
  readonly refused = new Map<string, Set<string>>();
  /** Names of acknowledged events, by the number of acknowledgements. */
  acknowledged = 0;
  unwritten = 0;
  readonly names = new Map<string, LogEvent>();
  readonly changed = new Set<string>();
  deletedBeforeUs = 0n;

  constructor(given: Plan) {
    this.#plan = given;
    this.#store.maxReadBytes = given.maxReadBytes;
    this.#rules = given.lqls.map((lql, index) => {
      return { id: `r${index}`, backendId: `b${index}`, source, lql, createdAtMs: 0 };
    });
  }

  async run(): Promise<void> {
    await this.#start();
    for (const each of this.#plan.steps) await this.#take(each);
    this.#answers = [];
    this.#troubles = [];
    for (let turns = 0; this.states().some(({ waiting }) => waiting > 0); turns++) {
      for (const end of this.#hanging.splice(0)) end(undefined);
      if (turns > 3_000) throw new Error(`events wait for ever: ${JSON.stringify(this.states())}`);
      await turn();
    }
    await this.#running?.close();
  }

  states(): readonly RuleState[] {
    return this.#rules.map((rule) => (this.#running as RunningRules).stateOf(rule));
  }

  get rules(): readonly DrainRule[] {
    return this.#rules;
  }

  get isBounded(): boolean {
    return this.#plan.maxBytes < 1_000_000;
  }

  stored(event: LogEvent): LogEvent | undefined {
    return this.#store.stored(event);
  }

  async #start(): Promise<void> {
    const own = ++this.#process;
    const enter = async (): Promise<void> => (own === this.#process ? undefined : never);
    const { segmentKeys, maxBytes } = this.#plan;
    const log = createMemoryLog({
      ...{ disk: this.#disk, segmentKeys, maxBytes },
      enter: async (what) => {
        await enter();
        if (what === "note" && this.#noteFails) throw new Error("the disk is full");
      },
    });
    const nowMs = () => this.#nowMs;
    this.#running = new RunningRules({
      ...{ log, serviceId, graceMs: 5_000, warn: () => undefined },
      removals: createRemovals({ findSource: () => undefined, nowMs }),
      clock: {
        nowMs,
        steadyMs: nowMs,
        random: () => 1,
        sleep: async (ms) => {
          await enter();
          this.#nowMs += ms;
        },
      },
      send: async (request, signal) => {
        await enter();
        const answer = await this.#answer(request, signal);
        await enter();
        return answer;
      },
    });
    this.#store.enter = async () => {
      await enter();
      const code = this.#troubles.shift();
      if (code !== undefined) throw new EngineError(code as EngineError["code"], "trouble");
    };
    for (const rule of this.#rules) await this.#running.restart(rule, backendOf(rule));
    if (this.deletedBeforeUs > 0n) this.#running.noteRemoval(source, { toUs: this.deletedBeforeUs });
    const { find: findEvents, matcher } = this.#store;
    this.#running.start(createEventReader({ findEvents, matcher, findSource: () => ({ tenantField: "project" }) }));
  }

  async #take(each: Plan["steps"][number]): Promise<void> {
    switch (each.kind) {
      case "send":
        return this.#send(each);
      case "answers":
        this.#answers.push(...each.list);
        return;
      case "troubles":
        // More in a row would make an event too large to be read.
        this.#troubles = [...this.#troubles, ...each.list].slice(0, 9);
        return;
      case "deliver":
        for (let turns = 0; turns < each.turns; turns++) await turn();
        return;
      case "kill":
        return this.#start();
      case "change": {
        const [rule] = this.#rules.splice(0, 1);
        if (rule === undefined) return;
        const changed = { ...rule, lql: each.lql };
        this.#rules.unshift(changed);
        this.changed.add(rule.id);
        return this.#running?.restart(changed, backendOf(changed));
      }
      case "delete": {
        const beforeUs = BigInt(each.us);
        if (beforeUs > this.deletedBeforeUs) this.deletedBeforeUs = beforeUs;
        this.#store.deleteBefore(beforeUs);
        return this.#running?.noteRemoval(source, { toUs: beforeUs });
      }
      case "diskFull":
        this.#noteFails = !this.#noteFails;
    }
  }

  async #send({ events, hops, readsUntilShown }: Extract<Plan["steps"][number], { kind: "send" }>): Promise<void> {
    const sent = events.map(({ id, tenant, us, size, select }): LogEvent => {
      const fields = { kind: select, text: "x".repeat(size), ...(tenant === null ? {} : { project: tenant }) };
      const event = { id: `e${id}`, hasGeneratedId: false, timestampUs: BigInt(us), eventMessage: null, fields };
      return hops.length === 0 ? event : { ...event, hops };
    });
    this.#store.append(sent, readsUntilShown);
    await this.#running?.note(
      source,
      sent.map((event) => keyOf(["project"], event)),
    );
    this.acknowledged += sent.length;
    if (this.#noteFails) this.unwritten += sent.length;
    else
      for (const event of sent) {
        if (!(hops as readonly string[]).includes(serviceId)) this.names.set(nameOf(event), event);
      }
  }

  async #answer({ url, body, headers }: DrainRequest, signal: AbortSignal): Promise<DrainAnswer> {
    const rule = new URL(url).pathname.slice(1);
    expect(headers["logweir-hops"]).toMatch(/^(fedcba9876543210, )?0123456789abcdef$/);
    const sent = (JSON.parse(body) as { id: string; timestamp: number; kind: string; project?: string }[]).map((each) =>
      JSON.stringify([each.project ?? null, each.id]),
    );
    const next = this.#answers.shift();
    if (next === "hangs" && !signal.aborted) {
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve, { once: true });
        this.#hanging.push(resolve);
      });
    }
    if (signal.aborted) throw signal.reason;
    if (next === "failed" || next === "hangs") return { kind: "failed", reason: "503" };
    if (next === "busy") return { kind: "failed", reason: "429", retryAfterMs: 10_000 };
    const isPoisoned = sent.some((name) => this.#plan.poison.some((id) => name.includes(`"e${id}"`)));
    if (next === "refused" || isPoisoned) {
      if (sent.length === 1) add(this.refused, rule, sent);
      return { kind: "refused", reason: "400" };
    }
    add(this.taken, rule, sent);
    // The destination has the events, and its answer was cut.
    return next === "lost" ? { kind: "failed", reason: "cut" } : { kind: "taken" };
  }
}

function add(map: Map<string, Set<string>>, rule: string, names: readonly string[]): void {
  const all = map.get(rule) ?? new Set();
  map.set(rule, all);
  for (const name of names) all.add(name);
}

/** Lets everything that can go on do so. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

function backendOf({ backendId, id }: DrainRule): Backend {
  return {
    ...{ id: backendId, name: backendId, description: "", type: "webhook", metadata: {} },
    config: { url: `http://d.example/${id}`, headers: {}, gzip: false },
    ...{ createdAtMs: 0, updatedAtMs: 0 },
  };
}

describe("drains", () => {
  it("account for every acknowledged event once, whatever fails, and whenever the process ends", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const simulation = new Simulation(given);
        await simulation.run();
        for (const [index, state] of simulation.states().entries()) {
          expect(sumOf(state), JSON.stringify(state)).toBe(simulation.acknowledged);
          const rule = simulation.rules[index] as DrainRule;
          const { dropped, removed } = state;
          const isLossy = simulation.isBounded && dropped > simulation.unwritten;
          const lost = [...simulation.names].filter(([name, event]) => {
            if (simulation.taken.get(rule.id)?.has(name) === true) return false;
            if (simulation.refused.get(rule.id)?.has(name) === true) return false;
            const stored = simulation.stored(event);
            // The id of a deleted event may have come again, as an event that the rule leaves out.
            if (simulation.deletedBeforeUs > 0n || stored === undefined)
              return removed + dropped + state.excluded === 0;
            const isExcluded = simulation.changed.has(rule.id) || (rule.lql !== "" && stored.fields.kind !== rule.lql);
            if (state.excluded > 0 && isExcluded) return false;
            const isTooLarge = writeEvent(stored).length > given.maxReadBytes;
            return !(isLossy || (isTooLarge && dropped > 0));
          });
          expect(lost.map(([name]) => name)).toEqual([]);
          if (
            !simulation.isBounded &&
            given.maxReadBytes === Number.POSITIVE_INFINITY &&
            simulation.deletedBeforeUs === 0n
          ) {
            expect(dropped).toBe(simulation.unwritten);
          }
        }
      }),
      { numRuns: sampleSize(100, 10_000) },
    );
  });
});
