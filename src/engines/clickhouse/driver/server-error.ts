/** The server's errors, which are codes with texts, as errors of the engine contract. None of the texts is shown. */
import type { EngineErrorOptions } from "../../contract/errors.ts";
import { EngineError, type EngineErrorCode } from "../../contract/query-engine.ts";

/** The mark on both sides of the compiler's own messages, in queries that are printed to fail. */
export const MESSAGE_MARK = "lw!";

/** How the compiler words it where a function would make more than the call may. */
const LIMIT_ERRORS = / than max_(array_elements|string_bytes) allows$/;

/** An error as the server reported it. */
interface ServerFailure {
  readonly code: number;
  readonly message: string;
}

type Hints = Pick<EngineErrorOptions, "retryAfterSeconds" | "isLost" | "limit">;
type Translation = readonly [codes: readonly number[], code: EngineErrorCode, text: string, hints?: Hints];

const LATER: Hints = { retryAfterSeconds: 2, isLost: true };

/** By the server's codes, whose names stand before them. */
const TRANSLATIONS: readonly Translation[] = [
  // TIMEOUT_EXCEEDED, TOO_SLOW
  [[159, 160], "timeout", "The query took longer than it may", { limit: "timeoutMs" }],
  // QUERY_WAS_CANCELLED, QUERY_WAS_CANCELLED_BY_CLIENT: by a server that ends, or by its operator, since a caller that
  // left gets no answer. Not lost: what an operator stopped is not begun again.
  [[394, 734], "unavailable", "The ClickHouse server stopped the statement", { retryAfterSeconds: 2 }],
  // TOO_MANY_ROWS_OR_BYTES, of an answer
  [[396], "result_too_large", "The answer is larger than the query's budget allows", { limit: "maxResultBytes" }],
  // TOO_MANY_ROWS, TOO_MANY_BYTES, SET_SIZE_LIMIT_EXCEEDED, TOO_DEEP_AST, TOO_BIG_AST: of the server's profiles
  [[158, 307, 191, 167, 168], "limit_exceeded", "The query exceeds a limit of the engine's user on the server"],
  // NOT_ENOUGH_SPACE
  [[243], "disk_full", "The disk of the ClickHouse server is full"],
  // UNKNOWN_TABLE, UNKNOWN_IDENTIFIER, NOT_FOUND_COLUMN_IN_BLOCK, NO_SUCH_COLUMN_IN_TABLE, TABLE_IS_DROPPED
  [[60, 47, 10, 16, 218], "unknown_source", "A table of the source is not there any more, or lacks a column"],
  // UNKNOWN_DATABASE
  [[81], "unavailable", "The ClickHouse server has no such database: `logweir engine migrate` makes it"],
  // AUTHENTICATION_FAILED, REQUIRED_PASSWORD, WRONG_PASSWORD, UNKNOWN_USER, IP_ADDRESS_NOT_ALLOWED
  [[516, 194, 193, 192, 195], "unavailable", "The ClickHouse server refuses the engine's user or its password"],
  // ACCESS_DENIED, READONLY, QUERY_IS_PROHIBITED, SETTING_CONSTRAINT_VIOLATION
  [[497, 164, 392, 452], "refused", "The engine's user may not do this: `logweir engine check` says what it lacks"],
  // TOO_MANY_PARTS, TOO_MANY_SIMULTANEOUS_QUERIES
  [[252, 202], "overloaded", "The ClickHouse server has too much to do", LATER],
  // ABORTED, SOCKET_TIMEOUT, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, NO_ZOOKEEPER
  [[236, 209, 210, 279, 225], "unavailable", "The ClickHouse server cannot be worked with at the moment", LATER],
  // TABLE_IS_READ_ONLY, TOO_FEW_LIVE_REPLICAS, UNKNOWN_STATUS_OF_INSERT, ALL_REPLICAS_ARE_STALE, KEEPER_EXCEPTION
  [[242, 285, 319, 369, 999], "unavailable", "The ClickHouse cluster cannot be worked with at the moment", LATER],
  // ILLEGAL_DIVISION
  [[153], "query_failed", "division by zero"],
  // DECIMAL_OVERFLOW, VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE, ARGUMENT_OUT_OF_BOUND
  [[407, 321, 69], "query_failed", "A value is out of the range of its type"],
  // CANNOT_PARSE_TEXT, _NUMBER, _INPUT_ASSERTION_FAILED, _DATE, _DATETIME, CANNOT_CONVERT_TYPE, INCORRECT_DATA,
  // BAD_QUERY_PARAMETER
  [[6, 72, 27, 38, 41, 70, 117, 457], "query_failed", "A value cannot be converted to its type"],
  // CANNOT_COMPILE_REGEXP
  [[427], "query_failed", "Invalid regular expression"],
  // INCORRECT_RESULT_OF_SCALAR_SUBQUERY
  [[125], "query_failed", "A scalar sub-query produced more than one row"],
  // TOO_LARGE_STRING_SIZE, TOO_LARGE_ARRAY_SIZE
  [[131], "limit_exceeded", "A text would be longer than the engine can make"],
  [[128], "limit_exceeded", "An array would be longer than the engine can make"],
];

const byCode = new Map(TRANSLATIONS.flatMap((row) => row[0].map((code) => [code, row] as const)));

const MEMORY_LIMIT_EXCEEDED = 241;

/** The memory of the whole server, or of all that a user runs: other queries may have taken it. */
const MEMORY_OF_OTHERS = /\((?:total|for user)\)|(?:Total|User) memory limit/;

function memoryError({ message }: ServerFailure, cause: unknown): EngineError {
  if (MEMORY_OF_OTHERS.test(message)) {
    const text = "The ClickHouse server is short of memory";
    return new EngineError("memory_exceeded", text, { cause, isLost: true, retryAfterSeconds: 2 });
  }
  const text = "The query needs more memory than it may use";
  return new EngineError("memory_exceeded", text, { cause, limit: "maxMemoryBytes" });
}

/** The message of a query that was printed to fail. */
function ownError(text: string, cause: unknown): EngineError {
  const exceeded = LIMIT_ERRORS.exec(text);
  if (exceeded === null) return new EngineError("query_failed", text, { cause });
  const limit = exceeded[1] === "array_elements" ? "maxArrayElements" : "maxStringBytes";
  return new EngineError("limit_exceeded", text, { cause, limit });
}

const THROWN_BY_QUERY = 395;

const REQUEST_TOO_LONG = 1000;

/** `accurateCast` of a sum or product of INT64s, which is computed in 128 bits. */
const CANNOT_CONVERT_TYPE = 70;
const INTO_INT64 = /cannot be safely converted into type (?:Nullable\()?Int64/;

/** How its HTTP interface words it, which refuses a request before it knows the user. */
const TOO_LONG =
  /Code: (1000), e\.code\(\) = \d+, ((?:e\.displayText\(\) = )?(?:HTML Form Exception: |URI (?:is )?too long)[\s\S]*)/i;

function ofServer(failure: ServerFailure, cause: unknown): EngineError {
  if (failure.code === THROWN_BY_QUERY) {
    const [, own] = failure.message.split(MESSAGE_MARK);
    return ownError(own ?? "The query failed on a value of its data", cause);
  }
  if (failure.code === MEMORY_LIMIT_EXCEEDED) return memoryError(failure, cause);
  if (failure.code === CANNOT_CONVERT_TYPE && INTO_INT64.test(failure.message)) {
    return new EngineError("query_failed", "INT64 overflow", { cause });
  }
  if (failure.code === REQUEST_TOO_LONG) {
    const text = "The ClickHouse server refuses the request as too long (http_max_field_value_size and its like)";
    return new EngineError("limit_exceeded", text, { cause });
  }
  if (/No space left on device/.test(failure.message)) {
    return new EngineError("disk_full", "The disk of the ClickHouse server is full", { cause });
  }
  const found = byCode.get(failure.code);
  if (found === undefined) {
    return new EngineError("internal", `The ClickHouse server failed with its error ${failure.code}`, { cause });
  }
  const [, code, text, hints] = found;
  return new EngineError(code, text, { ...hints, cause });
}

/** The code and the text of an answer such as `Code: 62. DB::Exception: ...`; undefined for any other text. */
function readFailure(text: string): ServerFailure | undefined {
  const found = /Code: (\d+)\. DB::(?:Net)?Exception: ([\s\S]*)/.exec(text) ?? TOO_LONG.exec(text);
  return found === null ? undefined : { code: Number(found[1]), message: found[2] ?? "" };
}

/** The failure that an error of the driver carries; undefined where it is not of the server's making. */
function failureOf(error: Error): ServerFailure | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && /^\d+$/.test(code)) return { code: Number(code), message: error.message };
  return readFailure(error.message);
}

/** Whether the error says that no server was reached, or that the way to it broke. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof Error && !(error instanceof EngineError) && failureOf(error) === undefined;
}

/**
 * The error of the contract for what the driver threw, and for what the server said in the body of an answer. Errors of
 * the contract pass through. The original is the cause, for the log.
 */
export function toEngineError(error: unknown, signal?: AbortSignal): EngineError {
  if (error instanceof EngineError) return error;
  if (signal?.aborted === true) return new EngineError("aborted", "The query was stopped", { cause: error });
  const failure = error instanceof Error ? failureOf(error) : undefined;
  if (failure !== undefined) return ofServer(failure, error);
  return unanswered(error);
}

/** That of a server that cannot be reached, or says nothing. */
export function unanswered(cause: unknown): EngineError {
  return new EngineError("unavailable", "The ClickHouse server does not answer", { ...LATER, cause });
}
