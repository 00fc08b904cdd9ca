import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../contract/query-engine.ts";
import { NativeRows } from "../blocks/native-rows.ts";
import type { ServerClient } from "../driver/client.ts";
import { AppendQueue } from "./append-queue.ts";

/** A server whose inserts end when the test says so. */
class Server {
  readonly inserts: { readonly ids: string; readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  readonly stored = new Set<string>();
  /** The ids that each call looked up, as one text. */
  readonly lookedUp: string[] = [];
  readonly client = {
    rows: async (_: string, { ids, times }: { readonly ids: readonly string[]; readonly times?: unknown }) => {
      // Without times it is the look behind a block.
      if (times !== undefined) this.lookedUp.push(ids.join("").replaceAll(/[<>]/g, ""));
      return ids.filter((id) => this.stored.has(id)).map((id) => [id, null, "", "1"]);
    },
    insert: ({ body }: { readonly body: readonly Uint8Array[] }) =>
      new Promise<void>((resolve, reject) => {
        const ids = [
          ...Buffer.concat([...body])
            .toString("latin1")
            .matchAll(/<([a-z])>/g),
        ]
          .map(([, id]) => id)
          .join("");
        const end = () => {
          for (const id of ids) this.stored.add(`<${id}>`);
          resolve();
        };
        this.inserts.push({ ids, end, fail: reject });
      }),
  } as unknown as ServerClient;
}

function rowsOf(ids: string, hasGeneratedId = false): NativeRows {
  const rows = new NativeRows();
  const event = { hasGeneratedId, timestampUs: 1n, eventMessage: null, fields: {} } satisfies Partial<LogEvent>;
  for (const id of ids) rows.addRow({ ...event, id: `<${id}>` });
  return rows;
}

function open() {
  const server = new Server();
  const place = { database: "logs", cluster: undefined };
  const queue = new AppendQueue(server.client, { place, table: "events", tenantColumn: undefined }, 1_000);
  const send = (ids: string, hasGeneratedId = false) =>
    queue.append(rowsOf(ids, hasGeneratedId), async () => undefined);
  const sendMany = (count: number) => queue.append(rowsOf("-".repeat(count), true), async () => undefined);
  const sent = (...ids: string[]) => expect.poll(() => server.inserts.map((insert) => insert.ids)).toEqual(ids);
  return { server, queue, send, sendMany, sent };
}

describe("the append queue", () => {
  it("collects appends during an insert into the next block, and looks up their ids after the insert", async () => {
    const { server, send, sent, queue } = open();
    const first = [send("a"), send("b")];
    await sent("ab");
    const second = [send("c"), send("da"), send("e", true)];
    server.inserts[0]?.end();
    expect(await Promise.all(first)).toEqual(Array(2).fill({ stored: 1, repeated: 0 }));
    await sent("ab", "cde");
    expect(server.lookedUp).toEqual(["ab", "c", "da"]);
    server.inserts[1]?.end();
    expect(await Promise.all(second)).toEqual([
      { stored: 1, repeated: 0 },
      { stored: 1, repeated: 1 },
      { stored: 1, repeated: 0 },
    ]);
    await queue.idle();
  });

  it("sends a second block concurrently if it is large, but never a third", async () => {
    const { server, send, sent, sendMany } = open();
    const first = send("a");
    await sent("a");
    const second = [sendMany(2_000), sendMany(2_999)];
    const third = send("b");
    await sent("a", "b");
    const fourth = [sendMany(6_000), send("c")];
    server.inserts[1]?.end();
    await third;
    await sent("a", "b", "c");
    server.inserts[0]?.end();
    server.inserts[2]?.end();
    const results = await Promise.all([first, ...second, third, ...fourth]);
    expect(results.map(({ stored }) => stored)).toEqual([1, 2_000, 2_999, 1, 6_000, 1]);
  });

  it("looks up ids again if a block with the same id was inserted in the meantime", async () => {
    const { server, queue, send, sent } = open();
    const first = send("a");
    await sent("a");
    // Large enough to delay the append after it, with so few rows that it has to wait itself.
    const large = rowsOf("b");
    large.put(0, "c1", "STRING", "x".repeat(2 ** 25));
    const second = queue.append(large, async () => undefined);
    const repeat = send("bc");
    server.inserts[0]?.end();
    await first;
    await sent("a", "b");
    expect(server.lookedUp).toEqual(["a", "bbc"]);
    server.inserts[1]?.end();
    await sent("a", "b", "c");
    expect(server.lookedUp).toEqual(["a", "bbc", "bc"]);
    server.inserts[2]?.end();
    expect(await Promise.all([second, repeat])).toEqual([
      { stored: 1, repeated: 0 },
      { stored: 1, repeated: 1 },
    ]);
  });

  it("delays an append with an id that is being inserted, and counts it as repeated", async () => {
    const { server, send, sent } = open();
    const first = send("ab");
    await sent("ab");
    const repeat = send("bc");
    const behind = send("d");
    const generated = send("b", true);
    server.inserts[0]?.end();
    await sent("ab", "cdb");
    server.inserts[1]?.end();
    expect(await Promise.all([first, repeat, behind, generated])).toEqual([
      { stored: 2, repeated: 0 },
      { stored: 1, repeated: 1 },
      { stored: 1, repeated: 0 },
      { stored: 1, repeated: 0 },
    ]);
  });

  it("accepts the same ids again after a failed insert", async () => {
    const { server, send, sent } = open();
    const first = send("a");
    await sent("a");
    const again = send("a");
    server.inserts[0]?.fail(new Error("no"));
    await expect(first).rejects.toThrow("no");
    await sent("a", "a");
    server.inserts[1]?.end();
    expect(await again).toEqual({ stored: 1, repeated: 0 });
  });

  it("looks ids up later after another node stored some of them first, until it is sent ids of its own again", async () => {
    const stored = new Map<string, string>();
    const pauses: number[] = [];
    /** Ids that another node stores at the same moments, before this one's insert. */
    let other: readonly string[] = [];
    const client = {
      rows: async (sql: string, { ids }: { readonly ids: readonly string[] }) => {
        const found = ids.filter((id) => stored.has(id));
        const ofOther = String(BigInt(batch) + 1n);
        return found.flatMap((id) => {
          const batches = stored.get(id) === "both" ? [ofOther, batch] : [ofOther];
          return batches.map((each) => [id, null, sql.includes("_block_number") ? "7" : "", each, "1"]);
        });
      },
      insert: async ({ settings }: { readonly settings: Readonly<Record<string, string>> }) => {
        batch = settings.insert_deduplication_token?.split("-")[0] ?? "0";
        for (const id of other) stored.set(id, "both");
      },
      command: async (sql: string) => {
        expect(sql).toContain("DELETE IN PARTITION ID '1'");
        for (const id of other) stored.set(id, "one");
      },
    } as unknown as ServerClient;
    let batch = "0";
    const place = { database: "logs", cluster: undefined };
    const queue = new AppendQueue(client, { place, table: "events", tenantColumn: undefined }, 1_000, async (ms) => {
      pauses.push(ms);
      // Meanwhile the other node is done.
      for (const id of other) stored.set(id, "one");
    });
    const send = (ids: string) => queue.append(rowsOf(ids), async () => undefined);
    other = ["<a>"];
    expect(await send("a")).toEqual({ stored: 0, repeated: 1 });
    expect(pauses).toEqual([]);
    other = ["<b>"];
    expect(await send("b")).toEqual({ stored: 0, repeated: 1 });
    expect(pauses).toEqual([10]);
    other = [];
    for (const id of "cdefghijklmnop") expect(await send(id)).toEqual({ stored: 1, repeated: 0 });
    const first = pauses.length;
    for (const id of "qrstuvwxyz") await send(id);
    expect(pauses).toHaveLength(first);
  });

  it("counts an event as repeated whose row another node has removed before it looked behind its block", async () => {
    let batch = "";
    const client = {
      // The row of a third node is there; that of this block is not any more.
      rows: async (_: string, { ids, times }: { readonly ids: readonly string[]; readonly times?: unknown }) =>
        times === undefined ? ids.slice(0, 1).map((id) => [id, null, "", String(BigInt(batch) + 1n)]) : [],
      insert: async ({ settings }: { readonly settings: Readonly<Record<string, string>> }) => {
        batch = settings.insert_deduplication_token?.split("-")[0] ?? "";
      },
    } as unknown as ServerClient;
    const place = { database: "logs", cluster: undefined };
    const queue = new AppendQueue(client, { place, table: "events", tenantColumn: undefined }, 1_000);
    expect(await queue.append(rowsOf("ab"), async () => undefined)).toEqual({ stored: 1, repeated: 1 });
  });
});
