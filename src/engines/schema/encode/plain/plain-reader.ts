/**
 * Reads a JSON body of events straight into rows: along the source's fields, from bytes to bytes, without making
 * strings and objects of them. What is not plain (an unknown field, two spellings of one, a value of a new type) leaves
 * its event to the walk over parsed events, which decides everything; both write the same rows.
 */
import { isUtf8 } from "node:buffer";
import type { PlainRules } from "../../../contract/query-engine.ts";
import type { Tenant } from "../../field-requests.ts";
import type { FieldTree } from "../../field-tree.ts";
import { isRecordValue } from "../../json-text.ts";
import type { ByteColumn } from "../byte-column.ts";
import { EventWalk, type WalkedEvents } from "../event-walk.ts";
import type { ByteSink } from "../row-sink.ts";
import { findChild, matchesName, skipContainer, skipSpace, skipString } from "./plain-bytes.ts";
import { NOT_PLAIN, NOTHING, PlainCursor, WRITTEN } from "./plain-cursor.ts";
import type { PlainNode, PlainTree } from "./plain-tree.ts";

/** A body that was read. */
export interface PlainEvents {
  readonly eventCount: number;
  readonly newestTimestampUs: bigint | undefined;
  readonly untimed: number;
  readonly walked: WalkedEvents;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];
const [LETTER_F, LETTER_N, LETTER_T] = [0x66, 0x6e, 0x74];

/** Values of an event beyond which it is not plain: fewer than an event may have. */
const MAX_VALUES = 4_000;
export class PlainReader extends PlainCursor {
  readonly #tree: FieldTree;
  readonly #plain: PlainTree;
  readonly #sink: ByteSink;
  readonly #walk: EventWalk;
  readonly #rules: PlainRules;
  readonly #ids: ByteColumn;
  readonly #timestamps: ByteColumn;
  readonly #messages: ByteColumn;
  /** Takes the text of a top-level value. */
  readonly #text: ByteColumn;
  /** Writes values that have to be parsed. */
  #apart: EventWalk;
  #timestampUs: bigint | undefined;
  #hasId = false;
  #hasMessage = false;
  #hasRest = false;
  /** Whether the last list is a record. */
  #isRecord = false;
  #eventCount = 0;
  #newestUs: bigint | undefined;

  constructor(
    bytes: Uint8Array,
    { tree, full }: { readonly tree: FieldTree; readonly full: ReadonlySet<Tenant> },
    { plain, sink, text }: { readonly plain: PlainTree; readonly sink: ByteSink; readonly text: ByteColumn },
    rules: PlainRules,
  ) {
    super(bytes, plain.marks);
    this.#tree = tree;
    this.#plain = plain;
    this.#sink = sink;
    this.#text = text;
    this.#rules = rules;
    this.#walk = new EventWalk(sink, tree, full);
    this.#apart = new EventWalk(sink, tree, new Set());
    this.#ids = sink.column("id", "STRING");
    this.#timestamps = sink.column("timestamp", "TIMESTAMP");
    this.#messages = sink.column("event_message", "STRING");
  }

  /** The events as rows of the sink; undefined where the body has to be parsed, whatever the sink has got. */
  read(): PlainEvents | undefined {
    if (this.encoding === "utf8" && !isUtf8(this.bytes)) return undefined;
    if (!this.#readEvents()) return undefined;
    const { untimed } = this.#rules.tally;
    return { eventCount: this.#eventCount, newestTimestampUs: this.#newestUs, untimed, walked: this.#walk.finish() };
  }

  #readEvents(): boolean {
    const bytes = this.bytes;
    this.at = skipSpace(bytes, 0);
    const isList = bytes[this.at] === OPEN_LIST;
    if (isList) this.at = skipSpace(bytes, this.at + 1);
    for (;;) {
      if (bytes[this.at] !== OPEN || this.#eventCount === this.#rules.maxEvents) return false;
      const start = this.at;
      if (!this.#readEvent() && !this.#readParsed(start, isList)) return false;
      this.at = skipSpace(bytes, this.at);
      if (!isList || bytes[this.at] !== COMMA) break;
      this.at = skipSpace(bytes, this.at + 1);
    }
    if (isList && bytes[this.at++] !== CLOSE_LIST) return false;
    return skipSpace(bytes, this.at) === bytes.length;
  }

  /** An event whose row is written, if it is plain. */
  #readEvent(): boolean {
    const { root } = this.#plain;
    this.row = this.#sink.beginRow();
    this.valueCount = 0;
    this.markCount = 0;
    this.tenant = null;
    this.#timestampUs = undefined;
    this.#hasId = false;
    this.#hasMessage = false;
    this.#hasRest = false;
    root.seenIn++;
    const isPlain = this.#readFields(root, undefined) !== NOT_PLAIN && this.valueCount <= MAX_VALUES;
    if (isPlain && this.#endEvent()) return true;
    if (this.#hasRest) this.#plain.rest?.drop();
    this.#sink.undoRow();
    this.#apart = new EventWalk(this.#sink, this.#tree, new Set());
    return false;
  }

  #endEvent(): boolean {
    const timestampUs = this.#timestampUs ?? this.#rules.nowUs;
    const isTaken = this.#walk.noteEvent(this.tenant, timestampUs, this.marks, this.markCount, this.#apart);
    if (!isTaken) return false;
    const { rest } = this.#plain;
    if (this.#hasRest && rest !== undefined) {
      rest.push(CLOSE);
      rest.push(CLOSE_LIST);
      rest.end();
    }
    const row = this.row;
    if (this.#hasId) this.#sink.noteOwnId();
    else {
      this.#ids.begin(row);
      this.#ids.write(this.#rules.makeId(this.#eventCount));
      this.#ids.end();
    }
    this.#timestamps.begin(row);
    this.#timestamps.writeInt(timestampUs);
    this.#timestamps.end();
    this.#count(timestampUs);
    return true;
  }

  #count(timestampUs: bigint): void {
    this.#eventCount++;
    if (this.#newestUs === undefined || timestampUs > this.#newestUs) this.#newestUs = timestampUs;
  }

  /** An event that is not plain; a body that is no list may be more than one. */
  #readParsed(start: number, isInList: boolean): boolean {
    const end = skipContainer(this.bytes, start);
    if (end === -1) return false;
    const value = this.parse(start, end);
    if (!isInList && value !== undefined && !this.#rules.isEvent(value)) return false;
    const event = value === undefined ? undefined : this.#rules.normalise(value, this.#eventCount);
    if (event === undefined) return false;
    this.at = end;
    this.#walk.addEvent(event);
    this.#count(event.timestampUs);
    return true;
  }

  /** The fields of an object, of which `at` is the bracket. `out`: takes their text; absent for the event itself. */
  #readFields(parent: PlainNode, out: ByteColumn | undefined): number {
    const bytes = this.bytes;
    const event = this.#plain.root.seenIn;
    let state = NOTHING;
    let at = skipSpace(bytes, this.at + 1);
    if (bytes[at] === CLOSE) {
      this.at = at + 1;
      return NOTHING;
    }
    let last: PlainNode | undefined;
    for (;;) {
      const guess = last === undefined ? parent.first : last.next;
      const node =
        guess !== undefined && matchesName(bytes, at, guess.name)
          ? guess
          : findChild(bytes, at, parent, last, this.#rules.isCleanName);
      if (node === undefined) {
        if (!this.#skipNothing(at)) return NOT_PLAIN;
      } else {
        if (node.seenIn === event) return NOT_PLAIN;
        node.seenIn = event;
        last = node;
        this.at = skipSpace(bytes, at + node.name.length);
        if (bytes[this.at] !== COLON) return NOT_PLAIN;
        this.at = skipSpace(bytes, this.at + 1);
        const found = out === undefined ? this.#readTop(node) : this.#readInto(node, out, state === WRITTEN);
        if (found === NOT_PLAIN) return NOT_PLAIN;
        if (found === WRITTEN) state = WRITTEN;
      }
      at = skipSpace(bytes, this.at);
      const byte = bytes[at];
      at++;
      if (byte === CLOSE) break;
      if (byte !== COMMA) return NOT_PLAIN;
      at = skipSpace(bytes, at);
    }
    this.at = at;
    return state;
  }

  /** A field that the tree does not know, if its value is one that no event keeps. */
  #skipNothing(start: number): boolean {
    const bytes = this.bytes;
    const end = bytes[start] === QUOTE ? skipString(bytes, start) : start;
    if (end === start || bytes[end] !== QUOTE) return false;
    const colon = skipSpace(bytes, end + 1);
    if (bytes[colon] !== COLON) return false;
    this.at = skipSpace(bytes, colon + 1);
    return this.isWord("null") || this.isWord('""') || this.isWord("{}") || this.isWord("[]");
  }

  /** A field of a record, with its name. */
  #readInto(node: PlainNode, out: ByteColumn, isLater: boolean): number {
    const start = out.used;
    if (isLater) out.push(COMMA);
    out.copy(node.key, 0, node.key.length);
    const state = this.#readValue(node, out);
    if (state === NOTHING) out.used = start;
    return state;
  }

  /** A field of the event. */
  #readTop(node: PlainNode): number {
    if (node.reserved !== undefined) return this.#readReserved(node);
    const byte = this.bytes[this.at];
    if (byte === OPEN) {
      const { json } = node;
      return json === undefined ? NOT_PLAIN : this.#readTopRecord(node, json);
    }
    const text = this.#text;
    text.clear();
    this.isWhole = false;
    this.#isRecord = false;
    const state = this.#readValue(node, text);
    if (state !== WRITTEN || this.isWhole) return state;
    return this.#isRecord ? this.#putRecord(node, text) : this.#putRest(node, text);
  }

  /** A list of a top-level field that holds objects. */
  #putRecord({ json }: PlainNode, text: ByteColumn): number {
    if (json === undefined) return NOT_PLAIN;
    json.begin(this.row);
    json.copy(text.bytes, 0, text.used);
    json.end();
    return WRITTEN;
  }

  /** A top-level value that has no column which holds it unchanged. */
  #putRest(node: PlainNode, text: ByteColumn): number {
    const { rest } = this.#plain;
    if (rest === undefined) return NOT_PLAIN;
    if (this.#hasRest) rest.push(COMMA);
    else {
      rest.begin(this.row);
      rest.push(OPEN_LIST);
      rest.push(OPEN);
      this.#hasRest = true;
    }
    rest.copy(node.key, 0, node.key.length);
    rest.copy(text.bytes, 0, text.used);
    return WRITTEN;
  }

  #readTopRecord(node: PlainNode, json: ByteColumn): number {
    json.begin(this.row);
    const state = this.#readValue(node, json);
    if (state === WRITTEN) json.end();
    else json.drop();
    return state;
  }

  #readReserved({ reserved }: PlainNode): number {
    const bytes = this.bytes;
    const start = this.at;
    if (reserved === "other" || bytes[start] !== QUOTE) return this.#readReservedNumber(reserved);
    const end = skipString(bytes, start);
    this.valueCount++;
    if (bytes[end] === BACKSLASH) return reserved === "message" ? this.#putMessage(this.readEscapes()) : NOT_PLAIN;
    if (bytes[end] !== QUOTE) return NOT_PLAIN;
    this.at = end + 1;
    if (end === start + 1) return NOTHING;
    if (reserved === "timestamp") {
      this.#timestampUs = this.#rules.readTimestamp(bytes.toString(this.encoding, start + 1, end));
      return this.#timestampUs === undefined ? NOT_PLAIN : WRITTEN;
    }
    // `message` and `event_message` of one event may differ.
    if (reserved === "message" && this.#hasMessage) return NOT_PLAIN;
    if (reserved === "message") this.#hasMessage = true;
    else this.#hasId = true;
    const column = reserved === "message" ? this.#messages : this.#ids;
    column.begin(this.row);
    column.copy(bytes, start + 1, end);
    column.end();
    return WRITTEN;
  }

  #putMessage(text: string | undefined): number {
    if (text === undefined || this.#hasMessage) return NOT_PLAIN;
    this.#hasMessage = true;
    this.#messages.begin(this.row);
    this.#messages.write(text);
    this.#messages.end();
    return WRITTEN;
  }

  #readReservedNumber(reserved: PlainNode["reserved"]): number {
    const value = reserved === "timestamp" ? this.readInteger() : undefined;
    if (value === undefined) return NOT_PLAIN;
    this.valueCount++;
    this.#timestampUs = this.#rules.readTimestamp(value);
    return this.#timestampUs === undefined ? NOT_PLAIN : WRITTEN;
  }

  /** A value, whose text goes to `out` and whose leaves go to their columns. */
  #readValue(node: PlainNode, out: ByteColumn): number {
    switch (this.bytes[this.at]) {
      case QUOTE:
        return this.readText(node, out);
      case OPEN:
        return this.#readRecord(node, out);
      case OPEN_LIST:
        return this.#readList(node, out);
      case LETTER_T:
        return this.isWord("true") ? this.putBool(node, out, true) : NOT_PLAIN;
      case LETTER_F:
        return this.isWord("false") ? this.putBool(node, out, false) : NOT_PLAIN;
      case LETTER_N:
        return this.isWord("null") ? NOTHING : NOT_PLAIN;
      default:
        return this.readNumber(node, out);
    }
  }

  #readRecord(node: PlainNode, out: ByteColumn): number {
    const { field, presence } = node;
    const { declared, recordEntry } = field;
    if (recordEntry === -1 || (declared !== undefined && declared !== "record")) return NOT_PLAIN;
    out.push(OPEN_LIST);
    out.push(OPEN);
    const state = this.#readFields(node, out);
    if (state !== WRITTEN) return state;
    out.push(CLOSE);
    out.push(CLOSE_LIST);
    this.marks[this.markCount++] = recordEntry;
    if (presence?.begin(this.row) === true) {
      presence.push(1);
      presence.end();
    }
    return WRITTEN;
  }

  /** A list, which is parsed and written as the walk over parsed events does it. */
  #readList(node: PlainNode, out: ByteColumn): number {
    const start = this.at;
    const end = skipContainer(this.bytes, start);
    const parsed = end === -1 || node.holdsTenant ? undefined : this.parse(start, end);
    const value = parsed === undefined ? null : this.#rules.cleanList(parsed);
    if (value === null) return NOT_PLAIN;
    this.at = end;
    // Each value takes two bytes at least, with what is around it.
    this.valueCount += (end - start) >> 1;
    if (value === undefined) return NOTHING;
    const text = this.#apart.writeApart(this.row, node.field, value);
    if (text === undefined) return NOT_PLAIN;
    this.#isRecord = isRecordValue(value);
    out.write(text);
    return WRITTEN;
  }
}
