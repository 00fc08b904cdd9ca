import { createHash } from "node:crypto";
import aws4 from "aws4";
import type { LogEvent } from "../../engines/contract/event-store.ts";
import type { BackendConfig } from "../backend.ts";
import type { DrainRequest } from "./send-request.ts";
import { writeEvent } from "./write-event.ts";

/** A request without events, which tries the connection, leaves this empty object. */
const trialName = "logweir-connection-test";

/** The hour of an event in UTC as folders: `2026/08/20/09`. */
export function hourOf({ timestampUs }: LogEvent): string {
  const iso = new Date(Number(timestampUs / 1000n)).toISOString();
  return iso.slice(0, iso.indexOf(":")).replaceAll(/(?<=.)-|T/g, "/");
}

/**
 * Events of one hour as an object of NDJSON in an S3-compatible store: `PREFIX/SOURCE/2026/08/20/09/HASH.ndjson`, with
 * `.gz` where it is packed. The same events have the same name, so that a repeated request replaces its object. The
 * signature is AWS's version 4.
 */
export function putObject(config: BackendConfig, source: string, events: readonly LogEvent[]): DrainRequest {
  const { url, gzip, region = "us-east-1", access_key_id = "", secret_access_key = "" } = config;
  const body = events.map((event) => `${writeEvent(event)}\n`).join("");
  const [first] = events;
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 32);
  const name = first === undefined ? trialName : `${hourOf(first)}/${hash}.ndjson${gzip ? ".gz" : ""}`;
  const target = new URL(url);
  const parts = `${decode(target.pathname)}/${source}/${name}`.split("/").filter((part) => part !== "");
  target.pathname = `/${parts.map(encodeStrictly).join("/")}`;
  target.search = "";
  const headers = { ...config.headers, "content-type": "application/x-ndjson" };
  const keys = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  return {
    url: target.href,
    method: "PUT",
    headers,
    body,
    isPacked: gzip,
    // A wrong key or region is 400 or 403, which is no fault of the events.
    mayRefuse: false,
    sign(bytes) {
      const { host, pathname: path } = target;
      const request = { service: "s3", region, method: "PUT", host, path, headers: { ...headers }, body: bytes };
      const signed = aws4.sign(request as unknown as Parameters<typeof aws4.sign>[0], keys);
      return Object.fromEntries(
        Object.entries(signed.headers ?? {}).flatMap(([header, value]) => {
          const folded = header.toLowerCase();
          return folded === "content-length" || folded === "host" ? [] : [[folded, String(value)]];
        }),
      );
    },
  };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** As signatures write the parts of a path: everything but letters, digits and `-._~`. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
