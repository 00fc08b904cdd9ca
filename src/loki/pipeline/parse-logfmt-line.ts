import { closingQuote } from "../../values/json/json-tokens.ts";
import { endOf, unescapeJson } from "./json-members.ts";
import { type LineLabels, maxLabels, toLabelName } from "./line-labels.ts";

/** Options of the logfmt parser; with `wanted` only these keys are read, as the labels that they are given for. */
export interface LogfmtOptions {
  readonly wanted: ReadonlyMap<string, string> | undefined;
  readonly isStrict: boolean;
  readonly keepsEmpty: boolean;
}

/** Reads pairs such as `level=warn msg="a b"`, as https://github.com/go-logfmt/logfmt does. */
export function extractLogfmt(line: string, options: LogfmtOptions, labels: LineLabels): void {
  const { wanted, isStrict, keepsEmpty } = options;
  for (const name of wanted?.values() ?? []) if (!labels.isTaken(name)) labels.set(name, "");
  const names = new Set(wanted?.values());
  let count = 0;
  for (const { key, value, error } of readPairs(line)) {
    if (error !== undefined) {
      if (!isStrict) continue;
      labels.fail("LogfmtParserErr", describeError(line, error));
      return;
    }
    const name = toLabelName(key);
    if (name === "" || ++count > maxLabels) continue;
    if (wanted !== undefined) {
      const label = wanted.get(name) ?? (names.has(name) ? name : undefined);
      if (label !== undefined) labels.put(label, value);
    } else if (value !== "" || keepsEmpty) labels.extract(name, value);
  }
}

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly error: PairError | undefined;
}

/** Reported in words only where it counts: the place in bytes is a walk over the line. */
interface PairError {
  readonly at: number;
  readonly message: string;
}

function describeError(line: string, { at, message }: PairError): string {
  return `logfmt syntax error at pos ${Buffer.byteLength(line.slice(0, at)) + 1} : ${message}`;
}

// Control characters are blanks.
const garbage = /[\0-\x20]*/y;
const plainText = /[^\0-\x20="]*/y;
const rest = /[^\0-\x20]*/y;

function* readPairs(line: string): Generator<Pair> {
  const broken = (at: number, message: string): Pair => ({ key: "", value: "", error: { at, message } });
  const unexpected = (at: number) => broken(at, `unexpected ${line[at] === '"' ? "'\"'" : "'='"}`);
  for (let at = endOf(garbage, line, 0); at < line.length; at = endOf(garbage, line, at)) {
    const start = at;
    at = endOf(plainText, line, start);
    const key = line.slice(start, at);
    if (line[at] === '"' || (line[at] === "=" && key === "")) {
      yield unexpected(at);
      at = endOf(rest, line, at);
    } else if (line[at] === "=" && line[at + 1] === '"') {
      const quote = closingQuote(line, at + 1);
      const isOpen = quote === -1;
      const value = isOpen ? undefined : unquote(line.slice(at + 1, quote + 1));
      at = isOpen ? line.length : quote + 1;
      if (value === undefined) yield broken(at, isOpen ? "unterminated quoted value" : "invalid quoted value");
      else yield { key, value, error: undefined };
    } else if (line[at] === "=") {
      const end = endOf(plainText, line, at + 1);
      const isBroken = line[end] === "=" || line[end] === '"';
      yield isBroken ? unexpected(end) : { key, value: line.slice(at + 1, end), error: undefined };
      at = isBroken ? endOf(rest, line, end) : end;
    } else yield { key, value: "", error: undefined };
  }
}

/** The value of a quoted text; undefined for one that is no string of JSON, in which `\'` is allowed. */
function unquote(quoted: string): string | undefined {
  const raw = quoted.slice(1, -1);
  if (!raw.includes("\\")) return raw;
  const hasControl = /[^ -\uffff]/.test(raw);
  return hasControl ? undefined : unescapeJson(raw.replaceAll(/\\[\s\S]/g, (found) => (found === "\\'" ? "'" : found)));
}
