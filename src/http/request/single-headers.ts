import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../shared/errors.ts";

/**
 * Headers that say who calls, for whom, and where a body ends: one value each, or the proxy in front may have read the
 * other one. `LF-ENDPOINT-REDACT-PII` is not among them: of several values, one that asks for redaction wins. The names
 * of people are checked where a proxy's are read.
 */
const singleHeaders: ReadonlySet<string> = new Set([
  ...["host", "content-length", "transfer-encoding"],
  ...["authorization", "x-api-key", "dd-api-key"],
  ...["x-source", "x-collection", "x-scope-orgid"],
]);

/** A host, as a name or an address, and a port (RFC 3986 3.2.2 and 3.2.3); empty where the target has none. */
const hostForm = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** The name of a header that was sent more than once and may be sent once only; undefined where there is none. */
function findRepeatedHeader({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return rawHeaders[at];
    seen.add(name);
  }
  return undefined;
}

/** The parts of a request that say how it is framed, where it goes and who sends it. */
type Framed = Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersion">;

/**
 * Throws `malformed_request` where another reader of the same request could see another caller, host or end of the body
 * (RFC 9112 3.2 and 6.1, RFC 9110 5.3). What Node refuses by itself never comes here: several lengths, or a length
 * beside a coding.
 */
export function checkSingleHeaders(request: Framed): void {
  const problem = findProblem(request);
  if (problem !== undefined) throw new ServiceError("malformed_request", problem.message, { hint: problem.hint });
}

/** True for a request that `checkSingleHeaders` lets through. */
export function isWellFramed(request: Framed): boolean {
  return findProblem(request) === undefined;
}

function findProblem(request: Framed): { readonly message: string; readonly hint: string } | undefined {
  const { host, "transfer-encoding": coding = "chunked" } = request.headers;
  const repeated = findRepeatedHeader(request);
  if (repeated !== undefined) {
    const hint = "Send it once. A proxy has to replace what callers send under this name, instead of adding to it.";
    return { message: `The header ${repeated} was sent more than once`, hint };
  }
  const hasFormerVersion = request.httpVersion === "1.0";
  if (!hostForm.test(host ?? (hasFormerVersion ? "" : " "))) {
    const hint = "Send a name or an address, with or without a port, such as logs.example.com:4000.";
    return { message: host === undefined ? "The header Host is missing" : "The header Host is no host", hint };
  }
  if (coding.toLowerCase() !== "chunked") {
    const hint = "Send chunked, and name compression in Content-Encoding.";
    return { message: "Transfer-Encoding names another coding than chunked", hint };
  }
  if (!hasFormerVersion || request.headers["transfer-encoding"] === undefined) return undefined;
  return { message: "HTTP/1.0 has no Transfer-Encoding", hint: "Send Content-Length, or HTTP/1.1." };
}
