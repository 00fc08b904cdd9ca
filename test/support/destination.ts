import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A request that a destination got, with its body after decompression. */
export interface DestinationRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface DestinationAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A receiver of drained events on a port of loopback. */
export interface Destination {
  readonly port: number;
  readonly url: string;
  /** The requests that it answered 2xx. */
  readonly taken: DestinationRequest[];
  /** All requests. */
  readonly requests: DestinationRequest[];
  /** How the next requests are answered; 200 unless set. */
  answer: (request: DestinationRequest) => DestinationAnswer | Promise<DestinationAnswer>;
  /** The events of the requests taken, parsed. */
  events(): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

/** Listens on the port, or a free one. */
export async function startDestination(port = 0): Promise<Destination> {
  const taken: DestinationRequest[] = [];
  const requests: DestinationRequest[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const bytes = Buffer.concat(chunks);
      const isPacked = request.headers["content-encoding"] === "gzip";
      const body = (isPacked ? gunzipSync(bytes) : bytes).toString("utf8");
      const got = { path: request.url ?? "", headers: request.headers, body };
      requests.push(got);
      const { status, headers, body: text = "{}" } = await destination.answer(got);
      if (status < 300) taken.push(got);
      response.writeHead(status, headers).end(text);
    });
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  const destination: Destination = {
    port: bound,
    url: `http://127.0.0.1:${bound}/hook`,
    taken,
    requests,
    answer: () => ({ status: 200 }),
    events: () => taken.flatMap(({ body }) => JSON.parse(body) as Record<string, unknown>[]),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return destination;
}
