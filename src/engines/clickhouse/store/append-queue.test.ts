import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../contract/query-engine.ts";
import { NativeRows } from "../blocks/native-rows.ts";
import type { ServerClient } from "../driver/client.ts";
import { AppendQueue } from "./append-queue.ts";

/** A server whose inserts end when they are told to. */
class Server {
  readonly inserts: { readonly ids: string; readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  readonly stored = new Set<string>();
  readonly client = {
    rows: async (sql: string, { ids }: { readonly ids: readonly string[] }) =>
      sql.includes("HAVING") ? [] : ids.filter((id) => this.stored.has(id)).map((id) => [id, null, "1"]),
    insert: ({ body }: { readonly body: readonly Uint8Array[] }) =>
      new Promise<void>((resolve, reject) => {
        const ids = [
          ...Buffer.concat([...body])
            .toString("latin1")
            .matchAll(/<(.)>/g),
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
  const queue = new AppendQueue(server.client, { place, table: "events", tenantColumn: undefined });
  const send = (ids: string, hasGeneratedId = false) =>
    queue.append(rowsOf(ids, hasGeneratedId), async () => undefined);
  const sent = (...ids: string[]) => expect.poll(() => server.inserts.map((insert) => insert.ids)).toEqual(ids);
  return { server, queue, send, sent };
}

describe("blocks of a source", () => {
  it("are two on their way at once, and what comes meanwhile goes together with the next", async () => {
    const { server, send, sent, queue } = open();
    const first = [send("a"), send("b")];
    await sent("ab");
    const second = send("c");
    await sent("ab", "c");
    const third = [send("d"), send("e")];
    await sent("ab", "c");
    server.inserts[1]?.end();
    expect(await second).toEqual({ stored: 1, repeated: 0 });
    await sent("ab", "c", "de");
    for (const { end } of server.inserts) end();
    expect(await Promise.all([...first, ...third])).toEqual(Array(4).fill({ stored: 1, repeated: 0 }));
    await queue.idle();
  });

  it("wait for one with the same id that is on its way, and hold what is known by then", async () => {
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

  it("that fail let the same ids come again", async () => {
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
});
