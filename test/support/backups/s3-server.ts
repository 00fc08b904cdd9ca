import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { S3Access } from "../../../src/backups/s3-place.ts";

/** A small S3-compatible store with one bucket. */
export interface S3Server {
  readonly access: Required<S3Access>;
  /** By path: `/BUCKET/KEY`. */
  readonly objects: Map<string, Buffer>;
  /** Answers every request with this instead. */
  failure: { readonly status: number; readonly code: string } | undefined;
  /** Does this on every request instead. */
  behaviour: ((to: ServerResponse) => void) | undefined;
  /** Knows `If-None-Match`; other stores refuse it. */
  knowsConditions: boolean;
  close(): void;
}

const pageSize = 3;

/** Starts a store whose pages of lists have three keys, and which refuses bodies that are not what was signed. */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(store, request, Buffer.concat(chunks), response));
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store: S3Server = {
    access: { endpoint, region: "eu-1", credentials: { accessKeyId: "key-1", secretAccessKey: "secret" } },
    objects,
    failure: undefined,
    behaviour: undefined,
    knowsConditions: true,
    close: () => void server.close().closeAllConnections(),
  };
  return store;
}

function answer(store: S3Server, { method, url = "", headers }: IncomingMessage, body: Buffer, to: ServerResponse) {
  const { pathname, searchParams } = new URL(url, "http://x");
  const path = decodeURIComponent(pathname);
  const refuse = (status: number, code: string) =>
    to
      .writeHead(status, { "content-type": "application/xml" })
      .end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
  if (store.behaviour !== undefined) return store.behaviour(to);
  if (store.failure !== undefined) return refuse(store.failure.status, store.failure.code);
  if (!headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=key-1/")) return refuse(403, "AccessDenied");
  if (!path.startsWith("/bucket")) return refuse(404, "NoSuchBucket");
  if (searchParams.has("list-type")) return to.end(list(store, searchParams));
  const found = store.objects.get(path);
  switch (method) {
    case "PUT": {
      const sum = createHash("sha256").update(body).digest("hex");
      if (headers["x-amz-content-sha256"] !== sum) return refuse(400, "XAmzContentSHA256Mismatch");
      if (headers["if-none-match"] !== undefined) {
        if (!store.knowsConditions) return refuse(501, "NotImplemented");
        if (found !== undefined) return refuse(412, "PreconditionFailed");
      }
      store.objects.set(path, body);
      return to.end();
    }
    case "DELETE":
      store.objects.delete(path);
      return to.writeHead(204).end();
    default:
      if (found === undefined) return refuse(404, "NoSuchKey");
      return to.writeHead(200, { "last-modified": new Date().toUTCString() }).end(method === "HEAD" ? "" : found);
  }
}

function list({ objects }: S3Server, parameters: URLSearchParams): string {
  const prefix = `/bucket/${parameters.get("prefix") ?? ""}`;
  const after = parameters.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, pageSize);
  const next = keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  const contents = page.map((key) => `<Contents><Key>${key.slice("/bucket/".length)}</Key></Contents>`).join("");
  return `<ListBucketResult><IsTruncated>${next !== ""}</IsTruncated>${next}${contents}</ListBucketResult>`;
}
