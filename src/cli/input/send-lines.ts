import { CliError } from "../context.ts";
import { describeAnswer, type ServiceClient } from "../service-call.ts";
import type { NumberedLine } from "./numbered-lines.ts";

/** The outcome of sending some lines. */
export interface LinesOutcome {
  readonly accepted: number;
  readonly rejected: readonly { readonly line: number; readonly reason: string }[];
}

export interface LineSender {
  readonly client: ServiceClient;
  readonly source: string;
  /** Waits before the next try. */
  readonly sleep: (ms: number) => Promise<void>;
}

const maxTries = 30;
const maxWaitMs = 30_000;
const newline = Buffer.from("\n");

/**
 * Sends lines as one NDJSON request, and retries while the service is busy, full or restarting; throws `CliError` for a
 * permanent refusal. Events with ids of their own are stored once however often they are sent.
 */
export async function sendLines(sender: LineSender, lines: readonly NumberedLine[]): Promise<LinesOutcome> {
  const response = await sendUntilAnswered(sender, Buffer.concat(lines.flatMap(({ bytes }) => [bytes, newline])));
  if (response.status === 413) return sendHalves(sender, lines);
  if (response.status !== 200 && response.status !== 422) throw new CliError(await describeAnswer(response));
  const answer = (await response.json()) as {
    readonly accepted: number;
    readonly rejected?: readonly { readonly index: number; readonly reason: string }[];
  };
  const rejected = (answer.rejected ?? []).map(({ index, reason }) => ({ line: lines[index]?.number ?? 0, reason }));
  return { accepted: answer.accepted, rejected };
}

async function sendHalves(sender: LineSender, lines: readonly NumberedLine[]): Promise<LinesOutcome> {
  const [first] = lines;
  if (first === undefined || lines.length === 1) {
    return { accepted: 0, rejected: [{ line: first?.number ?? 0, reason: "larger than the service accepts" }] };
  }
  const middle = Math.ceil(lines.length / 2);
  const left = await sendLines(sender, lines.slice(0, middle));
  const right = await sendLines(sender, lines.slice(middle));
  return { accepted: left.accepted + right.accepted, rejected: [...left.rejected, ...right.rejected] };
}

async function sendUntilAnswered({ client, source, sleep }: LineSender, body: Buffer): Promise<Response> {
  const path = `/api/logs?source_name=${encodeURIComponent(source)}`;
  const request = {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.length),
  };
  for (let tries = 1; ; tries++) {
    const isLast = tries === maxTries;
    const response = await client.send(path, request).catch((error: unknown) => {
      if (isLast) throw error;
      return undefined;
    });
    if (response !== undefined && (isLast || ![429, 503, 507].includes(response.status))) return response;
    const waitSeconds = Number(response?.headers.get("retry-after") ?? Math.min(2 ** (tries - 1), 30));
    await response?.body?.cancel();
    await sleep(Math.min(maxWaitMs, (Number.isFinite(waitSeconds) ? waitSeconds : 1) * 1000));
  }
}
