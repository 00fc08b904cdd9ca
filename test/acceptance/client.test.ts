import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as Generated from "./generated-client-shape.ts";
import { privateToken, type Service, startService } from "./service.ts";

const run = promisify(execFile);
let service: Service;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-client-"));
  service = await startService();
  await service.ingest(
    "edge",
    Array.from({ length: 5 }, (_, index) => ({
      id: `e${index}`,
      timestamp: `2026-08-20T09:00:0${index}Z`,
      project: "abc",
      event_message: `GET /${index} by ana@example.com`,
      metadata: { request: { path: `/${index}` } },
    })),
  );
  await logweir("client", "generate", "--out", join(folder, "client.ts"));
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function logweir(...args: string[]) {
  const env = { PATH: process.env.PATH, LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken };
  return run(process.execPath, ["bin/logweir.mjs", ...args], { env });
}

/** The compiler's output for a file beside the client; empty when there are no errors. */
async function compile(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const flags =
    "--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes " +
    "--erasableSyntaxOnly --allowImportingTsExtensions";
  const target = "--target es2022 --module esnext --moduleResolution bundler --lib es2022,dom --types";
  const args = [...flags.split(" "), ...target.split(" "), "", join(folder, name)];
  return run("node_modules/.bin/tsc", args).then(
    () => "",
    (error: { readonly stdout: string }) => error.stdout,
  );
}

const consumer = `import { createClient, LogweirError, type LogsAllRow } from "./client.ts";
const client = createClient({ url: "http://127.0.0.1:4000", token: "t" });
export async function use(signal: AbortSignal): Promise<number> {
  const rows: LogsAllRow[] = await client.logsAll({ project: "abc", iso_timestamp_end: new Date(), limit: 3 }, { signal, redact: true });
  const first: string | null | undefined = rows[0]?.id;
  const counts = await client.usageApiCounts({ interval: "daily", project: "abc" });
  const paths = await client.logsAll.query<{ path: string }>({ lql: "t:today" }, { project: "abc" });
  for await (const row of client.logsAll.all({ project: "abc" })) if (row.timestamp === null) break;
  try {
    await client.logsAll.page({ project: "abc" }, { cursor: "x" });
  } catch (error) {
    if (error instanceof LogweirError && error.code === "invalid_parameter") return error.status;
  }
  return counts.length + (paths[0]?.path.length ?? 0) + (first?.length ?? 0);
}
`;

describe("a generated client", () => {
  it("compiles under tsc --strict, together with code that uses it correctly", async () => {
    expect(await compile("consumer.ts", consumer)).toBe("");
  });

  it("makes wrong types, wrong values, unknown names and missing required parameters compile errors", async () => {
    const calls = [
      "client.logsAll({ project: 7 })",
      'client.usageApiCounts({ interval: "yearly", project: "abc" })',
      'client.logsAll({ project: "abc", projct: "abc" })',
      "client.logsAll()",
      'client.logsAll({ project: "abc" }).then((rows) => rows[0]?.nothing)',
      'client.logsAll({ project: "abc", limit: "many" })',
    ];
    const head = 'import { createClient } from "./client.ts";\nconst client = createClient({ url: "", token: "" });\n';
    const said = await compile("wrong.ts", head + calls.map((call) => `void ${call};\n`).join(""));
    const lines = [...said.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line));
    expect(lines).toEqual(calls.map((_, index) => index + 3));
  });

  it("returns the right rows, pages, redacted rows and typed errors", async () => {
    await run(process.execPath, [
      "node_modules/.bin/esbuild",
      join(folder, "client.ts"),
      `--outfile=${join(folder, "client.mjs")}`,
      "--log-level=error",
    ]);
    const { createClient, LogweirError } = (await import(
      pathToFileURL(join(folder, "client.mjs")).href
    )) as typeof Generated;
    const client = createClient({ url: `${service.url}/`, token: privateToken });
    const rows = await client.logsAll({ project: "abc", iso_timestamp_start: new Date("2026-08-20T09:00:02Z") });
    expect(rows.map(({ id }) => id)).toEqual(["e4", "e3"]);
    const pages: string[] = [];
    for await (const { id } of client.logsAll.all({ project: "abc", limit: 2 })) pages.push(String(id));
    expect(pages).toEqual(["e4", "e3", "e2", "e1", "e0"]);
    const first = await client.logsAll.page({ project: "abc", limit: 2 });
    expect(first).toMatchObject({
      cursor: expect.any(String),
      dataThrough: expect.stringContaining("2026-08-20T09:00:04"),
    });
    const own = { sql: "select event_message as text from edge_logs order by timestamp limit 1" };
    expect(await client.logsAll.query(own, { project: "abc" }, { redact: true })).toEqual([
      { text: "GET /0 by REDACTED" },
    ]);
    const failed = await client.logsAll
      .query({ sql: "select nope from edge_logs" }, { project: "abc" })
      .catch((e: unknown) => e);
    expect(failed).toBeInstanceOf(LogweirError);
    expect(failed).toMatchObject({ code: "unknown_column", status: 400, line: 1, column: 8 });
    const aborted = client.logsAll({ project: "abc" }, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is identical when it is generated again, and contains no token", async () => {
    const again = join(folder, "again.ts");
    await logweir("client", "generate", "--out", again);
    const text = readFileSync(again, "utf8");
    expect(text).toBe(readFileSync(join(folder, "client.ts"), "utf8"));
    expect(text).not.toContain(privateToken);
  });
});
