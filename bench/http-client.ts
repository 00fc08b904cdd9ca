import { Agent, type IncomingHttpHeaders, request } from "node:http";

interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** From the call to the last byte. */
  readonly elapsedMs: number;
}

interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Buffer;
  readonly contentType?: string;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client with connections that are kept open. */
export interface HttpClient {
  /** Rejects when no whole answer came, whatever its status is. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

/**
 * Connections that nobody has used for so long are not used again: a service closes them after a while, and this
 * process, busy with making events, may not have seen it yet.
 */
const longestRestMs = 10_000;

/** Talks to one service over at most `connections` connections, with a token. */
export function openHttpClient(
  url: string,
  token: string,
  connections: number,
  nowMs: () => number = () => performance.now(),
): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: longestRestMs });
  const open = { calls: 0, lastMs: nowMs() };
  return {
    send: ({ method, path, body, contentType, headers: more }) =>
      new Promise<HttpAnswer>((resolve, reject) => {
        if (open.calls === 0 && nowMs() - open.lastMs > longestRestMs) agent.destroy();
        open.calls++;
        const headers: Record<string, string> = { "x-api-key": token, ...more };
        if (body !== undefined) {
          headers["content-type"] = contentType ?? "application/json";
          headers["content-length"] = String(body.length);
        }
        const startedAt = performance.now();
        const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const elapsedMs = performance.now() - startedAt;
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
              elapsedMs,
            });
          });
        });
        sent.on("error", reject);
        sent.end(body);
      }).finally(() => {
        open.calls--;
        open.lastMs = nowMs();
      }),
    close: () => agent.destroy(),
  };
}
