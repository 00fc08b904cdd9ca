import { Type } from "typebox";
import type { FieldProblems } from "../shared/documents/document-form.ts";
import { omitUndefined } from "../shared/omit-undefined.ts";
import { type Backend, type BackendConfig, type BackendType, backendTypes } from "./backend.ts";

/** The content of a backend document. */
export type BackendDraft = Pick<Backend, "name" | "description" | "type" | "config" | "metadata">;

export type Report = (field: string, message: string) => void;

/** Replaces a secret wherever a backend is shown; when sent back, it means the stored secret. */
export const mask = "********";

const resend = "must be sent again, since the address is another";

const maxTextLength = 4_096;

/** A backend in the form of the API. A change may omit fields to retain them. */
export const BackendDocument = Type.Partial(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: maxTextLength }),
    description: Type.String({ maxLength: maxTextLength }),
    type: Type.Unsafe<BackendType>({ type: "string", enum: backendTypes }),
    config: Type.Unsafe<object>({
      type: "object",
      description:
        "url, headers, gzip; token and source of logweir, username and password of loki, region and keys of s3",
    }),
    metadata: Type.Unsafe<object>({ type: "object" }),
  }),
);

const fields = Object.keys(BackendDocument.properties);
/** Fields of a backend as it is shown; they are ignored when sent back. */
const shownFields = ["id", "token", "inserted_at", "updated_at", "status"];
const configFields: Readonly<Record<BackendType, readonly string[]>> = {
  webhook: ["url", "headers", "gzip", "http"],
  logweir: ["url", "headers", "gzip", "token", "source"],
  loki: ["url", "headers", "gzip", "username", "password"],
  otlp: ["url", "headers", "gzip"],
  s3: ["url", "headers", "gzip", "region", "access_key_id", "secret_access_key"],
};
const maxHeaders = 50;
/** Set by the request itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "content-encoding",
  "content-type",
  "transfer-encoding",
  "expect",
  "upgrade",
  "te",
  "logweir-hops",
  "trailer",
  "keep-alive",
]);

/** Reads a backend document; omitted fields are taken from `before`. All problems are reported together. */
export function readBackend(
  sent: Readonly<Record<string, unknown>>,
  before?: Backend,
): { readonly draft: BackendDraft } | { readonly problems: FieldProblems } {
  const problems = new Map<string, string[]>();
  const report: Report = (field, message) => problems.set(field, [...(problems.get(field) ?? []), message]);
  for (const key of Object.keys(sent)) {
    if (![...fields, ...shownFields].includes(key))
      report(key, `there is no such field; fields are ${fields.join(", ")}`);
  }
  const type = readType(sent.type ?? before?.type, report);
  const same = before !== undefined && before.type === type ? before.config : undefined;
  const draft = {
    name: readText("name", sent.name ?? before?.name, report),
    description: readText("description", sent.description ?? before?.description ?? "", report, 0),
    type,
    config: sent.config === undefined && same !== undefined ? same : readConfig(sent.config, type, same, report),
    metadata: readMetadata(sent.metadata ?? before?.metadata ?? {}, report),
  };
  return problems.size === 0 ? { draft } : { problems: Object.fromEntries(problems) };
}

function readType(value: unknown, report: Report): BackendType {
  const type = backendTypes.find((each) => each === value);
  if (type === undefined) report("type", `must be one of ${backendTypes.join(", ")}`);
  return type ?? "webhook";
}

/** Texts that stand in lines of logs, in addresses and in headers have no control characters. */
const control = /\p{Cc}|[\u2028\u2029]/u;

function readText(field: string, value: unknown, report: Report, minLength = 1): string {
  if (typeof value === "string" && value.length >= minLength && value.length <= maxTextLength) {
    if (field === "description" || !control.test(value)) return value;
    report(field, "may hold no line break or other control character");
    return "";
  }
  report(field, `must be a text of ${minLength} to ${maxTextLength} characters`);
  return "";
}

function readMetadata(value: unknown, report: Report): Backend["metadata"] {
  if (isObject(value) && JSON.stringify(value).length <= maxTextLength) return value;
  report("metadata", `must be an object of ${maxTextLength} characters at most`);
  return {};
}

function readConfig(
  sent: unknown,
  type: BackendType,
  before: BackendConfig | undefined,
  report: Report,
): BackendConfig {
  const config = isObject(sent) ? sent : {};
  if (!isObject(sent)) report("config", "must be an object with the field url");
  for (const key of Object.keys(config)) {
    if (!configFields[type].includes(key)) {
      report(`config.${key}`, `there is no such field; fields of ${type} are ${configFields[type].join(", ")}`);
    }
  }
  const { gzip = true } = config;
  if (typeof gzip !== "boolean") report("config.gzip", "must be true or false");
  const url = readUrl("config.url", config.url, before?.url, report);
  if (type === "s3") checkStore(config, url, report);
  // A secret is for its own destination only: a caller that changes the address must know it.
  const known = before !== undefined && isSameOrigin(url, before.url) ? before : undefined;
  const optional = (field: OptionalField) => {
    const value = config[field] === mask ? known?.[field] : config[field];
    if (config[field] === mask && value === undefined) report(`config.${field}`, resend);
    if (value === undefined || value === null || value === "") return {};
    const text = readText(`config.${field}`, value, report);
    // It is sent as a header.
    if (field === "token" && !/^[\x20-\x7e]*$/.test(text)) report("config.token", "must be printable ASCII");
    return { [field]: text };
  };
  return {
    url,
    headers: readHeaders(config.headers ?? {}, known?.headers ?? {}, report),
    gzip: gzip === true,
    ...optional("token"),
    ...optional("source"),
    ...optional("username"),
    ...optional("password"),
    ...optional("region"),
    ...optional("access_key_id"),
    ...optional("secret_access_key"),
  };
}

/** Reports what requests to an object store cannot do without. */
function checkStore({ region, ...keys }: Readonly<Record<string, unknown>>, url: string, report: Report): void {
  for (const field of ["access_key_id", "secret_access_key"]) {
    if (typeof keys[field] !== "string" || keys[field] === "")
      report(`config.${field}`, "is required: it signs requests");
  }
  if (region !== undefined && !(typeof region === "string" && /^[\w-]{0,60}$/.test(region))) {
    report("config.region", "must be a region's name, such as eu-central-1");
  }
  if (url.includes("?")) report("config.url", "must be the address of a bucket, and of a folder in it, without ?");
}

type OptionalField = Exclude<keyof BackendConfig, "url" | "headers" | "gzip">;

function isSameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

/**
 * Reads the address of a destination, which may be sent as it is shown to retain the one `before`. Returns an empty
 * text for one that is not even a text.
 */
export function readUrl(field: string, value: unknown, before: string | undefined, report: Report): string {
  if (before !== undefined && value === maskUrl(before)) return before;
  const text = readText(field, value, report);
  if (text === "") return "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (/[^\x21-\x7e\u00a1-\u{10ffff}]/u.test(text)) {
    report(field, "may hold no blank, line break or other control character");
  } else if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    report(field, "must be an address that begins with http:// or https://");
  } else if (url.username !== "" || url.password !== "") {
    report(field, "may hold no name and password; send them in headers");
  } else if (url.hash !== "") report(field, "may have no part behind #");
  return text;
}

function readHeaders(
  value: unknown,
  before: BackendConfig["headers"],
  report: Report,
): Readonly<Record<string, string>> {
  if (!isObject(value)) {
    report("config.headers", "must be an object of names and texts");
    return {};
  }
  const entries = Object.entries(value);
  if (entries.length > maxHeaders) report("config.headers", `must be ${maxHeaders} at most`);
  const kept = new Map(Object.entries(before));
  const headers: Record<string, string> = {};
  for (const [name, given] of entries) {
    const folded = name.toLowerCase();
    const at = `config.headers.${name.slice(0, 100)}`;
    const text = given === mask ? kept.get(folded) : given;
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]{1,256}$/.test(folded)) report(at, "is not a header's name");
    else if (ownHeaders.has(folded)) report(at, "is set by the request itself");
    else if (given === mask && text === undefined) report(at, resend);
    else if (typeof text !== "string" || text.length > maxTextLength || !/^[\t\x20-\x7e]*$/.test(text)) {
      report(at, `must be a text of ${maxTextLength} printable ASCII characters at most`);
    } else headers[folded] = text;
  }
  return headers;
}

/** A backend as the API shows it: without its secrets. */
export function showBackend(backend: Backend) {
  const { id, name, description, type, config, metadata, createdAtMs, updatedAtMs } = backend;
  const { url, headers, token, password, secret_access_key, ...rest } = config;
  return {
    id,
    token: id,
    name,
    description,
    type,
    config: {
      ...rest,
      url: maskUrl(url),
      headers: Object.fromEntries(Object.keys(headers).map((header) => [header, mask])),
      ...omitUndefined({
        token: token && mask,
        password: password && mask,
        secret_access_key: secret_access_key && mask,
      }),
    },
    metadata,
    inserted_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}

/** An address as it is shown: the query string may contain a secret. */
export function maskUrl(url: string): string {
  const at = url.indexOf("?");
  return at === -1 ? url : `${url.slice(0, at)}?${mask}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
