import { messageOf } from "../../shared/message-of.ts";
import type { CommandContext } from "../context.ts";
import { readLines, writeLine } from "../input/lines.ts";
import { rawStream } from "../output/safe-output.ts";
import { createServiceClient, describeAnswer, type ServiceClient } from "../service-call.ts";
import { readMessages } from "./tail.ts";

/** A message of JSON-RPC, as far as it is passed on by what it says. */
interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: string | number;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly protocolVersion?: unknown };
}

/** An error of the protocol that JSON-RPC calls internal. */
const internalError = -32603;

/**
 * Passes messages of the Model Context Protocol between a local client, one on a line of standard input and output, and
 * a running service. Ends when the input does, and what was asked by then is answered.
 */
export async function bridgeMcp(context: CommandContext): Promise<void> {
  const client = createServiceClient(context);
  const running = new Map<unknown, AbortController>();
  const output = rawStream(context.output);
  let revision: string | undefined;
  const answer = async (line: string, message: Message): Promise<void> => {
    const stop = new AbortController();
    const isRequest = message.method !== undefined && message.id !== undefined;
    if (isRequest) running.set(message.id, stop);
    try {
      for await (const text of send(client, line, headersOf(message, revision), stop.signal)) {
        // Clients of revisions before name theirs once.
        const agreed =
          message.method === "initialize" ? (JSON.parse(text) as Message).result?.protocolVersion : undefined;
        if (typeof agreed === "string") revision = agreed;
        await writeLine(output, text);
      }
    } catch (error) {
      if (isRequest && !stop.signal.aborted) {
        const answered = { code: internalError, message: messageOf(error) };
        await writeLine(output, JSON.stringify({ jsonrpc: "2.0", id: message.id, error: answered }));
      }
    } finally {
      running.delete(message.id);
    }
  };
  const answers = new Set<Promise<void>>();
  for await (const line of readLines(context.input)) {
    if (line.trim() === "") continue;
    const message = parse(line);
    // Over HTTP a call is cancelled by leaving.
    if (message.method === "notifications/cancelled") running.get(message.params?.requestId)?.abort();
    const pending: Promise<void> = answer(line, message).finally(() => answers.delete(pending));
    answers.add(pending);
    // Others are sent in the revision that it agrees on.
    if (message.method === "initialize") await pending;
  }
  await Promise.all(answers);
}

/** Reads a line; one that is no message is for the service to refuse. */
function parse(line: string): Message {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return { id: null, method: "" };
  }
}

async function* send(
  client: ServiceClient,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await client.send("/mcp", { method: "POST", headers, body, signal });
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") && response.body !== null) {
    for await (const { event, data } of readMessages(response.body as AsyncIterable<Uint8Array>)) {
      if (event !== "place") yield data;
    }
    return;
  }
  const copy = response.clone();
  const text = await response.text();
  // Also a refusal of the protocol is a message; one of the service is not.
  if (text !== "" && "jsonrpc" in parse(text)) yield text;
  else if (!response.ok) throw new Error(await describeAnswer(copy));
}

/** The headers by which the protocol repeats over HTTP what a message says. */
function headersOf({ method, params }: Message, revision: string | undefined): Readonly<Record<string, string>> {
  const claimed = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  const version = typeof claimed === "string" ? claimed : revision;
  const name = params?.name ?? params?.uri;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    ...(typeof method === "string" && method !== "" ? { "mcp-method": toHeader(method) } : {}),
    ...(typeof name === "string" ? { "mcp-name": toHeader(name) } : {}),
  };
}

/** A header's value; one that headers cannot have as it is goes in the protocol's form of Base64. */
function toHeader(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
