import { isIP } from "node:net";
import type { DrainAnswer } from "../../drains/destinations/send-request.ts";
import { Admission } from "../../shared/concurrency/admission.ts";
import { openDeadline } from "../../shared/concurrency/deadline.ts";

/** The server that takes mail, and the address that it comes from. */
export interface MailServer {
  /** `smtp://USER:PASSWORD@HOST:PORT` or `smtps://...`; see `docs/alerts.md`. */
  readonly url: string;
  readonly from: string;
}

/** A mail to one address, as plain text. */
export interface AlertMail {
  /** The same however often it is sent. */
  readonly id: string;
  /** Mails of one incident are shown together. */
  readonly incident: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Rejects only for the end of its signal. */
export type SendMail = (mail: AlertMail, signal: AbortSignal) => Promise<DrainAnswer>;

/** The problem of mail without a server for it. */
export const noMailServer = "mail is sent only where LOGWEIR_SMTP_URL and LOGWEIR_SMTP_FROM are set";

/** Connections to the server at once. */
const maxConnections = 4;
const defaultTimeoutMs = 30_000;

/** Sends mails by SMTP. The library is loaded with the first one. */
export function createMailSender({ url, from }: MailServer, timeoutMs = defaultTimeoutMs): SendMail {
  const turns = new Admission({ maxRunning: maxConnections, maxWaiting: Number.POSITIVE_INFINITY });
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const idOf = (part: string) => `<${part}@${domain}>`;
  const open = async () => (await import("nodemailer")).createTransport(readServer(url));
  let opened: ReturnType<typeof open> | undefined;
  return async ({ id, incident, to, subject, text }, signal) => {
    const leave = await turns.enter(signal);
    const deadline = openDeadline(signal, timeoutMs);
    try {
      opened ??= open();
      const transport = await opened;
      await transport.sendMail({
        from,
        to: { name: "", address: to },
        subject,
        text,
        messageId: idOf(id),
        references: idOf(incident),
        // No holiday notice or the like comes back: RFC 3834.
        headers: { "Auto-Submitted": "auto-generated" },
        signal: deadline.signal,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { kind: "taken" };
    } catch (error) {
      signal.throwIfAborted();
      if (!deadline.isOver) return toAnswer(error);
      return { kind: "failed", reason: `the mail server did not answer within ${timeoutMs / 1_000} seconds` };
    } finally {
      deadline.release();
      leave();
    }
  };
}

/** A password goes over TLS alone, unless it stays on this machine. */
function readServer(text: string) {
  const { protocol, hostname, port, username, password } = new URL(text);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLocal = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host,
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && password !== "" && !isLocal,
    ...(username === "" ? {} : { auth }),
  };
}

/** Why a mail was not taken: by codes alone, since texts of errors may hold a part of what was sent or answered. */
function toAnswer(error: unknown): DrainAnswer {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown };
  if (typeof responseCode !== "number") {
    const known = typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? code : "unknown error";
    return { kind: "failed", reason: `the mail server cannot be reached: ${known}` };
  }
  const reason = `the mail server answered ${responseCode}`;
  // It blames the receiver or the mail; whoever logs in and sends is a setting, which people correct.
  const isOfMail = command === "RCPT TO" || command === "DATA";
  return { kind: responseCode >= 500 && isOfMail ? "refused" : "failed", reason };
}
