/** Senders that retry unacknowledged events, on alternating nodes, and readers beside them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, TestNode } from "../../nodes/start-node.ts";

const EVENTS_PER_BATCH = 50;
const SENDERS = 4;
const READERS = 2;
/** How long a client waits for an answer, in milliseconds. */
const PATIENCE_MS = 45_000;

/** Answers that ask a client to retry: they must say when. */
const LATER: ReadonlySet<number> = new Set([429, 503]);

export interface Counts {
  readonly rows: number;
  readonly ids: number;
}

/** The endpoint that counts all events and their ids. */
export const countsEndpoint = `/*---
id: 0e7a3f0c-52c1-4d0b-9a51-6f1f5b6d2c77
name: faults.counts
max_rows: 1
cache_seconds: 0
---*/
SELECT COUNT(*) AS row_count, COUNT(DISTINCT id) AS id_count FROM edge
`;

export class Traffic {
  /** The current nodes: they are killed and started again. */
  readonly #nodes: () => readonly TestNode[];
  readonly problems: string[] = [];
  readonly answers = new Map<string, number>();
  readonly #acknowledged = Array.from({ length: SENDERS }, () => 0);
  readonly #work: Promise<unknown>[] = [];
  /** Queries that saw some event twice while a node was still correcting it. */
  doubledReads = 0;
  #isEnding = false;

  constructor(nodes: () => readonly TestNode[]) {
    this.#nodes = nodes;
  }

  get acknowledged(): number {
    return this.#acknowledged.reduce((sum, count) => sum + count, 0);
  }

  start(): void {
    for (let sender = 0; sender < SENDERS; sender++) this.#work.push(this.#send(sender));
    for (let reader = 0; reader < READERS; reader++) this.#work.push(this.#read(reader));
  }

  /** Resolves when every batch that was begun is acknowledged. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#work);
  }

  /** Undefined when the node does not answer now. */
  async count(node: TestNode): Promise<Counts | undefined> {
    const answer = await this.#ask(node, "GET", "/api/endpoints/query/faults.counts");
    if (answer?.status !== 200) return undefined;
    const [row] = (answer.body as { result: { row_count: number; id_count: number }[] }).result;
    return row === undefined ? undefined : { rows: row.row_count, ids: row.id_count };
  }

  async #send(sender: number): Promise<void> {
    while (!this.#isEnding) {
      const first = this.#acknowledged[sender] ?? 0;
      const events = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => makeEvent(sender, first + index));
      for (let attempt = sender; ; attempt++) {
        const node = this.#pick(attempt);
        const answer = await this.#ask(node, "POST", "/api/logs?source_name=edge", events);
        if (answer?.status === 200) break;
        await sleep(100);
      }
      this.#acknowledged[sender] = first + EVENTS_PER_BATCH;
      await sleep(20);
    }
  }

  async #read(reader: number): Promise<void> {
    for (let turn = reader; !this.#isEnding; turn++) {
      const before = this.acknowledged;
      const counts = await this.count(this.#pick(turn));
      if (counts !== undefined) {
        if (counts.ids < before) this.problems.push(`a query saw ${counts.ids} of ${before} acknowledged events`);
        if (counts.rows !== counts.ids) this.doubledReads++;
      }
      await sleep(50);
    }
  }

  #pick(turn: number): TestNode {
    const nodes = this.#nodes();
    const node = nodes[turn % nodes.length];
    if (node === undefined) throw new Error("There is no node");
    return node;
  }

  /** Undefined when there was no answer. */
  async #ask(node: TestNode, method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    const answer = await node.call(method, path, body, { timeoutMs: PATIENCE_MS }).catch(() => undefined);
    const kind = `${method} ${answer?.status ?? "without an answer"}`;
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
    if (answer === undefined || answer.status === 200) return answer;
    // A query whose server says nothing ends with its own time.
    if (answer.status === 504 && method === "GET") return answer;
    const after = answer.headers.get("Retry-After");
    if (!LATER.has(answer.status)) {
      this.problems.push(`${method} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    } else if (after === null) this.problems.push(`${method} was answered ${answer.status} without Retry-After`);
    return answer;
  }
}

function makeEvent(sender: number, n: number): object {
  const id = `sender ${sender} event ${n}`;
  // Each brings fields and tenants, some of them new.
  const field = `field_${Math.floor(n / 2_000)}`;
  return {
    id,
    event_message: id,
    project: `project ${n % 7}`,
    metadata: { sender, [field]: n, text: "x".repeat(200) },
  };
}
