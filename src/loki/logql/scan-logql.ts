import { ServiceError } from "../../shared/errors.ts";

export type TokenKind = "name" | "text" | "number" | "duration" | "bytes" | "symbol" | "flag" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** As written; of a text its value. */
  readonly text: string;
  /** The number; nanoseconds for a duration, NaN for a token that is none. */
  readonly value: number;
  readonly at: number;
}

/** Nanoseconds. */
const durations: Readonly<Record<string, number>> = {
  ...{ ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3_600e9 },
  ...{ d: 86_400e9, w: 604_800e9, y: 31_536_000e9 },
};
const byteUnits: Readonly<Record<string, number>> = {
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, pb: 1e15, eb: 1e18 },
  ...{ k: 1e3, m: 1e6, g: 1e9, t: 1e12, p: 1e15, e: 1e18 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40, pib: 2 ** 50, eib: 2 ** 60 },
  ...{ ki: 2 ** 10, mi: 2 ** 20, gi: 2 ** 30, ti: 2 ** 40, pi: 2 ** 50, ei: 2 ** 60 },
};

/** Longer texts are no numbers; looking at them would take long. */
const maxNumberCharacters = 100;

/** A duration such as `1h30m` or `-2.5s` in nanoseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text.length > maxNumberCharacters) return undefined;
  if (/^[+-]?0$/.test(text)) return 0;
  const [, sign, digits = ""] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w|y))+)$/.exec(text) ?? [];
  if (digits === "") return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of digits.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    sum += Number(amount) * (durations[unit] ?? 0);
  }
  return sign === "-" ? -sum : sum;
}

/** A duration in which no unit is longer than an hour, as Go reads one in a label, in nanoseconds. */
export function parseGoDuration(text: string): number | undefined {
  return /[dwy]/.test(text) ? undefined : parseDuration(text);
}

/** A plain number as Go reads one; undefined for any other text. */
export function parseNumber(text: string): number | undefined {
  if (text.length > maxNumberCharacters) return undefined;
  if (/^[+-]?(?:inf(?:inity)?)$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A number of bytes such as `5.2KB` or `10 MiB`; undefined for any other text. */
export function parseBytes(text: string): number | undefined {
  if (text.length > maxNumberCharacters) return undefined;
  const [, digits, unit = ""] = /^([\d,]+\.?\d*|\.\d+)\s*([a-zA-Z]*)\s*$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const factor = unit === "" ? 1 : byteUnits[unit.toLowerCase()];
  return factor === undefined ? undefined : Math.trunc(Number(digits.replaceAll(",", "")) * factor);
}

const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ["text", /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  ["flag", /--[a-z-]+/y],
  ["duration", /(?:\d+\.?\d*(?:ns|us|µs|μs|ms|s|m|h|d|w|y))+(?![\w.])/y],
  ["bytes", /\d+\.?\d*(?:[KMGTPE]i?B|[kmgtpe]i?[bB]|B|b)(?![\w.])/y],
  ["number", /(?:0x[\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:Inf|NaN|inf|nan)(?!\w))(?![\w.])/y],
  ["name", /[A-Za-z_][\w]*/y],
  ["symbol", /\|=|\|~|\|>|!=|!~|!>|=~|==|>=|<=|[{}()[\],|=<>+\-*/%^]/y],
];

/** Throws `syntax_error` at a place of a query. */
export function refuseAt(query: string, at: number, message: string): never {
  const before = query.slice(0, at).split("\n");
  const [line, column] = [before.length, [...(before.at(-1) ?? "")].length + 1];
  throw new ServiceError("syntax_error", `parse error at line ${line}, col ${column}: ${message}`, { line, column });
}

/** The tokens of a LogQL query, the last of which is its end. Throws `syntax_error`. */
export function scanLogql(query: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < query.length; ) {
    const blank = /(?:\s|#[^\n]*)+/y;
    blank.lastIndex = at;
    at += blank.exec(query)?.[0].length ?? 0;
    if (at >= query.length) break;
    const token = scanToken(query, at);
    if (token === undefined) refuseAt(query, at, `syntax error: unexpected ${describeCharacter(query, at)}`);
    tokens.push(token.token);
    at += token.length;
  }
  return [...tokens, { kind: "end", text: "", value: Number.NaN, at: query.length }];
}

function scanToken(query: string, at: number): { readonly token: Token; readonly length: number } | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(query) ?? [];
    if (found === undefined) continue;
    const isNumber = kind === "duration" || kind === "bytes" || kind === "number";
    if (isNumber && found.length > maxNumberCharacters) {
      refuseAt(query, at, `syntax error: a number has ${maxNumberCharacters} characters at most`);
    }
    const text = kind === "text" ? unquote(query, at, found) : found;
    return { token: { kind, text, value: numberIn(kind, found), at }, length: found.length };
  }
  return undefined;
}

function describeCharacter(query: string, at: number): string {
  if (query[at] === '"' || query[at] === "`") return "end of the query: the text that begins here is not closed";
  return String.fromCodePoint(query.codePointAt(at) ?? 0);
}

function numberIn(kind: TokenKind, text: string): number {
  if (kind === "duration") return parseDuration(text) ?? Number.NaN;
  if (kind === "bytes") return parseBytes(text) ?? Number.NaN;
  if (kind !== "number") return Number.NaN;
  return /^inf$/i.test(text) ? Number.POSITIVE_INFINITY : Number(text);
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
  ...{ "\\": "\\", '"': '"', "'": "'" },
};

/** The value of a text as Go's strconv.Unquote reads it. */
function unquote(query: string, at: number, quoted: string): string {
  if (quoted.startsWith("`")) return quoted.slice(1, -1).replaceAll("\r", "");
  const sequence = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/g;
  return quoted.slice(1, -1).replaceAll(sequence, (all, x?: string, u?: string, U?: string, octal?: string, c = "") => {
    const digits = x ?? u ?? U;
    const code = digits === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(digits, 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    return escapes[c] ?? refuseAt(query, at, `invalid escape ${all} in a text`);
  });
}
