/**
 * A small client of PostgreSQL's frontend/backend protocol, version 3 (simple queries and COPY FROM STDIN), over a Unix
 * socket whose server trusts its user. Enough to time a query to its last byte without a driver in between.
 */
import { connect, type Socket } from "node:net";

interface WireAnswer {
  readonly elapsedMs: number;
  /** The payloads of the DataRow messages. */
  readonly rows: readonly Buffer[];
}

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

/** Reads whole messages from a socket, one after the other. */
async function* readMessages(socket: Socket): AsyncGenerator<Message, undefined> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    let data = pending.length === 1 ? chunk : undefined;
    let offset = 0;
    while (pendingBytes - offset >= 5) {
      data ??= Buffer.concat(pending);
      const end = offset + 1 + data.readInt32BE(offset + 1);
      if (data.length < end) break;
      yield { type: String.fromCharCode(data[offset] ?? 0), body: data.subarray(offset + 5, end) };
      offset = end;
    }
    if (data !== undefined) {
      const rest = data.subarray(offset);
      pending = rest.length === 0 ? [] : [rest];
      pendingBytes = rest.length;
    }
  }
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(type.length + 4);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

function frameText(type: string, text: string): Buffer {
  return frame(type, Buffer.from(`${text}\0`));
}

function startup(user: string, database: string): Buffer {
  const version = Buffer.alloc(4);
  version.writeInt32BE(196_608);
  return frame("", Buffer.concat([version, Buffer.from(`user\0${user}\0database\0${database}\0\0`)]));
}

function readError(body: Buffer): Error {
  const fields = body.toString().split("\0");
  const text = fields.find((field) => field.startsWith("M"))?.slice(1);
  return new Error(`PostgreSQL: ${text ?? fields.join(" ")}`);
}

/** The values of a DataRow as texts. */
export function readRow(row: Buffer): (string | null)[] {
  const values: (string | null)[] = [];
  let offset = 2;
  for (let left = row.readInt16BE(0); left > 0; left--) {
    const length = row.readInt32BE(offset);
    offset += 4;
    values.push(length < 0 ? null : row.toString("utf8", offset, offset + length));
    offset += Math.max(0, length);
  }
  return values;
}

/** Connects as `user`; rejects while the server does not take connections. */
export async function connectWire(socketPath: string, user: string, database: string): Promise<WireClient> {
  const socket = connect(socketPath);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const client = new WireClient(socket);
  await client.logIn(user, database);
  return client;
}

/** A connection to the server. Calls wait for each other. */
export class WireClient {
  readonly #socket: Socket;
  readonly #messages: AsyncGenerator<Message, undefined>;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#messages = readMessages(socket);
  }

  /** To be called first. */
  async logIn(user: string, database: string): Promise<void> {
    this.#socket.write(startup(user, database));
    // An error at the start ends the connection without a ReadyForQuery.
    const first = await this.#next();
    if (first.type === "E") throw readError(first.body);
    await this.#readUntilReady();
  }

  /** Runs statements, separated by semicolons; answers the rows of the last that has any. */
  query(sql: string): Promise<WireAnswer> {
    return this.#inTurn(async () => {
      const rows: Buffer[] = [];
      const startedAt = performance.now();
      this.#socket.write(frameText("Q", sql));
      await this.#readUntilReady(({ type, body }) => {
        if (type === "T") rows.length = 0;
        else if (type === "D") rows.push(body);
      });
      return { elapsedMs: performance.now() - startedAt, rows };
    });
  }

  /** Runs `COPY ... FROM STDIN` with the texts as its data. */
  copy(sql: string, texts: Iterable<string>): Promise<void> {
    return this.#inTurn(async () => {
      this.#socket.write(frameText("Q", sql));
      const answer = await this.#next();
      if (answer.type === "E") {
        await this.#readUntilReady();
        throw readError(answer.body);
      }
      for (const text of texts) {
        const isFull = !this.#socket.write(frame("d", Buffer.from(text)));
        if (isFull) await new Promise((resolve) => this.#socket.once("drain", resolve));
      }
      this.#socket.write(frame("c", Buffer.alloc(0)));
      await this.#readUntilReady();
    });
  }

  close(): void {
    this.#socket.end(frame("X", Buffer.alloc(0)));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#previous.then(work);
    this.#previous = result.catch(() => undefined);
    return result;
  }

  async #next(): Promise<Message> {
    const step = await this.#messages.next();
    if (step.done === true) throw new Error("PostgreSQL closed the connection");
    return step.value;
  }

  async #readUntilReady(onMessage: (message: Message) => void = () => undefined): Promise<void> {
    let failure: Error | undefined;
    for (let message = await this.#next(); message.type !== "Z"; message = await this.#next()) {
      if (message.type === "E") failure = readError(message.body);
      else onMessage(message);
    }
    if (failure !== undefined) throw failure;
  }
}
