import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createContext } from "../../../test/support/run-command.ts";
import { openSafeOutput } from "../output/safe-output.ts";
import { followRows, type TailOptions, tail } from "./tail.ts";

const event = (id: string, second: number) => ({
  id,
  timestamp: 1_787_216_400_000_000 + second * 1e6,
  event_message: `m\n${id}`,
});
const row = (id: string, second: number) => `id: c${id}\ndata: ${JSON.stringify(event(id, second))}\n\n`;
const endOf = (code: string) => `event: end\ndata: ${JSON.stringify({ code, message: `The end by ${code}` })}\n\n`;
const lineOf = (id: string, second: number) => `2026-08-20T09:00:0${second}.000000Z  m ${id}`;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const stream = (text: string): Answer => {
  return (response) => response.setHeader("content-type", "text/event-stream").end(text);
};
const begin = (next: Answer): Answer => {
  return (response, request) => {
    response.setHeader("content-type", "text/event-stream").write("id: cx\n", () => next(response, request));
  };
};
const refusal = (status: number): Answer => {
  return (response) => response.writeHead(status).end(JSON.stringify({ error: { message: `It is ${status}` } }));
};

/** Follows a service that gives these answers to one connection after another, and is stopped behind the last. */
async function follow(
  options: TailOptions,
  answers: readonly Answer[],
  first: readonly object[] = [event("b", 2), event("a", 1)],
) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stop = new AbortController();
  const asked: string[] = [];
  const service = createServer((request, response) => {
    const { url: address = "", headers } = request;
    asked.push(`${decodeURIComponent(address)} ${headers["last-event-id"] ?? ""}`.trim());
    if (!address.includes("/tail")) return response.end(JSON.stringify({ result: first }));
    const answer = answers[asked.length - 2];
    if (answer === undefined) return stop.abort();
    answer(response, request);
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const { context, readOutput, readErrors } = createContext({ environment: { LOGWEIR_TOKEN: "t" } });
  const safe = { ...context, output: openSafeOutput(context.output), errors: openSafeOutput(context.errors) };
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const times = [0, 0, 30_000, 60_000];
  const pace = { retryMs: 1, nowMs: () => times.shift() ?? 0 };
  const failure = await followRows({ ...safe, url }, "edge", options, stop.signal, pace).catch((error: Error) => error);
  service.closeAllConnections();
  service.close();
  return { asked, message: failure?.message, lines: readOutput().split("\n"), errors: readErrors() };
}

afterEach(() => void vi.useRealTimers());

describe("the command tail", () => {
  it("prints events once, oldest first, and the reason why the tail ends", async () => {
    const { asked, message, lines } = await follow({ lql: "m", project: "p" }, [
      stream(`: hello\n\n${row("b", 2)}${row("c", 3)}${endOf("unauthorized")}`),
    ]);
    expect(lines).toEqual([lineOf("a", 1), lineOf("b", 2), lineOf("c", 3), ""]);
    expect(message).toBe("The end by unauthorized");
    expect(asked[0]).toBe('/api/endpoints/query/source:edge?lql=m+project:"p"&limit=10');
    expect(asked[1]).toBe('/api/endpoints/query/source:edge/tail?lql=m+project:"p"&since=10s');
  });

  it("prints rows without an id or a time that are like those before", async () => {
    const alike = { event_message: "alike" };
    const timed = { timestamp: event("a", 1).timestamp, event_message: "timed" };
    const rows = [alike, timed, timed].map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
    const { lines } = await follow({}, [stream(rows)], [timed, alike]);
    expect(lines).toEqual(["alike", "2026-08-20T09:00:01.000000Z  timed", "alike", ""]);
  });

  it("can follow an endpoint, and refuses contradictory options", async () => {
    const { asked } = await follow({ endpoint: true, project: "p" }, []);
    expect(asked[1]).toBe("/api/endpoints/query/edge/tail?project=p&since=10s");
    const { context } = createContext();
    await expect(tail(context, "edge", { sql: "x", lql: "y" })).rejects.toThrow("--lql or --sql");
    await expect(tail(context, "edge", { sql: "x", project: "y" })).rejects.toThrow("--project");
  });

  it.each<[string, Answer]>([
    ["stops", stream(endOf("shutting_down"))],
    ["loses its engine", stream(endOf("engine_unavailable"))],
    ["ends the stream in the middle of a row", stream(`id: cx\ndata: {"id":`)],
    ["cuts the connection", begin((response) => response.destroy())],
    ["is gone", (response) => void response.destroy()],
    ["is behind a proxy that finds nobody", refusal(502)],
    ["has too much to do", refusal(429)],
    ["sends nothing at all", () => void vi.advanceTimersByTime(60_000)],
    ["falls silent", begin(() => vi.advanceTimersByTime(60_000))],
  ])("goes on behind the last event where the service %s", async (_, trouble) => {
    const { asked, message, lines } = await follow({}, [stream(row("c", 3)), trouble, trouble, stream(row("d", 4))]);
    expect(message).toBeUndefined();
    expect(lines).toEqual([lineOf("a", 1), lineOf("b", 2), lineOf("c", 3), lineOf("d", 4), ""]);
    expect(asked.slice(2)).toEqual(["cc", "cc", "cc", "cd"].map((id) => `/api/endpoints/query/source:edge/tail ${id}`));
  });

  it("says once that the service is away, until it has sent something", async () => {
    const { errors } = await follow({}, [refusal(503), refusal(503), stream(row("c", 3)), refusal(503)]);
    expect(errors).toBe("(It is 503; trying again)\n(It is 503; trying again)\n");
  });

  it("goes on at the place that the service sent before any event", async () => {
    const { asked, lines } = await follow({}, [stream("id: c0\n\n"), stream(row("c", 3))]);
    expect(asked[2]).toBe("/api/endpoints/query/source:edge/tail c0");
    expect(lines).toEqual([lineOf("a", 1), lineOf("b", 2), lineOf("c", 3), ""]);
  });

  it("asks for all the time since it began where the connection broke before the service sent a place", async () => {
    const { asked } = await follow({}, [stream(": hi\n\n"), refusal(503)]);
    expect(asked.slice(1).map((address) => address.split("since=")[1])).toEqual(["10s", "40s", "70s"]);
  });

  it.each<[string, Answer, string]>([
    ["refuses it", refusal(403), "It is 403"],
    ["sends a page", (response) => response.setHeader("content-type", "text/html").end("<p>"), "no stream of events"],
    ["sends no JSON", stream("data: {\n\n"), "a row that is not JSON: {"],
    ["sends a line without end", stream("data: x".padEnd(64_000_001, "x")), "a line of more than 64000000 bytes"],
  ])("ends where the service %s", async (_, answer, reason) => {
    expect((await follow({}, [answer])).message).toContain(reason);
  });

  it("passes no control character on to a terminal", async () => {
    const hostile = { id: "x", event_message: "\u001b[2J\u009b\u202e\r." };
    const { lines, errors, message } = await follow({}, [
      stream(
        `data: ${JSON.stringify(hostile)}\n\nevent: skipped\ndata: {"count":"\\u001b"}\n\n` +
          'event: end\ndata: {"code":"toString","message":"no more"}\n\n',
      ),
    ]);
    expect(lines[2]).toBe("\\u001b[2J\\u009b\\u202e .");
    expect(errors).toBe("(\\u001b events were left out)\n");
    expect(message).toBe("no more");
  });
});
