import { type Answer, compareAnswers } from "./compare-answers.ts";
import type { JudgeCase } from "./judge-cases.ts";
import { knownDifferences } from "./known-differences.ts";
import type { Verdict } from "./print-verdicts.ts";
import { type PushedStream, pushedStreams } from "./pushed-lines.ts";

/** A service that speaks Loki's API. */
export interface Spoken {
  readonly url: string;
  readonly token?: string;
}

const headersOf = ({ token }: Spoken): Record<string, string> => (token === undefined ? {} : { "x-api-key": token });

/** Pushes lines by Loki's protocol. */
export async function push(service: Spoken, streams: readonly PushedStream[]): Promise<void> {
  const response = await fetch(`${service.url}/loki/api/v1/push`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headersOf(service) },
    body: JSON.stringify({ streams }),
  });
  if (response.status !== 204) throw new Error(`${service.url}: ${response.status} ${await response.text()}`);
}

async function ask(service: Spoken, { path, parameters, isCategorized }: JudgeCase): Promise<Answer> {
  const flags: Record<string, string> = isCategorized ? { "x-loki-response-encoding-flags": "categorize-labels" } : {};
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(`${service.url}/loki/api/v1/${path}?${query}`, {
    headers: { ...headersOf(service), ...flags },
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** Pushes the lines to both services, and asks both for every case. */
export async function judge(cases: readonly JudgeCase[], loki: Spoken, ours: Spoken): Promise<readonly Verdict[]> {
  await Promise.all([push(loki, pushedStreams), push(ours, pushedStreams)]);
  const verdicts: Verdict[] = [];
  for (const judged of cases) {
    const [theirs, own] = await Promise.all([ask(loki, judged), ask(ours, judged)]).catch((error: unknown) => {
      throw new Error(`No answer to ${JSON.stringify(judged)}`, { cause: error });
    });
    verdicts.push(toVerdict(judged, theirs, own));
  }
  return verdicts;
}

/** The verdict on two answers to one case. */
export function toVerdict(judged: JudgeCase, theirs: Answer, ours: Answer): Verdict {
  const difference = compareAnswers(theirs, ours);
  if (difference === undefined) return { judged, kind: "agrees", detail: "" };
  const known = knownDifferences.find((each) => each.isOf(judged));
  if (known !== undefined) return { judged, kind: "known", detail: known.reason };
  const isRefused = ours.status >= 400 && / (?:is|are) not supported/.test(String(ours.body));
  return { judged, kind: isRefused ? "refused" : "differs", detail: difference };
}
