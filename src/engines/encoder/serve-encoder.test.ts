import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { BodyError, type LogEvent, type ReadEvents, type StoredBody } from "../contract/query-engine.ts";
import { createDeclaration } from "../schema/declaration.ts";
import { entriesAt } from "../schema/field-tree.ts";
import type { SchemaEntry } from "../schema/schema-entry.ts";
import type { EncodeOutcome, EncoderAnswer, EncoderRequest, EncodingSchema, EventEncoder } from "./protocol.ts";
import { serveEncoder } from "./serve-encoder.ts";

type Batch = { readonly bytes: Uint8Array };

/** The inputs of the encoder, in the order of its calls. */
interface Given {
  readonly schema: EncodingSchema;
  readonly events: readonly LogEvent[];
}

const n: SchemaEntry = { role: "value", path: "n", type: "INT64", column: "c1" };
const m: SchemaEntry = { role: "value", path: "m", type: "STRING", column: "c2" };
const events = [2n, 9n, 5n].map((timestampUs, i) => {
  return { id: `e${i}`, hasGeneratedId: false, timestampUs, eventMessage: null, fields: {} };
});

function bodyOf(text: string, wantsKeys = false): StoredBody {
  const bytes = new TextEncoder().encode(text);
  return {
    bytes,
    contentType: undefined,
    contentEncoding: undefined,
    id: randomUUID(),
    nowUs: 0n,
    maxBytes: 100,
    wantsKeys,
  };
}

describe("the encoder thread's message handler", () => {
  const ports: MessagePort[] = [];
  afterEach(() => {
    for (const port of ports.splice(0)) port.close();
  });

  function serve(outcomeOf: () => EncodeOutcome<Batch> = () => ({ missing: [] })) {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const given: Given[] = [];
    const read: string[] = [];
    const readBody = async ({ bytes }: { bytes: Uint8Array }): Promise<ReadEvents> => {
      const text = new TextDecoder().decode(bytes);
      read.push(`${text} begins`);
      // The first of two bodies takes longer to read.
      if (text === "slow") for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
      read.push(`${text} ends`);
      if (text === "refused") throw new BodyError("invalid_body", "not JSON", 4);
      if (text === "defect") throw new Error("a defect");
      if (text === "odd") throw "no error";
      return {
        events: text === "none" ? [] : events,
        rejected: [{ index: 1, reason: "odd" }],
        untimed: 2,
        receipt: [["a"]],
      };
    };
    serveEncoder<Batch>(
      port2,
      { read: readBody },
      {
        encode: (schema, some) => {
          given.push({ schema, events: some });
          return outcomeOf();
        },
        bytesOf: ({ bytes }) => bytes,
      },
    );
    const answers: EncoderAnswer<Batch>[] = [];
    const waiting: (() => void)[] = [];
    port1.on("message", (answer: EncoderAnswer<Batch>) => {
      answers.push(answer);
      waiting.shift()?.();
    });
    const send = (...requests: readonly EncoderRequest[]) => {
      for (const request of requests) port1.postMessage(request);
    };
    /** Sends the messages and returns the answer to the last, before which all others were handled. */
    const ask = async (...requests: readonly EncoderRequest[]) => {
      const isAnswered = new Promise<void>((done) => waiting.push(done));
      send(...requests);
      await isAnswered;
      return answers.at(-1) ?? expect.unreachable();
    };
    return { ask, given, read, answers };
  }

  const readOf = (id: number, text: string, wantsKeys = false) =>
    ({ kind: "read", id, source: "edge", body: bodyOf(text, wantsKeys) }) as const;
  const schemaOf = (entries: readonly SchemaEntry[], isNew: boolean) =>
    ({ kind: "schema", source: "edge", isNew, entries, full: new Set<string>(), tenantField: null }) as const;

  it("returns the contents of a body, with the keys of its events only on request", async () => {
    const { ask, given } = serve();
    const body = {
      rejected: [{ index: 1, reason: "odd" }],
      untimed: 2,
      receipt: [["a"]],
      eventCount: 3,
      newestTimestampUs: 9n,
      keys: undefined,
      outcome: { missing: [] },
    };
    expect(await ask(readOf(1, "some"))).toEqual({ kind: "encoded", id: 1, body });
    expect(given[0]?.events).toEqual(events);
    const keys = events.map(({ id, timestampUs }) => ({ id, timestampUs, tenant: null }));
    expect(await ask(readOf(2, "some", true))).toEqual({ kind: "encoded", id: 2, body: { ...body, keys } });
    const empty = { ...body, eventCount: 0, newestTimestampUs: undefined, keys: [] };
    expect(await ask(readOf(3, "none", true))).toEqual({ kind: "encoded", id: 3, body: empty });
  });

  it("reads one body after another", async () => {
    const { ask, read, answers } = serve();
    await Promise.all([ask(readOf(1, "slow")), ask(readOf(2, "next"))]);
    expect(read).toEqual(["slow begins", "slow ends", "next begins", "next ends"]);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("encodes with the schema entries it received, whether added or replaced", async () => {
    const { ask, given } = serve();
    const declaration = createDeclaration({ name: "edge", knownFields: [], tenantField: "project" });
    const told = { ...schemaOf([n], true), declaration, full: new Set(["a"]), tenantField: "project" };
    await ask(told, { ...schemaOf([m], true), source: "other" }, readOf(1, "some"));
    const known = () => {
      const { tree, ...rest } = given.at(-1)?.schema ?? expect.unreachable();
      return { ...rest, entries: ["n", "m"].map((path) => [...entriesAt(tree, path)].length), tree };
    };
    expect(known()).toMatchObject({ full: new Set(["a"]), tenantField: "project", entries: [1, 0] });
    expect(known().tree.declaration.tenant).toEqual(["project"]);
    await ask({ ...schemaOf([m], false), full: new Set(["b"]) }, readOf(2, "some"));
    expect(known()).toMatchObject({ full: new Set(["b"]), tenantField: null, entries: [1, 1] });
    expect(known().tree.declaration.tenant).toEqual(["project"]);
    await ask(schemaOf([m], true), readOf(3, "some"));
    expect(known()).toMatchObject({ full: new Set(), entries: [0, 1] });
    expect(known().tree.declaration.tenant).toBeUndefined();
  });

  it("encodes without entries for a source whose schema it never received", async () => {
    const { ask, given } = serve();
    await ask(readOf(1, "some"));
    expect(given[0]?.schema).toMatchObject({ full: new Set(), tenantField: null, tree: { entryCount: 0 } });
    await ask({ kind: "again", id: 1, full: new Set(["a"]) });
    expect(given[1]?.schema).toMatchObject({ full: new Set(["a"]), tenantField: null });
  });

  it("encodes a body again with further full tenants, until it is released", async () => {
    const { ask, given, read, answers } = serve();
    await ask({ ...schemaOf([n], true), full: new Set(["a"]) }, readOf(1, "some"));
    expect(await ask({ kind: "again", id: 1, full: new Set(["b"]) })).toMatchObject({ kind: "encoded", id: 1 });
    expect(given.map(({ schema }) => [...schema.full])).toEqual([["a"], ["a", "b"]]);
    expect(read).toHaveLength(4);
    const last = await ask({ kind: "release", id: 1 }, { kind: "again", id: 1, full: new Set() }, readOf(2, "some"));
    expect(last.id).toBe(2);
    expect(answers.map(({ id }) => id)).toEqual([1, 1, 2]);
  });

  it("distinguishes rejected bodies from defects, and continues after both", async () => {
    const { ask } = serve();
    const refused = { kind: "refused", id: 1, code: "invalid_body", message: "not JSON", index: 4 };
    expect(await ask(readOf(1, "refused"))).toEqual(refused);
    expect(await ask(readOf(2, "defect"))).toMatchObject({ kind: "failed", id: 2 });
    expect(await ask(readOf(2, "defect"))).toHaveProperty("message", expect.stringMatching(/a defect\n +at /));
    expect(await ask(readOf(3, "odd"))).toEqual({ kind: "failed", id: 3, message: "no error" });
    expect(await ask(readOf(4, "some"))).toMatchObject({ kind: "encoded", id: 4 });
  });

  it.each([
    ["transfers", 1, 0],
    ["copies instead of transferring, since others may share it,", 0, Buffer.poolSize],
  ])("%s a batch's buffer", async (_, beyond, left) => {
    const bytes = new Uint8Array(Buffer.poolSize + beyond).fill(7);
    const { ask } = serve(() => ({ batch: { bytes }, carried: new Map() as never }));
    const answer = await ask(readOf(1, "some"));
    expect(answer).toMatchObject({ body: { outcome: { batch: { bytes: { length: Buffer.poolSize + beyond } } } } });
    expect(bytes.byteLength).toBe(left);
  });

  it("ends the thread over a message that cannot be read, which would never be answered", () => {
    const port = new EventEmitter();
    serveEncoder(port as unknown as MessagePort, { read: async () => expect.unreachable() }, {} as EventEncoder<Batch>);
    expect(() => port.emit("messageerror", new Error("taken away"))).toThrow("taken away");
  });
});
