import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import type { Notice } from "../alert-state.ts";
import { makeMail } from "./make-mail.ts";
import { type AlertMail, createMailSender } from "./send-mail.ts";

let server: MailServer;
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.close());

const from = "alerts@here.example";
const to = "ops@there.example";
const never = new AbortController().signal;
const plain: AlertMail = { id: "1-firing-2", incident: "1", to, subject: "Firing: a: b", text: "hello\nyou" };
const alert = { name: "failures", severity: "critical" } as const;
const notice: Notice = {
  ...{ id: "i-firing-1", incident: "i", status: "firing", isReminder: false, labels: { project: "p" }, value: "3" },
  ...{ message: "3 of p", sinceMs: 0, atMs: 60_000, rows: '[{"n":3}]', rowCount: 1 },
};

describe("mail of alerts", () => {
  it("is a plain text to one address, with the id of its notice, and no reason for automatic answers", async () => {
    const send = createMailSender({ url: server.url, from });
    expect(await send(makeMail(alert, notice, to), never)).toEqual({ kind: "taken" });
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from, to: [to] });
    expect(mail?.body).toBe(
      [
        ...["3 of p", "", "Alert: failures (critical)", "Status: Firing", "project: p", "Value: 3"],
        ...["Since: 1970-01-01T00:00:00.000Z", "At: 1970-01-01T00:01:00.000Z", "Rows: 1", "", '[{"n":3}]'],
      ].join("\n"),
    );
    for (const header of [
      ...[`From: ${from}`, `To: ${to}`, "Subject: Firing: failures: 3 of p", "Message-ID: <i-firing-1@here.example>"],
      ...["References: <i@here.example>", "Auto-Submitted: auto-generated", "Content-Type: text/plain; charset=utf-8"],
    ]) {
      expect(mail?.headers).toContain(header);
    }
  });

  it("takes no header, receiver or second mail from any text of a row", async () => {
    const send = createMailSender({ url: server.url, from });
    await send(plain, never);
    const names = () => (server.mails.at(-1)?.headers ?? []).map((header) => header.split(":")[0]);
    const usual = names();
    const hostile = fc.stringMatching(/^[\r\n\0\t .:<>@,;"=?A-Za-z0-9\u2028\u00e9\u{1f4a5}]{0,300}$/u);
    const examples: [string, string][] = [
      ["x\r\nBcc: victim@there.example", "y"],
      [
        "x\nBcc: victim@there.example\n\nbody",
        "a\r\n.\r\nMAIL FROM:<evil@there.example>\r\nRCPT TO:<victim@there.example>",
      ],
      ["=?utf-8?Q?x=0D=0ABcc:_victim=40there.example?=", "\r\n.\r\nQUIT"],
    ];
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (message, label) => {
        server.mails.length = 0;
        server.commands.length = 0;
        const mail = makeMail({ ...alert, name: label }, { ...notice, message, labels: { [label]: message } }, to);
        expect(mail.subject).toMatch(/^[^\p{Cc}\u2028\u2029]{1,203}$/u);
        expect(await send(mail, never)).toEqual({ kind: "taken" });
        expect(server.mails).toHaveLength(1);
        expect(server.mails[0]?.to).toEqual([to]);
        expect(names()).toEqual(usual);
        expect(server.commands.map((line) => line.split(" ")[0])).toEqual(["EHLO", "MAIL", "RCPT", "DATA"]);
      }),
      { numRuns: 25, examples },
    );
  });

  it("is given up where the server blames its receiver or text, and waits otherwise; no answer's text is told", async () => {
    const send = createMailSender({ url: server.url.replace("//", "//user:pass%40word@"), from });
    for (const [at, answer, kind] of [
      ["RCPT TO", "550 no such secret", "refused"],
      ["RCPT TO", "450 later, secret", "failed"],
      ["<text>", "554 secret", "refused"],
      ["<text>", "452 secret", "failed"],
      ["MAIL FROM", "550 you may not, secret", "failed"],
      ["AUTH", "535 secret", "failed"],
      ["<greeting>", "554 secret", "failed"],
    ] as const) {
      server.answer = (command) => (command.startsWith(at) ? answer : undefined);
      const told = { kind, reason: `the mail server answered ${answer.slice(0, 3)}` };
      expect([at, answer, await send(plain, never)]).toEqual([at, answer, told]);
    }
    expect(server.commands).toContain(`AUTH PLAIN ${Buffer.from("\0user\0pass@word").toString("base64")}`);
    await server.close();
    const answer = await send(plain, never);
    expect(answer).toMatchObject({
      kind: "failed",
      reason: expect.stringMatching(/^the mail server cannot be reached: E/),
    });
    server = await startMailServer();
  });

  it("waits for no server longer than its time, and not at all once it is to end", async () => {
    server.answer = () => "";
    const slow = createMailSender({ url: server.url, from }, 20);
    expect(await slow(plain, never)).toEqual({
      ...{ kind: "failed", reason: "the mail server did not answer within 0.02 seconds" },
    });
    const send = createMailSender({ url: server.url, from });
    const ending = new AbortController();
    // Four hold the connections, the fifth waits for one.
    const sent = Promise.allSettled(Array.from({ length: 5 }, () => send(plain, ending.signal)));
    ending.abort(new Error("the service ends"));
    const reasons = (await sent).map((each) => each.status === "rejected" && String(each.reason));
    expect(new Set(reasons)).toEqual(new Set(["Error: the service ends"]));
  });

  it("sends a password over TLS alone, unless it stays on the machine", async () => {
    const named = `smtp://user:secret@[::ffff:127.0.0.1]:${server.port}`;
    const send = createMailSender({ url: named, from });
    expect(await send(plain, never)).toMatchObject({ kind: "failed" });
    expect(server.commands.join("\n")).not.toContain("AUTH");
    expect(server.mails).toEqual([]);
  });
});
