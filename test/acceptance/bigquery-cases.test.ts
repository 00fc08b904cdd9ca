/** The project's own GoogleSQL cases, asked by the published client of BigQuery and by our API: both have the same rows. */
import type { BigQuery } from "@google-cloud/bigquery";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnCase, readCorpus, readFamilies } from "../conformance/own-cases.ts";
import { connectBigQuery } from "../support/bigquery/connect.ts";
import { sampleOf } from "../support/sample-size.ts";
import { create } from "./manage.ts";
import { privateToken, type Row, type Service, startService } from "./service.ts";

let service: Service;
let client: BigQuery;

beforeAll(async () => {
  service = await startService();
  const query = "WITH logs AS (SELECT * FROM edge) SELECT id FROM logs";
  await create(service, { name: "cases", sandbox: true, max_rows: 10_000, query });
  client = connectBigQuery(service.url, privateToken);
}, 60_000);

afterAll(() => service.stop());

/** The default of `max_rows`. */
const maxRows = 10_000;

type Told = { readonly rows: readonly Row[] } | { readonly error: string };

async function askOurs(query: string): Promise<Told> {
  const response = await fetch(`${service.url}/api/endpoints/query/cases`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": privateToken },
    body: JSON.stringify({ sql: query }),
  });
  const body = (await response.json()) as { readonly result: readonly Row[]; readonly error: { message: string } };
  return response.ok ? { rows: body.result } : { error: body.error.message };
}

const askClient = (query: string): Promise<Told> =>
  client.query({ query, wrapIntegers: true, defaultDataset: { datasetId: "cases" } }).then(
    ([rows]) => ({ rows: rows as Row[] }),
    (error: unknown) => ({ error: String(error) }),
  );

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text of a scalar of the client: whole numbers, times, ranges, bytes and decimals are objects there. */
function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString("base64");
  if (isObject(value) && "apiValue" in value) return String(value.apiValue);
  if (isObject(value) && "value" in value) return String(value.value);
  return String(value);
}

/** Microseconds since 1970. The client adds a second to fractions of one before that, which is taken off again. */
function microseconds(iso: string, isBefore1970: boolean): number {
  const [, seconds = "", decimals = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(iso) ?? [];
  const fraction = Number(decimals.slice(0, 6).padEnd(6, "0"));
  return Date.parse(`${seconds}Z`) * 1_000 + fraction - (isBefore1970 && fraction > 0 ? 1_000_000 : 0);
}

/** A range of timestamps as our API shows it. */
const shownRange = (range: string) => range.replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.000Z/g, "$1 $2+00");

/** Whether the client has what our API answers: in the types of its own, and with JSON as text. */
function isSame(ours: unknown, theirs: unknown): boolean {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty(ours) || isEmpty(theirs))
    return isEmpty(ours) && (isEmpty(theirs) || theirs === "null" || theirs === "[]");
  if (typeof theirs === "string" && (typeof ours === "object" || theirs !== String(ours)))
    return isSameJson(ours, theirs);
  if (Array.isArray(ours)) {
    return Array.isArray(theirs) && ours.length === theirs.length && ours.every((each, n) => isSame(each, theirs[n]));
  }
  if (isObject(ours)) {
    if (!isObject(theirs)) return false;
    const names = Object.keys(ours);
    return names.join() === Object.keys(theirs).join() && names.every((name) => isSame(ours[name], theirs[name]));
  }
  const [own, told] = [String(ours), textOf(theirs)];
  if (own === told || own === shownRange(told)) return true;
  if (!/^[-+\d.e]+$/i.test(own)) return false;
  return Number(own) === (told.endsWith("Z") ? microseconds(told, Number(own) < 0) : Number(told));
}

function isSameJson(ours: unknown, text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(ours);
  } catch {
    return false;
  }
}

/** Rows that may come in any order are put into one by what our API tells of them. */
function fault({ query }: OwnCase, ours: Told, theirs: Told): readonly string[] {
  if ("error" in ours || "error" in theirs) {
    if ("error" in ours && "error" in theirs) return [];
    // An endless recursion: our API cuts its rows and says so, where BigQuery's form has no word for it.
    if ("rows" in ours && ours.rows.length === maxRows && "error" in theirs && theirs.error.includes("max_rows"))
      return [];
    return [`${query}\n  ${JSON.stringify(ours).slice(0, 300)}\n  ${JSON.stringify(theirs).slice(0, 300)}`];
  }
  const left = [...theirs.rows];
  const missing = ours.rows.filter((row) => {
    const found = left.findIndex((each) => isSame(row, each));
    if (found !== -1) left.splice(found, 1);
    return found === -1;
  });
  if (missing.length === 0 && left.length === 0) return [];
  return [`${query}\n  ${JSON.stringify(missing).slice(0, 400)}\n  ${JSON.stringify(left).slice(0, 400)}`];
}

it("has the rows of our API for each case, and an error where it has one", async () => {
  const files = [...readCorpus(), ...readFamilies()];
  const table: string[] = [];
  const faults: string[] = [];
  for (const { file, cases } of files) {
    const tried = sampleOf(
      cases.filter(({ params }) => params === undefined),
      0.03,
    );
    const wrong: string[] = [];
    for (let at = 0; at < tried.length; at += 6) {
      const part = tried.slice(at, at + 6).map(async (each) => {
        const [ours, theirs] = await Promise.all([askOurs(each.query), askClient(each.query)]);
        return fault(each, ours, theirs);
      });
      wrong.push(...(await Promise.all(part)).flat());
    }
    table.push(`| ${file.replace(".json", "")} | ${tried.length} | ${tried.length - wrong.length} |`);
    faults.push(...wrong);
  }
  if (process.env.LOGWEIR_TEST_TABLES !== undefined) {
    process.stdout.write(`| cases | asked | same |\n|---|---|---|\n${table.join("\n")}\n`);
  }
  expect(faults).toEqual([]);
}, 600_000);
