import { mayHoldLongNumbers, parseJson } from "../engines/contract/parse-json.ts";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { endOfString } from "../values/json/split-json.ts";
import type { RowWriter } from "./mcp-caller.ts";
import { readableTimes } from "./readable-times.ts";

/** The limits of an answer, so that it does not fill the context of a model. */
export const answerBounds = { rows: 200, characters: 24_000, valueCharacters: 2_000 } as const;

/** Rows that fit into an answer, as text and as values. */
export interface TakenRows {
  readonly columns: readonly OutputColumn[];
  readonly text: string;
  readonly rows: readonly unknown[];
  /** Texts that were cut because each is too long. */
  readonly cutValues: number;
}

/** Takes rows as long as they fit. */
export class RowCollector {
  isFull = false;
  readonly #columns: readonly OutputColumn[];
  readonly #writer: RowWriter;
  readonly #toReadable: (row: string) => string;
  readonly #lines: string[] = [];
  readonly #rows: string[] = [];
  #characters: number;
  #cutValues = 0;

  constructor(columns: readonly OutputColumn[], writer: RowWriter) {
    this.#columns = columns;
    this.#writer = writer;
    this.#toReadable = readableTimes(columns);
    this.#characters = writer.head.length;
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Takes the JSON of a row; false for the first that no longer fits. */
  take(json: string): boolean {
    let cutValues = 0;
    const row = json.length <= answerBounds.valueCharacters ? json : cutTexts(json, () => cutValues++);
    const line = this.#writer.write(this.#toReadable(row));
    this.#characters += Math.max(row.length, line.length);
    this.isFull ||= this.#characters > answerBounds.characters;
    if (this.isFull) return false;
    this.#cutValues += cutValues;
    this.#rows.push(row);
    this.#lines.push(line);
    return true;
  }

  taken(): TakenRows {
    return {
      columns: this.#columns,
      text: this.#writer.head + this.#lines.join(""),
      rows: this.#rows.map(parseRow),
      cutValues: this.#cutValues,
    };
  }
}

/** JSON whose long texts, at any depth, are cut; what is no text stays as it is. */
function cutTexts(json: string, onCut: () => void): string {
  const parts: string[] = [];
  let copied = 0;
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', copied)) {
    const end = endOfString(json, start);
    parts.push(json.slice(copied, start), cutText(json.slice(start, end), onCut));
    copied = end;
  }
  return parts.join("") + json.slice(copied);
}

function cutText(literal: string, onCut: () => void): string {
  if (literal.length <= answerBounds.valueCharacters) return literal;
  const text = JSON.parse(literal) as string;
  if (text.length <= answerBounds.valueCharacters) return literal;
  onCut();
  const begin = text.slice(0, answerBounds.valueCharacters).replace(/[\ud800-\udbff]$/, "");
  return JSON.stringify(`${begin}... (cut: ${text.length} characters in all)`);
}

function parseRow(json: string): unknown {
  return mayHoldLongNumbers(json) ? withTexts(parseJson(json)) : JSON.parse(json);
}

/** Numbers that JSON's readers would round, as texts. */
function withTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each)]));
}
