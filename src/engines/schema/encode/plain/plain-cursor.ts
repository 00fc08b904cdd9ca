/** Reads values of plain events from the bytes of their JSON, and writes them into rows. */
import { isAscii } from "node:buffer";
import { parseJson } from "../../../contract/parse-json.ts";
import type { Tenant } from "../../field-requests.ts";
import { scalarText } from "../../json-text.ts";
import type { ByteColumn } from "../byte-column.ts";
import { skipString } from "./plain-bytes.ts";
import type { PlainNode, PlainValue } from "./plain-tree.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const [UPPER_E, LOWER_E] = [0x45, 0x65];
const BACKSLASH = 0x5c;
const CLOSE = 0x7d;

/** Results of reading a field: its event is not plain, it has no value that is kept, or it was written. */
export const [NOT_PLAIN, NOTHING, WRITTEN] = [-1, 0, 1];

/** Digits of integers that are read here. */
const MAX_DIGITS = 16;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A place in a body, and what the event there has brought so far. */
export class PlainCursor {
  protected readonly bytes: Buffer;
  protected readonly encoding: "latin1" | "utf8";
  protected at = 0;
  protected row = 0;
  protected valueCount = 0;
  /** Numbers of the entries that the event carries. */
  protected readonly marks: Uint32Array;
  protected markCount = 0;
  protected tenant: Tenant = null;
  /** Whether the last value is unchanged in its column. */
  protected isWhole = false;

  protected constructor(bytes: Uint8Array, marks: Uint32Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.encoding = isAscii(bytes) ? "latin1" : "utf8";
    this.marks = marks;
  }

  protected isWord(word: string): boolean {
    const start = this.at;
    for (let i = 0; i < word.length; i++) if (this.bytes[start + i] !== word.charCodeAt(i)) return false;
    this.at = start + word.length;
    return true;
  }

  protected readText(node: PlainNode, out: ByteColumn): number {
    const bytes = this.bytes;
    const start = this.at;
    const end = skipString(bytes, start);
    if (bytes[end] === BACKSLASH) return this.#readEscaped(node, out);
    if (bytes[end] !== QUOTE) return NOT_PLAIN;
    this.at = end + 1;
    if (end === start + 1) return NOTHING;
    const column = this.#beginLeaf(node, node.strings, "STRING");
    if (column === undefined) return NOT_PLAIN;
    out.copy(bytes, start, end + 1);
    if (node.isTenant) this.tenant = bytes.toString(this.encoding, start + 1, end);
    if (column === null) return WRITTEN;
    column.copy(bytes, start + 1, end);
    column.end();
    this.isWhole = true;
    return WRITTEN;
  }

  #readEscaped(node: PlainNode, out: ByteColumn): number {
    const value = this.readEscapes();
    const column = value === undefined ? undefined : this.#beginLeaf(node, node.strings, "STRING");
    if (column === undefined || value === undefined) return NOT_PLAIN;
    out.write(scalarText(value));
    if (node.isTenant) this.tenant = value;
    if (column === null) return WRITTEN;
    column.write(value);
    column.end();
    this.isWhole = true;
    return WRITTEN;
  }

  /** A string with escapes; undefined for an invalid one. */
  protected readEscapes(): string | undefined {
    const bytes = this.bytes;
    let end = skipString(bytes, this.at);
    while (bytes[end] === BACKSLASH) end = skipString(bytes, end + 1);
    const parsed = bytes[end] === QUOTE ? this.parse(this.at, end + 1) : undefined;
    if (typeof parsed !== "string") return undefined;
    this.at = end + 1;
    return parsed.toWellFormed();
  }

  protected putBool(node: PlainNode, out: ByteColumn, value: boolean): number {
    const column = node.isTenant ? undefined : this.#beginLeaf(node, node.bools, "BOOL");
    if (column === undefined) return NOT_PLAIN;
    out.write(value ? "true" : "false");
    if (column === null) return WRITTEN;
    column.push(value ? 1 : 0);
    column.end();
    this.isWhole = true;
    return WRITTEN;
  }

  /** A short integer, with `at` behind it; undefined for any other value. */
  protected readInteger(): number | undefined {
    const bytes = this.bytes;
    const start = this.at;
    const isNegative = bytes[start] === 0x2d;
    const first = isNegative ? start + 1 : start;
    let at = first;
    let value = 0;
    for (let digit = (bytes[at] ?? 0) - ZERO; digit >= 0 && digit <= 9; digit = (bytes[++at] ?? 0) - ZERO) {
      value = value * 10 + digit;
    }
    const digits = at - first;
    const byte = bytes[at];
    // No zero in front, no `-0`.
    if (digits === 0 || digits > MAX_DIGITS || value > Number.MAX_SAFE_INTEGER) return undefined;
    if (bytes[first] === ZERO && (digits > 1 || isNegative)) return undefined;
    if (byte === DOT || byte === LOWER_E || byte === UPPER_E) return undefined;
    this.at = at;
    return isNegative ? -value : value;
  }

  protected readNumber(node: PlainNode, out: ByteColumn): number {
    const start = this.at;
    const value = this.readInteger();
    if (value === undefined) return this.#readOtherNumber(node, out);
    if (node.isTenant) return NOT_PLAIN;
    out.copy(this.bytes, start, this.at);
    return this.#putNumber(node, value, node.field.declared === "FLOAT64");
  }

  #putNumber(node: PlainNode, value: number, isFloat: boolean): number {
    const column = isFloat ? this.#beginLeaf(node, node.floats, "FLOAT64") : this.#beginLeaf(node, node.ints, "INT64");
    if (column === undefined) return NOT_PLAIN;
    if (column === null) return WRITTEN;
    if (isFloat) column.writeFloat(value);
    else column.writeInt(value);
    column.end();
    this.isWhole = !isFloat;
    return WRITTEN;
  }

  /** A number with a fraction or an exponent, or `-0`. */
  #readOtherNumber(node: PlainNode, out: ByteColumn): number {
    const bytes = this.bytes;
    let end = this.at;
    for (
      let byte = bytes[end];
      byte !== undefined && byte > 0x20 && byte !== COMMA && byte !== CLOSE;
      byte = bytes[end]
    ) {
      end++;
    }
    const text = bytes.toString("latin1", this.at, end);
    const value = Number(text);
    const isWhole = Number.isSafeInteger(value);
    const isFloat = !isWhole || node.field.declared === "FLOAT64";
    const isPlain = !node.isTenant && number.test(text) && Number.isFinite(value) && (isWhole || /[.eE]/.test(text));
    if (!isPlain) return NOT_PLAIN;
    this.at = end;
    out.write(scalarText(value));
    return this.#putNumber(node, value, isFloat);
  }

  /** Begins the value of a leaf: its column, null where it has none, undefined where it is not plain. */
  #beginLeaf(node: PlainNode, value: PlainValue | undefined, type: string): ByteColumn | null | undefined {
    const { declared } = node.field;
    if (value === undefined || (declared !== undefined && declared !== type)) return undefined;
    const { column, entry } = value;
    if (column !== null && !column.begin(this.row)) return undefined;
    this.valueCount++;
    this.marks[this.markCount++] = entry;
    return column;
  }

  protected parse(start: number, end: number): unknown {
    try {
      return parseJson(this.bytes.toString(this.encoding, start, end));
    } catch {
      return undefined;
    }
  }
}
