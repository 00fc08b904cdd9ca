import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfiguration } from "../../../src/config/config.ts";
import { type RunningService, startService } from "../../../src/service/service.ts";
import { oddEdgeEvents, oddFunctionEvents } from "./odd-events.ts";

const privateToken = "private-token-of-the-odd-events-0123456789";

/** The queries of `aaa`: the saved ones, and those of a dashboard over its own fields. */
const consumerQueries: readonly string[] = [
  "select id, timestamp, event_message, metadata from T order by id",
  "select sum(m.dur) s, max(m.dur) x, avg(m.dur) a from T t cross join unnest(metadata) m",
  "select t.id, l from T t cross join unnest(metadata) m cross join unnest(m.list) l order by t.id, l",
  "select upper(m.word) w, count(*) n from T t cross join unnest(metadata) m group by w order by w",
  "select t.id, m.deep.a.b v from T t cross join unnest(metadata) m order by t.id",
  "select m.* from T t cross join unnest(metadata) m order by t.id",
];
const edgeQueries: readonly string[] = [
  "select max(s.origin_time) x, sum(s.status_code) n from T t cross join unnest(metadata) m cross join " +
    "unnest(m.response) s",
  "select r.path, count(*) n from T t cross join unnest(metadata) m cross join unnest(m.request) r group by 1 " +
    "order by 1",
  "select lower(r.path) p, starts_with(r.url, 'https') u from T t cross join unnest(metadata) m cross join " +
    "unnest(m.request) r order by t.id",
];

const baseMetadata = {
  dur: 9,
  list: [1, 2],
  word: "x",
  deep: { a: { b: "c" } },
  request: { method: "GET", path: "/rest/v1/x", url: "https://aaa.example/rest/v1/x" },
  response: { status_code: 200, origin_time: 9 },
};

function baseEvents(): readonly object[] {
  return [1, 2].map((number) => ({
    id: `own-${number}`,
    timestamp: `2026-08-20T09:00:0${number}Z`,
    event_message: `message ${number}`,
    project: "aaa",
    metadata: {
      ...baseMetadata,
      project_ref: "aaa",
      dur: number + 8,
      response: { status_code: 200, origin_time: number + 8 },
    },
  }));
}

/** An odd event with the source that it goes to; each has a source of its own, a copy of the shipped one. */
interface OddCase {
  readonly source: string;
  readonly like: "edge" | "function";
  readonly json: string;
  /** True when the project that queries sends it. */
  readonly isOwn: boolean;
}

function oddCases(isOwn: boolean, step: number, first: number): readonly OddCase[] {
  const project = isOwn ? "aaa" : "bbb";
  const edge = oddEdgeEvents.map((text) => ({
    like: "edge" as const,
    json: text.replace("@", `"project":"${project}",`),
  }));
  const others = oddFunctionEvents.map((json) => ({ like: "function" as const, json }));
  return [...edge, ...(isOwn ? [] : others)]
    .filter((_, index) => index % step === first)
    .map((each, index) => ({ ...each, source: `odd_${isOwn ? "own" : "other"}_${index}`, isOwn }));
}

/**
 * Every `step`th odd event from the one numbered `first` on, sent by another project and by the one that asks, each
 * into a table of its own.
 */
export function testOddEvents(step: number, first: number): void {
  const cases = [...oddCases(false, step, first), ...oddCases(true, step, first)];
  let folder: string;
  let service: RunningService;
  const secrets = new Map<string, string>();

  const start = () =>
    startService(
      readConfiguration(
        { workingDir: folder, packageDir: process.cwd() },
        {
          LOGWEIR_HOST: "127.0.0.1",
          LOGWEIR_PORT: "0",
          LOGWEIR_DATA_DIR: join(folder, "data"),
          LOGWEIR_ENDPOINTS_DIR: join(folder, "endpoints"),
          LOGWEIR_SOURCES_DIR: join(folder, "sources"),
          LOGWEIR_PRIVATE_TOKEN: privateToken,
          LOGWEIR_LOG_LEVEL: "silent",
          LOGWEIR_AUDIT: "off",
        },
      ),
    );

  const ingest = async (source: string, body: string) => {
    const response = await fetch(`${service.url}/api/logs?source_name=${source}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": privateToken },
      body,
    });
    return { status: response.status, text: await response.text() };
  };

  const tokenOf = async (kind: "pinned" | "named") => {
    const pins: Record<string, string> = kind === "pinned" ? { project: "aaa" } : {};
    const { secret } = await service.tokens.create({ description: "", scopes: ["query"], pins, expiresAt: undefined });
    secrets.set(kind, secret);
  };

  /** All answers about a source by query, each with its status. */
  const ask = async ({ source, like }: OddCase) => {
    const table = `${source}_logs`;
    const answers = new Map<string, string>();
    for (const [kind, secret] of secrets) {
      for (const query of [undefined, ...consumerQueries, ...(like === "edge" ? edgeQueries : [])]) {
        const sent = new URLSearchParams(kind === "named" ? { project: "aaa" } : {});
        if (query !== undefined) sent.set("sql", query.replace("from T ", `from ${table} `));
        const response = await fetch(`${service.url}/api/endpoints/query/${source}.all?${sent}`, {
          headers: { "x-api-key": secret },
        });
        const through = response.headers.get("x-logweir-data-through");
        answers.set(`${kind}: ${query ?? "own query"}`, `${response.status} ${through} ${await response.text()}`);
      }
    }
    return answers;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "logweir-odd-events-"));
    for (const name of ["endpoints", "sources"]) await mkdir(join(folder, name));
    for (const { source, like } of cases) await writeFiles(folder, source, like);
    service = await start();
    await tokenOf("pinned");
    await tokenOf("named");
    for (const { source } of cases) expect((await ingest(source, JSON.stringify(baseEvents()))).status).toBe(200);
  }, 180_000);

  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("odd events change no other project's answers, before or after a restart, and break none of their own", {
    timeout: 900_000,
  }, async () => {
    const before = new Map<OddCase, ReadonlyMap<string, string>>();
    const after = new Map<OddCase, ReadonlyMap<string, string>>();
    const problems: string[] = [];
    for (const each of cases) before.set(each, await ask(each));
    for (const each of cases) {
      const sent = await ingest(each.source, each.json);
      if (sent.status !== 200 && sent.status !== 422)
        problems.push(`${each.json.slice(0, 200)}: ingest ${sent.status}`);
      after.set(each, await ask(each));
    }
    await service.stop();
    service = await start();
    for (const each of cases) {
      const restarted = await ask(each);
      for (const [query, first] of before.get(each) ?? []) {
        const [second, third] = [after.get(each)?.get(query) ?? "", restarted.get(query) ?? ""];
        const isRight = each.isOwn ? second.startsWith("200 ") : second === first;
        if (!first.startsWith("200 ") || !isRight || second !== third) {
          const shown = [first, second, third].map((text) => text.slice(0, 300)).join("\n  ");
          problems.push(`${each.isOwn ? "own" : "other"} ${each.json.slice(0, 200)}\n ${query}\n  ${shown}`);
        }
      }
    }
    expect(problems.slice(0, 10), `${problems.length} answers`).toEqual([]);
  });
}

/** A copy of a shipped source under another name, and an endpoint that reads it as `logs.all` reads that one. */
async function writeFiles(folder: string, source: string, like: OddCase["like"]): Promise<void> {
  const yaml = await readFile(join("sources", `${like}.yaml`), "utf8");
  const renamed = yaml.replace(/^name: .*$/m, `name: ${source}`).replace(/^aliases: .*\n/m, "");
  await writeFile(join(folder, "sources", `${source}.yaml`), renamed);
  const from =
    like === "edge"
      ? `${source} AS t WHERE t.project = @project`
      : `${source} AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE m.project_ref = @project`;
  const number = source.replaceAll(/\D/g, "").padStart(8, "0");
  const kind = source.includes("own") ? "4001" : "4000";
  const header = [
    `id: ${number}-0000-${kind}-8000-000000000000`,
    "max_rows: 1000",
    "sandbox: true",
    "parameters:",
    "  project: { type: string, required: true }",
  ];
  const query = `WITH ${source}_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata FROM ${from}
)
SELECT id, timestamp, event_message, metadata FROM ${source}_logs ORDER BY timestamp DESC LIMIT 100`;
  await writeFile(join(folder, "endpoints", `${source}.all.sql`), `/*---\n${header.join("\n")}\n---*/\n${query}\n`);
}
