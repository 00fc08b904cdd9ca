import { setTimeout as sleep } from "node:timers/promises";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import { CliError, type CommandContext } from "../context.ts";
import { readLines, writeLine } from "../input/lines.ts";
import { createServiceClient, readAnswer, readBytes } from "../service-call.ts";

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
const retryMs = 2_000;

/** Prints the newest events of a source, or rows of an endpoint, and then new ones, until the process ends. */
export async function tail(context: CommandContext, name: string, options: TailOptions): Promise<void> {
  await followRows(context, name, options, new AbortController().signal);
}

/** The same until `signal` is aborted. */
export async function followRows(
  context: CommandContext,
  name: string,
  options: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  const path = `/api/endpoints/query/${encodeURIComponent(options.endpoint === true ? name : `source:${name}`)}`;
  const parameters = toParameters(options);
  const print = (row: EventRow) => {
    return writeLine(context.output, context.json === true ? JSON.stringify(row) : toLine(row));
  };
  const newest = new URLSearchParams([...parameters, ["limit", String(firstRows)]]);
  const { result } = await readAnswer<{ readonly result: readonly EventRow[] }>(context, `${path}?${newest}`);
  const shown = new Set(result.map(keyOf));
  for (const row of [...result].reverse()) await print(row);
  let lastId: string | undefined;
  const client = createServiceClient(context);
  while (!signal.aborted) {
    const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
    const since = lastId === undefined ? [["since", "10s"]] : [];
    const query = new URLSearchParams([...parameters, ...since] as [string, string][]);
    try {
      const stream = await readBytes(client, `${path}/tail?${query}`, { headers, signal });
      for await (const message of readMessages(stream)) {
        if (message.event === "end") throw new CliError(textOf(message.data, "message"));
        if (message.event === "skipped")
          context.errors.write(`(${textOf(message.data, "count")} events were left out)\n`);
        if (message.event !== "message") continue;
        lastId = message.id ?? lastId;
        const row = JSON.parse(message.data) as EventRow;
        if (!shown.has(keyOf(row))) await print(row);
      }
    } catch (error) {
      if (signal.aborted) return;
      // A broken connection is reopened after the last event; messages of the service are shown.
      if (error instanceof CliError) throw error;
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

/** The messages of a stream of Server-Sent Events, each with one line of data. */
export async function* readMessages(body: AsyncIterable<string | Uint8Array>): AsyncGenerator<Message> {
  let message: { id?: string; event?: string; data?: string } = {};
  for await (const line of readLines(body)) {
    if (line === "") {
      const { id, event = "message", data } = message;
      if (data !== undefined) yield { id, event, data };
      message = {};
    }
    const [, name, value = ""] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
    if (name === "id" || name === "event" || name === "data") message[name] = value;
  }
}

function textOf(data: string, name: string): string {
  const value = (JSON.parse(data) as Readonly<Record<string, unknown>>)[name];
  return value === null || value === undefined ? "some" : String(value);
}

/** The identity of a row: its id if it has one. */
function keyOf(row: EventRow): string {
  return typeof row.id === "string" ? row.id : JSON.stringify(row);
}

function toLine(row: EventRow): string {
  const { timestamp, event_message: message, id } = row;
  const text = typeof message === "string" ? message : typeof id === "string" ? id : JSON.stringify(row);
  const time = typeof timestamp === "number" ? `${formatIsoTimestamp(BigInt(timestamp))}  ` : "";
  // A line of the log is one line of the output.
  return time + text.replaceAll(/[\r\n\t]+/g, " ");
}
