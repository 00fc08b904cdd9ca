/**
 * Limits of a server for one request. Its HTTP interface reads an address and the fields of a form into memory, and
 * refuses longer ones before it knows the user: the limits are settings, taken from the server's default profile.
 */
import { EngineError } from "../../contract/query-engine.ts";
import { printValue, type ServerValue } from "./parameter-form.ts";

/** A limit by the name of the server's setting, with the value of an unchanged server of version 26.7. */
export const LIMIT_DEFAULTS = {
  /** Bytes of one field of an address or a form, such as a parameter's value. */
  http_max_field_value_size: 131_072,
  /** Fields of an address and a form together: settings and parameters. */
  http_max_fields: 1_000,
  /** Bytes of an address. */
  http_max_uri_size: 1_048_576,
  /** Bytes of a form. */
  http_max_multipart_form_data_size: 1_073_741_824,
} as const;

export type LimitName = keyof typeof LIMIT_DEFAULTS;
export type LimitValues = Readonly<Record<LimitName, number>>;

/** The maximum length of statements, which are longer than the query: the setting `max_query_size` sent with each. */
export const MAX_STATEMENT_BYTES = "16777216";

/** A server with less cannot be worked with: a call has some thirty settings in its address. */
export const LEAST_LIMITS: LimitValues = {
  http_max_field_value_size: 4_096,
  http_max_fields: 100,
  http_max_uri_size: 16_384,
  http_max_multipart_form_data_size: 1_048_576,
};

type Rows = readonly (readonly unknown[])[];

/** Asks for the limits as the user sees them; what the server does not know has its default. */
export async function readLimits(rows: (sql: string) => Promise<Rows>): Promise<LimitValues> {
  const names = Object.keys(LIMIT_DEFAULTS).map((name) => `'${name}'`);
  const answer = await rows(`SELECT name, value FROM system.settings WHERE name IN (${names.join(", ")})`);
  return { ...LIMIT_DEFAULTS, ...Object.fromEntries(answer.map(([name, value]) => [String(name), Number(value)])) };
}

/** The limits of a server, as far as they are known. */
export class ServerLimits {
  #values: LimitValues = LIMIT_DEFAULTS;

  get values(): LimitValues {
    return this.#values;
  }

  take(values: LimitValues): void {
    this.#values = values;
  }

  /**
   * Bytes of a field that may also be sent in several. The user's profile may say more than the default profile, which
   * counts and cannot be asked for.
   */
  get pieceBytes(): number {
    return Math.min(this.#values.http_max_field_value_size, LIMIT_DEFAULTS.http_max_field_value_size);
  }

  /** Takes note of a field that the server refused although it kept to the limit. False where nothing is left to lower. */
  lower(): boolean {
    const half = Math.floor(this.pieceBytes / 2);
    if (half < LEAST_LIMITS.http_max_field_value_size) return false;
    this.#values = { ...this.#values, http_max_field_value_size: half };
    return true;
  }
}

/** A client without limits has those of an unchanged server. */
interface Limited {
  readonly limits?: ServerLimits | undefined;
}

/** Asks a client's server for its limits, by which the client goes from then on. */
export async function askLimits(client: Limited & { rows(sql: string): Promise<Rows> }): Promise<void> {
  client.limits?.take(await readLimits((sql) => client.rows(sql)));
}

/** Did the server refuse a field, an address or a form as too long? */
function isTooLong(error: unknown): boolean {
  return error instanceof EngineError && error.code === "limit_exceeded" && error.message.includes("http_max_");
}

/** The error for a request that is too long as it is. */
function tooLong(what: string, bytes: number, limit: LimitName, most: number): EngineError {
  return new EngineError(
    "limit_exceeded",
    `${what} has ${bytes} bytes, and the ClickHouse server takes ${most} (${limit}): ` +
      "send less, or raise the setting in the server's default profile",
  );
}

/** Bytes of a text in an array. */
export function elementBytes(text: string): number {
  return Buffer.byteLength(printValue(text, true));
}

/**
 * The items in pieces that each fit into fields as arrays. `bytesOf`: of the longest element that stands for an item.
 * Throws `limit_exceeded` for an item that does not fit.
 */
export function piecesOf<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  maxBytes: number,
): readonly (readonly Item[])[] {
  const pieces: Item[][] = [];
  let [piece, bytes]: [Item[], number] = [[], 0];
  for (const item of items) {
    const size = bytesOf(item) + 1;
    if (size + 1 > maxBytes) throw tooLong("An id", size + 1, "http_max_field_value_size", maxBytes);
    if (piece.length > 0 && bytes + size + 1 > maxBytes) {
      pieces.push(piece);
      [piece, bytes] = [[], 0];
    }
    piece.push(item);
    bytes += size;
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}

/**
 * The answers of `ask` for all of the items, asked in as few pieces as the server's limits allow; if it refuses one all
 * the same, in smaller ones.
 */
export async function askInPieces<Item>(
  client: Limited,
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  ask: (piece: readonly Item[]) => Promise<Rows>,
): Promise<Rows> {
  const answers: Rows[] = [];
  const maxBytes = client.limits?.pieceBytes ?? LIMIT_DEFAULTS.http_max_field_value_size;
  for (const piece of piecesOf(items, bytesOf, maxBytes)) {
    try {
      answers.push(await ask(piece));
    } catch (error) {
      if (!isTooLong(error) || client.limits?.lower() !== true) throw error;
      answers.push(await askInPieces(client, piece, bytesOf, ask));
    }
  }
  return answers.flat();
}

/** How the values of a statement travel. */
export type Transport = "address" | "form";

/**
 * Chooses how a statement and its values are sent. Throws `limit_exceeded` where the server would refuse them either
 * way, with what is too long.
 */
export function chooseTransport(
  { statement, params, address }: { statement: string; params: Readonly<Record<string, ServerValue>>; address: string },
  limits: LimitValues,
): Transport {
  const fieldBytes = limits.http_max_field_value_size;
  let escaped = Buffer.byteLength(address);
  let plain = Buffer.byteLength(statement);
  for (const [name, value] of Object.entries(params)) {
    const text = printValue(value).toWellFormed();
    const bytes = Buffer.byteLength(text);
    if (bytes > fieldBytes) throw tooLong("A value of the call", bytes, "http_max_field_value_size", fieldBytes);
    escaped += encodeURIComponent(text).length + name.length + "&param_=".length;
    plain += bytes;
  }
  if (escaped <= Math.min(limits.http_max_uri_size, address.length + MAX_ADDRESS_BYTES)) return "address";
  const isLongStatement = Buffer.byteLength(statement) > fieldBytes;
  if (!isLongStatement && plain <= limits.http_max_multipart_form_data_size) return "form";
  if (escaped <= limits.http_max_uri_size) return "address";
  throw tooLong("The call's query with its values", plain, "http_max_uri_size", limits.http_max_uri_size);
}

/** The maximum length of values in an address: a server reads a megabyte, proxies before it often eight kilobytes. */
const MAX_ADDRESS_BYTES = 4096;
