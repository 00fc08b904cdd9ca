import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import type { QuerySummary } from "../../contract/query-engine.ts";
import { encodeFrame, FrameReader } from "../host/frames.ts";
import { BATCH_WINDOW, type HostAnswer, type HostQuery, type HostRequest } from "../host/protocol.ts";
import { HostClient } from "./host-client.ts";

const query: HostQuery = {
  sql: "SELECT 1",
  parameters: [],
  columns: [],
  encoding: "cells",
  limits: { timeoutMs: 1_000, maxRows: 1_000, maxResultBytes: 1_000 },
};
const summary: QuerySummary = { rowCount: 0, isTruncated: false, engineMs: 1 };
const rows = (id: number): HostAnswer => ({ id, kind: "rows", rowCount: 1 });

/** A client, what it asks, and a way to answer. */
function openClient() {
  const asked: HostRequest[] = [];
  const reader = new FrameReader();
  const stream = new Duplex({
    read: () => undefined,
    write(piece: Buffer, _encoding, callback) {
      asked.push(...reader.push(piece).map(({ head }) => head as HostRequest));
      callback();
    },
  });
  const answer = (...answers: HostAnswer[]) => {
    for (const each of answers) stream.push(Buffer.concat(encodeFrame(each, Buffer.from("[]"))));
  };
  return { client: new HostClient(stream, (reason) => expect.fail(reason)), asked, answer };
}

describe("a query on the engine host", () => {
  it("of few batches is asked once and not spoken of again", async () => {
    const { client, asked, answer } = openClient();
    const batches = client.run(query, new AbortController().signal);
    const first = batches.next();
    answer(rows(1), { id: 1, kind: "done", value: summary });
    expect(await first).toEqual({ done: false, value: { json: "[]", rowCount: 1 } });
    expect(await batches.next()).toEqual({ done: true, value: summary });
    expect(asked.map(({ kind }) => kind)).toEqual(["run"]);
  });

  it("of many batches is told of every one that was taken before the window of the host is used up", async () => {
    const { client, asked, answer } = openClient();
    const batches = client.run(query, new AbortController().signal);
    const reported = () => asked.reduce((sum, each) => sum + (each.kind === "more" ? each.batchCount : 0), 0);
    for (let taken = 0; taken < 20; taken++) {
      const next = batches.next();
      answer(rows(1));
      await next;
      expect(taken + 1 - reported()).toBeLessThan(BATCH_WINDOW);
      expect(reported()).toBeLessThanOrEqual(taken + 1);
    }
    await batches.return(summary);
    expect(asked.at(-1)).toEqual({ id: 1, kind: "cancel" });
  });
});
