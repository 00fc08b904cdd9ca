import type { AlertPlan } from "../alert.ts";
import type { Notice } from "../alert-state.ts";
import { cutText } from "../cut-text.ts";
import type { AlertMail } from "./send-mail.ts";

const maxSubjectLength = 200;
const maxRowsLength = 20_000;

const words: Readonly<Record<Notice["status"], string>> = {
  firing: "Firing",
  resolved: "Resolved",
  failing: "Cannot run",
  working: "Runs again",
};

/** A notice as a mail to one address. Values of rows make no line of their own in the subject. */
export function makeMail(
  { name, severity }: Pick<AlertPlan, "name" | "severity">,
  notice: Notice,
  to: string,
): AlertMail {
  const { id, incident, status, isReminder, labels, value, message, sinceMs, atMs, rows, rowCount } = notice;
  const title = `${words[status]}${isReminder ? " (reminder)" : ""}`;
  const facts = [
    ["Alert", `${name} (${severity})`],
    ["Status", title],
    ...Object.entries(labels),
    ...(value === undefined ? [] : [["Value", value]]),
    ["Since", new Date(sinceMs).toISOString()],
    ["At", new Date(atMs).toISOString()],
    ...(rowCount === 0 ? [] : [["Rows", String(rowCount)]]),
  ];
  const shown = rows === "[]" ? [] : ["", cutText(rows, maxRowsLength)];
  return {
    id,
    incident,
    to,
    subject: cutText(oneLine(`${title}: ${name}: ${message}`), maxSubjectLength),
    text: [message, "", ...facts.map(([fact, text]) => `${fact}: ${oneLine(String(text))}`), ...shown, ""].join("\n"),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
