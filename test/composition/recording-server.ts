/** A server that writes down who asks it what over ClickHouse's HTTP interface, and has nothing. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";

export interface Recorded {
  readonly user: string;
  readonly password: string;
  readonly statement: string;
  readonly query: URLSearchParams;
  /** The name in the certificate that the caller showed. */
  readonly shown: string | undefined;
}

export interface RecordingServer {
  readonly url: string;
  readonly requests: readonly Recorded[];
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function credentialsOf({ headers }: IncomingMessage): readonly [string, string] {
  const [user = "", password = ""] = Buffer.from(String(headers.authorization).replace(/^Basic /, ""), "base64")
    .toString()
    .split(":");
  return [user, password];
}

/** Files of `makeCertificates`, for a server that is asked over TLS. */
export async function startRecordingServer(folder?: string): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const listener: RequestListener = async (request, response) => {
    const [user, password] = credentialsOf(request);
    const { searchParams: query } = new URL(request.url ?? "/", "http://server");
    const statement = (query.get("query") ?? "") + (await textOf(request));
    const shown = (request.socket as Partial<TLSSocket>).getPeerCertificate?.().subject?.CN;
    requests.push({ user, password, statement, query, shown: shown === undefined ? undefined : String(shown) });
    response.setHeader("X-ClickHouse-Query-Id", query.get("query_id") ?? "");
    response.end(query.get("format_custom_result_after_delimiter"));
  };
  const read = (name: string) => readFileSync(join(folder ?? "", name));
  const server =
    folder === undefined
      ? createServer(listener)
      : createTlsServer(
          {
            ...{ key: read("server.key"), cert: read("server.pem"), ca: read("ca.pem") },
            requestCert: true,
            rejectUnauthorized: false,
          },
          listener,
        );
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${folder === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** `ca.pem`, and `server` and `client` with its signature, each with its key. */
export function makeCertificates(folder: string): void {
  const openssl = (...parameters: string[]) => execFileSync("openssl", parameters, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=the authority");
  for (const name of ["server", "client"]) {
    const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-CA", "ca.pem", "-CAkey", "ca.key"];
    openssl("req", "-x509", ...key, ...names, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-subj", `/CN=${name}`);
  }
}
