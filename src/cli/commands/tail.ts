import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, errorCatalogue } from "../../shared/error-catalogue.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import { CliError, type CommandContext } from "../context.ts";
import { readLines, writeLine } from "../input/lines.ts";
import { toBuffers } from "../input/numbered-lines.ts";
import {
  AwayError,
  askService,
  createServiceClient,
  isPassing,
  readAnswer,
  type ServiceClient,
} from "../service-call.ts";

export interface TailOptions {
  readonly lql?: string;
  readonly sql?: string;
  readonly project?: string;
  /** True where the name is an endpoint's. */
  readonly endpoint?: boolean;
}

interface EventRow {
  readonly id?: unknown;
  readonly timestamp?: unknown;
  readonly event_message?: unknown;
}

/** Rows printed before the first new event arrives. */
const firstRows = 10;
/** Seconds before now that a tail begins at: events of that time may be shown only after the first rows. */
const overlapSeconds = 10;
/** Seconds that a tail may begin before now, at most. */
const maxSinceSeconds = 604_800;
/** Bytes of a line of a stream: of a row, or of what is none. */
const maxLineBytes = 64_000_000;

interface Pace {
  /** Between two connections. */
  readonly retryMs: number;
  /** A clock that nobody sets. */
  readonly nowMs: () => number;
}

const usualPace: Pace = { retryMs: 2_000, nowMs: () => performance.now() };

/** Prints the newest events of a source, or rows of an endpoint, and then new ones, until the process ends. */
export async function tail(context: CommandContext, name: string, options: TailOptions): Promise<void> {
  await followRows(context, name, options, new AbortController().signal);
}

/**
 * The same until `signal` is aborted. Where the service is away, it is asked again, for all that it has not sent yet;
 * what it refuses ends the tail.
 */
export async function followRows(
  context: CommandContext,
  name: string,
  options: TailOptions,
  signal: AbortSignal,
  { retryMs, nowMs }: Pace = usualPace,
): Promise<void> {
  const path = `/api/endpoints/query/${encodeURIComponent(options.endpoint === true ? name : `source:${name}`)}`;
  const parameters = toParameters(options);
  const print = (row: EventRow) => {
    return writeLine(context.output, context.json === true ? JSON.stringify(row) : toLine(row));
  };
  const beganMs = nowMs();
  const newest = new URLSearchParams([...parameters, ["limit", String(firstRows)]]);
  const { result } = await readAnswer<{ readonly result: readonly EventRow[] }>(context, `${path}?${newest}`);
  const shown = new Set(result.map(keyOf));
  for (const row of [...result].reverse()) await print(row);
  const client = createServiceClient(context);
  let lastId: string | undefined;
  let isAway = false;
  while (!signal.aborted) {
    const seconds = Math.min(maxSinceSeconds, overlapSeconds + Math.floor((nowMs() - beganMs) / 1_000));
    const from = lastId === undefined ? [...parameters, ["since", `${seconds}s`]] : parameters;
    const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
    const address = `${path}/tail?${new URLSearchParams(from as [string, string][])}`;
    try {
      for await (const message of openMessages(client, address, { headers, signal })) {
        isAway = false;
        if (message.event === "skipped")
          context.errors.write(`(${fieldOf(message, "count") ?? "some"} events were left out)\n`);
        lastId = message.id ?? lastId;
        if (message.event !== "message") continue;
        const row = readData(message) as EventRow;
        const key = keyOf(row);
        if (key === undefined || !shown.has(key)) await print(row);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AwayError)) throw error;
      if (!isAway) context.errors.write(`(${error.message.split("\n")[0]}; trying again)\n`);
      isAway = true;
    }
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
  }
}

function toParameters({ lql, sql, project, endpoint }: TailOptions): [string, string][] {
  if (lql !== undefined && sql !== undefined) throw new CliError("Give --lql or --sql, not both");
  const query = sql === undefined ? toQuery(lql) : [["sql", sql] as [string, string]];
  if (project === undefined) return query;
  if (endpoint === true) return [["project", project], ...query];
  if (sql !== undefined) throw new CliError("--project does not go with --sql: name the project in the query");
  return toQuery([lql ?? "", `project:${JSON.stringify(project)}`].join(" ").trim());
}

function toQuery(lql: string | undefined): [string, string][] {
  return lql === undefined ? [] : [["lql", lql]];
}

interface Message {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

interface StreamRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A service sends something every 15 seconds. */
const silenceMs = 60_000;

/**
 * The messages of a tail until its connection ends. Throws `AwayError` where another connection may go on, and
 * `CliError` with the reason where the service ends the tail.
 */
async function* openMessages(
  client: ServiceClient,
  address: string,
  { headers, signal }: StreamRequest,
): AsyncGenerator<Message> {
  const silence = new AbortController();
  const wait = () => setTimeout(() => silence.abort(), silenceMs);
  let timer = wait();
  const noteLife = async function* (body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      // While the reader takes its time, nobody waits for the service.
      clearTimeout(timer);
      yield chunk;
      timer = wait();
    }
  };
  try {
    const response = await askService(client, address, { headers, signal: AbortSignal.any([signal, silence.signal]) });
    if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true || response.body === null) {
      throw new CliError(`What answers at ${client.url} sends no stream of events: is it a service of Logweir?`);
    }
    for await (const message of readMessages(noteLife(response.body as AsyncIterable<Uint8Array>))) {
      if (message.event === "end") throw toEnd(message);
      yield message;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new AwayError(`The connection to ${client.url} is broken`);
  } finally {
    clearTimeout(timer);
  }
}

/** Why the service ends a tail. */
function toEnd(message: Message): CliError {
  const code = fieldOf(message, "code") as ErrorCode;
  const text = String(fieldOf(message, "message"));
  const isKnown = Object.hasOwn(errorCatalogue, code);
  return isKnown && isPassing(errorCatalogue[code].status) ? new AwayError(text) : new CliError(text);
}

/**
 * The messages of a stream of Server-Sent Events, each with one line of data, and each id without data as a `place`.
 * Throws `CliError` for an endless line.
 */
export async function* readMessages(body: AsyncIterable<string | Uint8Array>): AsyncGenerator<Message> {
  let message: { id?: string; event?: string; data?: string } = {};
  for await (const line of readLines(boundLines(body))) {
    if (line === "") {
      const { id, event = "message", data } = message;
      if (data !== undefined) yield { id, event, data };
      else if (id !== undefined) yield { id, event: "place", data: "" };
      message = {};
    }
    const [, name, value = ""] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
    if (name === "id" || name === "event" || name === "data") message[name] = value;
  }
}

async function* boundLines(body: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of toBuffers(body)) {
    const end = chunk.lastIndexOf(10);
    length = end === -1 ? length + chunk.length : chunk.length - end - 1;
    if (length > maxLineBytes) throw new CliError(`The service sent a line of more than ${maxLineBytes} bytes`);
    yield chunk;
  }
}

function readData({ data }: Message): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new CliError(`The service sent a row that is not JSON: ${data.slice(0, 100)}`);
  }
}

function fieldOf(message: Message, name: string): unknown {
  return (readData(message) as Readonly<Record<string, unknown>> | null)?.[name];
}

/** The identity of a row: its id, or all of it with its time. Without both, a later row may be just like it. */
function keyOf(row: EventRow): string | undefined {
  if (typeof row.id === "string") return row.id;
  return typeof row.timestamp === "number" ? JSON.stringify(row) : undefined;
}

function toLine(row: EventRow): string {
  const { timestamp, event_message: message, id } = row;
  const text = typeof message === "string" ? message : typeof id === "string" ? id : JSON.stringify(row);
  const time = typeof timestamp === "number" ? `${formatIsoTimestamp(BigInt(timestamp))}  ` : "";
  // A line of the log is one line of the output.
  return time + text.replaceAll(/[\r\n\t]+/g, " ");
}
