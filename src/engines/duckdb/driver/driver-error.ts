/** DuckDB's errors, which are texts, as errors of the engine contract. */

import { messageOf } from "../../../shared/message-of.ts";
import { trimEnd } from "../../../values/trim-end.ts";
import { EngineError } from "../../contract/query-engine.ts";

/** Kinds of errors that a query's data causes; their texts reveal nothing of the owner's query once cut as below. */
const DATA_ERRORS =
  /^(Conversion|Out of Range|Invalid Input|Constraint|Mismatch Type|Arithmetic|Decimal|Divide by Zero) Error: /;

/** How RE2 says what is wrong with a regular expression. */
const REGEXP_ERRORS =
  /^(?:missing [)\]]|unexpected \)|no argument for repetition operator|bad repetition operator|invalid (?:escape sequence|character class|character class range|repetition size|perl operator|named capture group|UTF-8)|trailing \\|pattern too large)(?=: |$)/;

/** How the compiler words it where a function would make more than the call may. */
const LIMIT_ERRORS = / than max_(array_elements|string_bytes) allows$/;

/**
 * DuckDB reports how much is used wherever its limit is in the way, but a commit and an appender word that as errors of
 * their own. What the process itself may not have comes with no kind. The driver names only what it could not make: its
 * types are the engine's own, so that nothing else can be the reason.
 */
const OUT_OF_MEMORY = new RegExp(
  [
    "^Out of Memory Error",
    "\\([\\d.]+ \\w+/[\\d.]+ \\w+ used\\)",
    "^(?:Failed to append: )?Failed to allocate block",
    "^Cannot create a data chunk with these column types",
    "^Failed to (?:create (?:vector|data chunk)|set column)",
    "bad allocation|std::bad_alloc",
  ].join("|"),
);

/** An error of parsing, or of planning what sub-queries become. */
const TOO_DEEP = /^(?:Parser|Binder) Error: Max expression depth limit/;

/** A NUMERIC in a sum that DuckDB quotes, which is a whole number of billionths. */
function quotedNumeric(digits: string): string {
  const [, sign = "", whole = ""] = /^(-?)(\d+)$/.exec(digits) ?? [];
  const padded = whole.padStart(10, "0");
  const fraction = trimEnd(padded.slice(-9), "0");
  return `${sign}${padded.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** DuckDB's messages about its own types, in the words of the other overflows. */
const OVERFLOWS: readonly (readonly [pattern: RegExp, reword: (...groups: string[]) => string])[] = [
  [/^Overflow in \w+ of INT64 \((.*)\)!$/, (sum = "") => `INT64 overflow: ${sum}`],
  [/^Overflow in division of (.*)$/, (quotient = "") => `INT64 overflow: ${quotient}`],
  [/^Overflow in negation of numeric value!$/, () => "INT64 overflow: -(-9223372036854775808)"],
  [/^Overflow on abs\((.*)\)$/, (value = "") => `INT64 overflow: ABS(${value})`],
  [/^Type INT128 with value (\S+) can't be cast .* INT64$/, (value = "") => `INT64 overflow: ${value}`],
  [/^Failed to cast decimal value (\S+) to type INT64$/, (value = "") => `INT64 overflow: ${value}`],
  [
    /^Overflow in \w+ of DECIMAL\(38\) \((-?\d+) ([+-]) (-?\d+)\);/,
    (left = "", sign = "", right = "") => `NUMERIC overflow: ${quotedNumeric(left)} ${sign} ${quotedNumeric(right)}`,
  ],
  [/^Casting value "(\S+)" to type DECIMAL\(38,9\) failed/, (value = "") => `NUMERIC overflow: ${value}`],
];

function isDiskFull(message: string): boolean {
  return /No space left on device|disk quota exceeded|ENOSPC|max_temp_directory_size/i.test(message);
}

function isDamage(message: string): boolean {
  return /Corrupt database file|Corrupt WAL file|Could not read enough bytes from file/.test(message);
}

/** The text without DuckDB's prefix, without the line of SQL it quotes, and without names of our columns. */
function publicText(message: string): string {
  if (message.includes("More than one row returned by a subquery")) {
    return "A scalar sub-query produced more than one row";
  }
  const [text = ""] = message.replace(DATA_ERRORS, "").split(/\n {0,8}LINE \d+:/);
  const plain = text.replace(/ when casting from source column \S+/, "").trim();
  for (const [pattern, reword] of OVERFLOWS) {
    const found = pattern.exec(plain);
    if (found !== null) return reword(...found.slice(1));
  }
  return REGEXP_ERRORS.test(plain) ? `Invalid regular expression: ${plain}` : plain;
}

/** How the driver wraps the error of a statement that was run step by step. */
const WRAPPED = /^Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: /;

function textOf(error: unknown): string {
  return messageOf(error).replace(WRAPPED, "");
}

/**
 * True where no checkpoint can be made: a table was changed (a column added, a row updated) while a statement ran that
 * still reads from before.
 */
export function isCheckpointKept(error: unknown): boolean {
  return textOf(error).includes("Cannot CHECKPOINT: there are other write transactions active");
}

/** True when the database refuses everything from now on, until it is reopened. */
export function isFatal(error: unknown): boolean {
  const message = textOf(error);
  return /^(FATAL|INTERNAL) Error|database has been invalidated/.test(message);
}

/** The error of the contract for what the driver threw. Errors of the contract pass through. */
export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const message = textOf(error);
  if (isDiskFull(message)) {
    const text = message.includes("max_temp_directory_size")
      ? "The query needs more room for what does not fit in memory than the disk has"
      : "The disk that holds the store is full";
    return new EngineError("disk_full", text, { cause: error });
  }
  // V8's longest text has 512 MB.
  if (error instanceof RangeError && /Invalid string length|string longer than/.test(message)) {
    return new EngineError("result_too_large", "A row of the result is larger than can be written", { cause: error });
  }
  if (message.startsWith("INTERRUPT Error"))
    return new EngineError("aborted", "The query was stopped", { cause: error });
  // Those quote values, which may read like anything.
  if (!DATA_ERRORS.test(message) && OUT_OF_MEMORY.test(message)) {
    return new EngineError("memory_exceeded", "The query needs more memory than it may use", { cause: error });
  }
  const exceeded = DATA_ERRORS.test(message) ? LIMIT_ERRORS.exec(message) : null;
  if (exceeded !== null) {
    const limit = exceeded[1] === "array_elements" ? "maxArrayElements" : "maxStringBytes";
    return new EngineError("limit_exceeded", publicText(message), { cause: error, limit });
  }
  if (isDamage(message)) {
    const text = "A block of the store's file is damaged; `logweir doctor --deep` says which, and what to do";
    return new EngineError("damaged", text, { cause: error });
  }
  if (TOO_DEEP.test(message)) {
    return new EngineError("query_failed", "The query is nested deeper than the engine can read", { cause: error });
  }
  if (DATA_ERRORS.test(message)) return new EngineError("query_failed", publicText(message), { cause: error });
  return new EngineError("internal", "The engine failed to run the query", { cause: error });
}

/** For the log: what the driver said, where that is known. */
export function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
