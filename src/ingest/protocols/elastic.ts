import { BodyError } from "../../engines/contract/query-engine.ts";
import { isObject, parseLine, splitLines, toJsonText } from "./bodies.ts";
import { levelIn } from "./level.ts";
import { BadEvent, type IngestFailure, type IngestOutcome, type Protocol, type ProtocolBody } from "./protocol.ts";

/** Senders require this header before they trust an answer. */
const productHeaders = { "X-Elastic-Product": "Elasticsearch" };

/** Elasticsearch's `_bulk`: https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk */
export const elastic: Protocol = {
  name: "elastic",
  mediaTypes: {
    pattern: /^(|application\/((x-)?ndjson|(vnd\.elasticsearch\+)?(json|x-ndjson)))$/,
    advice: "application/x-ndjson",
  },
  details: ["?index"],
  read: (body) => {
    const operations = readOperations(body);
    return {
      items: operations.map(({ event }) => event),
      describe: (events) => operations.map(({ action, index, id }, at) => [action, index, id ?? events[at]?.id ?? ""]),
    };
  },
  answer: answerBulk,
  answerFailure: answerFailureOf,
};

interface Operation {
  readonly action: string;
  readonly index: string;
  readonly id: string | undefined;
  readonly event: unknown;
}

/** Pairs of lines: an action, and a document. Throws `invalid_body` for a body of anything else. */
function readOperations({ bytes, count, details = {} }: ProtocolBody): readonly Operation[] {
  const lines = splitLines(bytes, () => count.addPart());
  const operations: Operation[] = [];
  if (lines.length === 0) throw new BodyError("invalid_body", "The body has no lines: pairs of lines are required");
  for (let at = 0; at < lines.length; ) {
    const { action, index = details["?index"], id } = readAction(lines[at] ?? "", at);
    count.add();
    const known = { action, index: index ?? "", id };
    at++;
    if (action === "delete") operations.push({ ...known, event: new BadEvent("events cannot be deleted") });
    else {
      const line = lines[at];
      if (line === undefined) throw new BodyError("invalid_body", `The body ends after the action of line ${at}`);
      at++;
      const document = parseLine(line);
      const isCutOff = document instanceof BadEvent && at === lines.length && bytes.at(-1) !== lineFeed;
      if (isCutOff) throw new BodyError("invalid_body", `The body ends in the middle of the document of line ${at}`);
      const event = action === "update" ? new BadEvent("events cannot be updated") : toEvent(document, index, id);
      operations.push({ ...known, event });
    }
  }
  return operations;
}

const lineFeed = 10;
const actions: ReadonlySet<string> = new Set(["index", "create", "update", "delete"]);

function readAction(
  line: string,
  at: number,
): { readonly action: string; readonly index?: string; readonly id?: string } {
  const value = parseLine(line);
  const [action, ...others] = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (action === undefined || others.length > 0 || !actions.has(action)) {
    throw malformed(at, "index, create, update or delete");
  }
  const about = (value as { readonly [action: string]: unknown })[action] ?? {};
  if (!isObject(about)) throw malformed(at, `an object behind ${action}`);
  const { _index: index = null, _id: id = null } = about;
  if (index !== null && typeof index !== "string") throw malformed(at, "a text in _index");
  if (id !== null && !["string", "number", "bigint"].includes(typeof id)) throw malformed(at, "a text in _id");
  return { action, ...(index === null ? {} : { index }), ...(id === null ? {} : { id: String(id) }) };
}

function malformed(at: number, expected: string): BodyError {
  return new BodyError("invalid_body", `Malformed action/metadata line [${at + 1}], expected ${expected}`);
}

/** Fields that contain an event's text, as the senders of Elasticsearch name them. */
const messageFields = ["message", "msg", "log", "event.original"] as const;

function toEvent(document: unknown, index: string | undefined, id: string | undefined): unknown {
  if (document instanceof BadEvent) return document;
  if (!isObject(document)) return new BadEvent("a document must be a JSON object");
  const fields = document;
  const { "@timestamp": time, timestamp, project, ...others } = fields;
  const messageField = messageFields.find((name) => typeof fields[name] === "string");
  const metadata: { [field: string]: unknown } = { ...others };
  if (messageField !== undefined) delete metadata[messageField];
  const { log } = fields as { readonly log?: { readonly level?: unknown } };
  const level = levelIn(fields) ?? levelIn({ level: log?.level }) ?? levelIn({ level: fields["log.level"] });
  if (level !== undefined) metadata.level = level;
  if (index !== undefined) metadata._index = index;
  return {
    ...(id === undefined ? {} : { id }),
    event_message: messageField === undefined ? toJsonText(others) : fields[messageField],
    ...(time === undefined && timestamp === undefined ? {} : { timestamp: time ?? timestamp }),
    ...(project === undefined ? {} : { project }),
    metadata,
  };
}

function answerBulk({ rejected, receipt = [], tookMs }: IngestOutcome) {
  const reasons = new Map(rejected.map(({ index, reason }) => [index, reason]));
  const items = receipt.map(([action = "", index = "", id = ""], at) => {
    const reason = reasons.get(at);
    const common = { _index: index, _id: id };
    const result =
      reason === undefined
        ? { ...common, _version: 1, result: "created", _shards: { total: 1, successful: 1, failed: 0 }, status: 201 }
        : { ...common, status: 400, error: { type: "document_parsing_exception", reason } };
    return { [action]: result };
  });
  return { status: 200, headers: productHeaders, body: { took: tookMs, errors: rejected.length > 0, items } };
}

/** Names of Elasticsearch's errors by status. */
const errorTypes: Readonly<Record<number, string>> = {
  400: "illegal_argument_exception",
  401: "security_exception",
  403: "security_exception",
  404: "index_not_found_exception",
  413: "content_too_long_exception",
  429: "es_rejected_execution_exception",
  503: "unavailable_shards_exception",
};

/** Senders retry after 429, 502, 503 and 504. */
function answerFailureOf({ status: sent, message: reason }: IngestFailure) {
  const status = sent === 507 ? 503 : sent;
  const type = errorTypes[status] ?? "exception";
  return { status, headers: productHeaders, body: { error: { root_cause: [{ type, reason }], type, reason }, status } };
}

/** The probe of an Elasticsearch client before it sends: the server's name and version. */
export const elasticHandshake = {
  headers: productHeaders,
  root: {
    cluster_name: "logweir",
    cluster_uuid: "bG9nd2Vpci1sb2d3ZWlyLQ",
    version: {
      number: "8.17.0",
      build_flavor: "default",
      build_type: "tar",
      build_hash: "0000000000000000000000000000000000000000",
      build_date: "2025-01-01T00:00:00.000000000Z",
      build_snapshot: false,
      lucene_version: "9.12.0",
      minimum_wire_compatibility_version: "7.17.0",
      minimum_index_compatibility_version: "7.0.0",
    },
    tagline: "You Know, for Search",
  },
  license: { license: { status: "active", uid: "logweir", type: "basic", mode: "basic" } },
} as const;
