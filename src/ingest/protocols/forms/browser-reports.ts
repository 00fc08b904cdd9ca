import { counted, isObject, type JsonObject, jsonOnly, parseJsonBody, present, toJsonText } from "../bodies.ts";
import { type Protocol, type ProtocolBody, TimedEvent } from "../protocol.ts";

/**
 * Reports that browsers send by themselves: the Reporting API (https://www.w3.org/TR/reporting-1/), and violations of
 * CSP.
 */
export const browserReports: Protocol = {
  name: "browser_reports",
  mediaTypes: { ...jsonOnly, advice: "application/reports+json or application/csp-report" },
  details: ["user-agent"],
  read: (body) => ({ items: readReports(body).map((report) => toEvent(report, body)) }),
};

function readReports({ bytes, count }: ProtocolBody): readonly unknown[] {
  const value = parseJsonBody(bytes);
  if (Array.isArray(value)) return counted(value, count);
  const violation = isObject(value) ? value["csp-report"] : undefined;
  return [isObject(violation) ? { type: "csp-violation", body: violation } : value];
}

/** A report says how many milliseconds ago it was made. */
function toEvent(report: unknown, { nowUs, details = {} }: ProtocolBody): unknown {
  if (!isObject(report)) return report;
  const { age, type, url, body } = report;
  const agoUs = typeof age === "number" && age >= 0 && age < 1e12 ? BigInt(Math.round(age * 1000)) : 0n;
  const detail = isObject(body) ? describe(body) : undefined;
  const parts = [type, detail, url ?? (isObject(body) ? body["document-uri"] : undefined)];
  const text = parts.filter((part) => typeof part === "string" && part !== "").join(" | ");
  const metadata = present({ user_agent: details["user-agent"], ...report });
  const event = present({ event_message: text === "" ? toJsonText(report) : text, project: report.project, metadata });
  return new TimedEvent(event, nowUs - agoUs);
}

function describe(body: JsonObject): unknown {
  return (
    body.message ??
    body.effectiveDirective ??
    body["effective-directive"] ??
    body["violated-directive"] ??
    body.reason ??
    body.id
  );
}
