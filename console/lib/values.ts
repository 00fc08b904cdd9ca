export type Row = Readonly<Record<string, unknown>>;

/** The value at a dotted path; records are lists of one object at every level. */
export function valueAt(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const part of path.split(".")) {
    if (Array.isArray(value) && value.length === 1) value = value[0];
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Row)[part];
  }
  return value;
}

/** A value as text in one line. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value === "object") return JSON.stringify(unwrap(value));
  return String(value);
}

/** The text as far as a line shows it: a megabyte in a cell would hold up the page. */
export function lineOf(value: unknown, maxLength = 2_000): string {
  const text = textOf(value);
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return showControls(cut.replaceAll(/[\r\n\t]+/g, " "));
}

/** Characters that are not seen but change what is: controls get their pictures, those of writing direction their numbers. Line breaks and tabs stay. */
export function showControls(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      if (character === "\n" || character === "\t") return character;
      return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\u2421";
    })
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
      return `\u2039U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}\u203a`;
    });
}

/** Lists of one record as the record. */
export function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [only] = value as unknown[];
    return value.length === 1 && typeof only === "object" && only !== null ? unwrap(only) : value.map(unwrap);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unwrap(each)]));
}

export type Level = "ok" | "redirect" | "warning" | "error" | "other";

/** How bad a status class, a status code or a severity is. */
export function levelOf(value: string | null | undefined): Level {
  const text = (value ?? "").toLowerCase();
  if (/^5(xx|\d\d)$|^(err|error|fatal|panic|crit|critical|alert|emerg|emergency)$/.test(text)) return "error";
  if (/^4(xx|\d\d)$|^(warn|warning)$/.test(text)) return "warning";
  if (/^3(xx|\d\d)$/.test(text)) return "redirect";
  if (/^[12](xx|\d\d)$|^(info|information|log|notice|debug|trace|ok)$/.test(text)) return "ok";
  return "other";
}

/** A field of a table. */
export interface Field {
  readonly path: string;
  readonly type: string;
}

/** Types whose values can be counted and compared. */
const scalar = /^(STRING|INT64|FLOAT64|BOOL|NUMERIC|BIGNUMERIC|DATE)$/;

/** Fields whose values are worth counting, in the order of their use for people. */
export function countableFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ path, type }) => scalar.test(type) && path !== "id" && path !== "event_message");
}

const preferred: readonly RegExp[] = [
  /(^|\.)(level|severity|error_severity|severity_text)$/,
  /(^|\.)status_code$/,
  /(^|\.)method$/,
  /(^|\.)path$/,
  /(^|\.)(service|service_name|host)$/,
  /(^|\.)(event_type|action|type)$/,
  /(^|\.)(country|cf_ipcountry|region)$/,
  /(^|\.)(user_name|auth_user|database_name|function_id|tenant)$/,
  /^project$/,
  /(^|\.)(msg|error|sql_state_code|code)$/,
];

/** Fields to show first where nobody has chosen any: of each useful kind the one nearest the top. */
export function chooseFacets(fields: readonly Field[], count = 7): readonly string[] {
  const open = countableFields(fields);
  const chosen: string[] = [];
  for (const pattern of preferred) {
    const matching = open.filter(({ path }) => pattern.test(path) && !chosen.includes(path));
    const [nearest] = matching.sort((a, b) => a.path.split(".").length - b.path.split(".").length);
    if (nearest !== undefined) chosen.push(nearest.path);
  }
  for (const { path } of open) if (chosen.length < 3 && !chosen.includes(path)) chosen.push(path);
  return chosen.slice(0, count);
}

/** The field that says how bad a row is, and whether its values are statuses of HTTP. */
export function chooseSplit(
  fields: readonly Field[],
): { readonly path: string; readonly isByClass: boolean } | undefined {
  const status = fields.find(({ path, type }) => /(^|\.)status_code$/.test(path) && type !== "BOOL");
  const level = fields.find(({ path }) => /(^|\.)(level|severity|error_severity|severity_text)$/.test(path));
  if (status !== undefined) return { path: status.path, isByClass: true };
  return level === undefined ? undefined : { path: level.path, isByClass: false };
}

/** `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
