/**
 * A load generator for a process of its own: sockets that send the same request again and again, with one answer
 * under way each.
 */
import { connect, type Socket } from "node:net";

/** Requests to send, and for how long. */
export interface LoadPlan {
  /** `{}` stands for a number that is another one in each request. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** Requests at most; without end unless set. */
  readonly count?: number;
  /** Every other status is a mistake, which ends the run. */
  readonly status: number;
}

export interface LoadResult {
  readonly count: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How much of the time this process was busy: near 1, it could not have sent more. */
  readonly busy: number;
}

/** Latencies are counted in steps of 10 microseconds, up to 10 seconds. */
const stepMs = 0.01;
const stepCount = 1_000_000;

/** Sends until the time is over. Throws when an answer has another status, or a connection ends. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const { hostname, port, host, origin } = new URL(plan.url);
  const target = plan.url.slice(origin.length);
  const lines = Object.entries({ host, ...plan.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const rest = ` HTTP/1.1\r\n${lines.join("")}\r\n`;
  const fixed = target.includes("{}") ? undefined : Buffer.from(`GET ${target}${rest}`, "latin1");
  let sent = 0;
  const nextRequest = () => {
    if (sent >= (plan.count ?? Number.POSITIVE_INFINITY)) return undefined;
    sent++;
    return fixed ?? Buffer.from(`GET ${target.replaceAll("{}", String(sent))}${rest}`, "latin1");
  };
  const steps = new Uint32Array(stepCount);
  let count = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + plan.seconds * 1_000;
  const note = (ms: number) => {
    const step = Math.min(stepCount - 1, Math.floor(ms / stepMs));
    steps[step] = (steps[step] ?? 0) + 1;
    count++;
  };
  const lanes = Array.from({ length: plan.connections }, () =>
    runLane(connect({ host: hostname, port: Number(port), noDelay: true }), {
      nextRequest,
      endsAt,
      status: plan.status,
      note,
    }),
  );
  await Promise.all(lanes);
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    count,
    requestsPerSecond: (count / elapsedMs) * 1_000,
    p50Ms: quantile(steps, count * 0.5),
    p99Ms: quantile(steps, count * 0.99),
    busy: (user + system) / 1_000 / elapsedMs,
  };
}

function quantile(steps: Uint32Array, rank: number): number {
  let seen = 0;
  for (const [step, count] of steps.entries()) {
    seen += count;
    if (seen >= rank) return step * stepMs;
  }
  return Number.NaN;
}

interface Lane {
  readonly nextRequest: () => Buffer | undefined;
  readonly endsAt: number;
  readonly status: number;
  readonly note: (ms: number) => void;
}

function runLane(socket: Socket, { nextRequest, endsAt, status, note }: Lane): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let isDone = false;
    // Bytes of the answer that are still to come; negative while its head is not complete.
    let missing = -1;
    let begun: Buffer = nothing;
    const send = () => {
      const now = performance.now();
      const request = now < endsAt ? nextRequest() : undefined;
      if (request === undefined) {
        isDone = true;
        socket.destroy();
        resolve();
        return;
      }
      missing = -1;
      begun = nothing;
      sentAt = now;
      socket.write(request);
    };
    const finish = () => {
      note(performance.now() - sentAt);
      send();
    };
    socket.on("connect", send);
    socket.on("data", (chunk: Buffer) => {
      if (missing >= 0) missing -= chunk.length;
      else {
        const bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
        const end = bytes.indexOf("\r\n\r\n");
        begun = bytes;
        if (end === -1) return;
        const head = bytes.toString("latin1", 0, end + 2);
        const found = Number(head.slice(9, 12));
        if (found !== status) return void socket.destroy(new Error(`Expected ${status}: ${head.slice(0, 500)}`));
        missing = bodyLength(head) - (bytes.length - end - 4);
      }
      if (missing <= 0) finish();
    });
    socket.on("error", reject);
    socket.on("close", () => {
      if (!isDone) reject(new Error("The server closed a connection"));
    });
  });
}

const nothing = Buffer.alloc(0);
const lengthNames = ["\r\ncontent-length: ", "\r\nContent-Length: "] as const;

function bodyLength(head: string): number {
  for (const name of lengthNames) {
    const at = head.indexOf(name);
    if (at !== -1) return Number(head.slice(at + name.length, head.indexOf("\r\n", at + 2)));
  }
  return 0;
}
