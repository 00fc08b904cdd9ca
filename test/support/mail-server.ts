import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A mail that a server took. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines, unfolded, and the body, with LF. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** A server for SMTP on a port of loopback. */
export interface MailServer {
  readonly port: number;
  readonly url: string;
  readonly mails: TakenMail[];
  /** The command lines that came, without what belongs to a mail's text, and without QUIT, which may come later. */
  readonly commands: string[];
  /** The answer to a command; undefined for the usual one, an empty text for none at all. */
  answer: (command: string) => string | undefined;
  close(): Promise<void>;
}

/** Takes every mail, unless told otherwise. */
export async function startMailServer(): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that gives up resets its connection.
    socket.on("error", () => undefined);
    converse(socket, mailServer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const mailServer: MailServer = {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    commands: [],
    answer: () => undefined,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return mailServer;
}

function converse(socket: Socket, server: MailServer): void {
  const say = (text: string) => void (text === "" || socket.write(`${text}\r\n`));
  let buffer = "";
  let from = "";
  let to: string[] = [];
  let text: string[] | undefined;
  const take = (line: string) => {
    if (text !== undefined) {
      if (line !== ".") {
        text.push(line.replace(/^\./, ""));
        return;
      }
      const answer = server.answer("<text>");
      if (answer === undefined) server.mails.push(toMail(from, to, text));
      text = undefined;
      say(answer ?? "250 taken");
      return;
    }
    const answer = server.answer(line);
    const [verb = ""] = line.toUpperCase().split(" ");
    if (verb !== "QUIT") server.commands.push(line);
    if (answer !== undefined) say(answer);
    else if (verb === "EHLO") say("250-here.example\r\n250 AUTH PLAIN");
    else if (verb === "AUTH") say("235 welcome");
    else if (verb === "QUIT") socket.end("221 bye\r\n");
    else if (verb === "DATA") say("354 go on");
    else say(["MAIL", "RCPT", "NOOP", "RSET"].includes(verb) ? "250 yes" : "502 unknown here");
    if (verb === "MAIL") [from, to] = [addressOf(line), []];
    if (verb === "RCPT" && answer === undefined) to.push(addressOf(line));
    if (verb === "DATA" && answer === undefined) text = [];
  };
  socket.on("data", (chunk: Buffer) => {
    buffer += chunk.toString("utf8");
    const lines = buffer.split("\r\n");
    buffer = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
  say(server.answer("<greeting>") ?? "220 here.example");
}

function addressOf(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? "";
}

function toMail(from: string, to: readonly string[], lines: readonly string[]): TakenMail {
  const end = lines.indexOf("");
  const headers = lines
    .slice(0, end)
    .join("\n")
    .replaceAll(/\n[ \t]/g, " ")
    .split("\n");
  const raw = lines.slice(end + 1).join("\n");
  const encoding = /^Content-Transfer-Encoding: *(.*)$/im.exec(headers.join("\n"))?.[1]?.toLowerCase() ?? "7bit";
  const body = encoding === "base64" ? Buffer.from(raw, "base64").toString("utf8") : raw;
  return { from, to, headers, body: encoding === "quoted-printable" ? unquote(raw) : body };
}

function unquote(text: string): string {
  const bytes = text.replaceAll("=\n", "").replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => `%${hex}`);
  return Buffer.from(
    bytes.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");
}
