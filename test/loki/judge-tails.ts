import { once } from "node:events";
import { WebSocket } from "ws";
import type { Answer } from "./compare-answers.ts";
import { push, type Spoken, toVerdict } from "./judge.ts";
import type { JudgeCase } from "./judge-cases.ts";
import type { Verdict } from "./print-verdicts.ts";
import { livePushes, refusedTails, tailCases } from "./tail-cases.ts";

/** Time without a message after which a tail without a delay is taken to have told everything: Loki pauses for less. */
const quietMs = 2_000;
/** Time in which lines are told that are not held back. */
const arrivalMs = 1_000;
/** Tails that are open at a time: each follows every source here, of 1,000 that a token may follow. */
const maxOpen = 30;

interface Message {
  readonly streams: readonly { readonly stream: object; readonly values: readonly (readonly unknown[])[] }[] | null;
}

interface OpenTail {
  readonly messages: Message[];
  lastMs: number;
  close(): void;
}

function dial({ url, token }: Spoken, { parameters, isCategorized }: JudgeCase): WebSocket {
  const flags = isCategorized ? { "x-loki-response-encoding-flags": "categorize-labels" } : {};
  const address = `${url.replace("http", "ws")}/loki/api/v1/tail?${new URLSearchParams(parameters)}`;
  return new WebSocket(address, { headers: { ...(token === undefined ? {} : { "x-api-key": token }), ...flags } });
}

async function open(service: Spoken, judged: JudgeCase): Promise<OpenTail> {
  const socket = dial(service, judged);
  const tail: OpenTail = { messages: [], lastMs: performance.now(), close: () => socket.terminate() };
  socket.on("message", (data) => {
    tail.messages.push(JSON.parse(String(data)));
    tail.lastMs = performance.now();
  });
  await once(socket, "open");
  return tail;
}

/** The answer to a request of a tail that is not opened; of one that ends soon, the code and the reason of its end. */
async function refusal(service: Spoken, judged: JudgeCase): Promise<Answer> {
  const socket = dial(service, judged);
  return new Promise((resolve) => {
    socket.once("unexpected-response", (_, response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, body: "" });
    });
    socket.once("open", () => {
      const stays = setTimeout(() => {
        resolve({ status: 101, body: "" });
        socket.terminate();
      }, quietMs);
      socket.once("close", (code, reason) => {
        clearTimeout(stays);
        resolve({ status: code, body: String(reason) });
      });
    });
    socket.once("error", (error) => resolve({ status: 0, body: error.message }));
  });
}

/** Entries by stream, in the order in which they were told. Where lines are held back, all have one order. */
function toAnswer({ messages }: OpenTail, { parameters }: JudgeCase): Answer {
  const byStream = new Map<string, unknown[]>();
  for (const { streams } of messages) {
    for (const { stream, values } of streams ?? []) {
      const { source: _, ...labels } = stream as { readonly source?: string };
      const key = JSON.stringify(Object.entries(labels).sort());
      byStream.set(key, [...(byStream.get(key) ?? []), ...values]);
    }
  }
  const streams = [...byStream].sort(([a], [b]) => (a < b ? -1 : 1));
  const order = messages.flatMap(
    ({ streams: all }) => all?.flatMap(({ values }) => values.map(([time]) => time)) ?? [],
  );
  const forms = messages.map((message) => ({
    ...{ keys: Object.keys(message).sort(), isLong: (message.streams?.length ?? 0) > 100 },
    areApart: message.streams?.every(({ values }) => values.length === 1),
  }));
  const isHeldBack = Number(parameters.delay_for ?? 0) > 0;
  const [form = {}] = new Set(forms.map((each) => JSON.stringify(each)));
  return { status: 200, body: { streams, form, ...(isHeldBack ? { order } : {}) } };
}

/** Resolves once no tail has told anything for so long. */
async function settle(tails: readonly OpenTail[], leastMs: number): Promise<void> {
  const fromMs = performance.now();
  for (;;) {
    const lastMs = Math.max(fromMs, ...tails.map((tail) => tail.lastMs));
    const leftMs = lastMs + leastMs - performance.now();
    if (leftMs <= 0) return;
    await new Promise((wakes) => setTimeout(wakes, leftMs));
  }
}

/** Follows lines of both services while the same are pushed to both. */
async function follow(cases: readonly JudgeCase[], loki: Spoken, ours: Spoken): Promise<readonly Verdict[]> {
  const pairs: (readonly [OpenTail, OpenTail])[] = [];
  for (const each of cases) pairs.push(await Promise.all([open(loki, each), open(ours, each)]));
  const tails = pairs.flat();
  const delayMs = Math.max(...cases.map(({ parameters }) => Number(parameters.delay_for ?? 0))) * 1_000;
  await settle(tails, quietMs);
  for (const streams of livePushes(Date.now())) {
    await Promise.all([push(loki, streams), push(ours, streams)]);
    // Lines that arrive together may be told by their times, whatever request they came with.
    await settle(tails, arrivalMs);
  }
  await settle(tails, quietMs + delayMs);
  for (const tail of tails) tail.close();
  return pairs.map(([theirs, own], index) => {
    const judged = cases[index] as JudgeCase;
    return toVerdict(judged, toAnswer(theirs, judged), toAnswer(own, judged));
  });
}

/** Follows both services in every way, and tells where they differ. The lines of `judge` are stored in both. */
export async function judgeTails(only: string, loki: Spoken, ours: Spoken): Promise<readonly Verdict[]> {
  const isChosen = ({ section, parameters }: JudgeCase) => `${section}\n${parameters.query ?? ""}`.includes(only);
  const cases = tailCases.filter(isChosen);
  const verdicts: Verdict[] = [];
  for (let at = 0; at < cases.length; at += maxOpen) {
    verdicts.push(...(await follow(cases.slice(at, at + maxOpen), loki, ours)));
  }
  for (const judged of refusedTails.filter(isChosen)) {
    const [theirs, own] = await Promise.all([refusal(loki, judged), refusal(ours, judged)]);
    verdicts.push(toVerdict(judged, theirs, own));
  }
  return verdicts;
}
