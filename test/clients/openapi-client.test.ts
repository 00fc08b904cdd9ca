import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, type Service, startService } from "../acceptance/service.ts";
import { outputOf } from "../support/run-command.ts";
import { generateTypes } from "./generate-types.ts";

/** The exports of the page's example that are called here. */
interface Example {
  readPage(project: string, cursor?: string): Promise<{ rows: { id: string }[]; cursor: string | undefined }>;
  countEvents(project: string, signal?: AbortSignal): Promise<number>;
}

const run = promisify(execFile);
const example = /^```ts client\.ts\n(.*?)^```$/ms.exec(readFileSync("docs/clients.md", "utf8"))?.[1] ?? "";
let service: Service;
let folder = "";
let document = "";

const openApi = (...args: string[]) =>
  outputOf(["openapi", ...args], { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-client-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  service = await startService();
  await service.ingest(
    "edge",
    Array.from({ length: 5 }, (_, index) => ({
      id: `e${index}`,
      timestamp: `2026-08-20T09:00:0${index}Z`,
      project: "abc",
      event_message: `GET /${index}`,
    })),
  );
  document = await openApi();
  writeFileSync(join(folder, "logweir.d.ts"), await generateTypes(JSON.parse(document) as object));
  writeFileSync(join(folder, "client.ts"), example);
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The compiler's output for a file that imports the client; empty when there are no errors. */
async function compile(name: string): Promise<string> {
  const flags =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes " +
    "--allowImportingTsExtensions --target es2022 --module esnext --moduleResolution bundler --types node";
  return run("node_modules/.bin/tsc", [...flags.split(" "), join(folder, name)]).then(
    () => "",
    (error: { readonly stdout: string }) => error.stdout,
  );
}

describe("a client of openapi-typescript and openapi-fetch", () => {
  it("compiles as docs/clients.md shows it, and makes wrong types, values and names compile errors", async () => {
    expect(example).toContain("createClient<paths, ");
    const get = (path: string, query: string) =>
      `client.GET("/api/endpoints/query/${path}", { params: { query: ${query} } })`;
    const calls = [
      get("logs.all", "{ project: 7 }"),
      get("usage.api-counts", '{ interval: "yearly", project: "abc" }'),
      'client.GET("/api/endpoints/query/logs.all")',
      get("logs.al", '{ project: "abc" }'),
      get("logs.all", '{ project: "abc", limit: "many" }'),
      `${get("usage.api-counts", '{ interval: "daily", project: "abc" }')}.then(({ data }) => data?.result[0]?.nothing)`,
      `${get("logs.all", '{ project: "abc" }')}.then(({ error }) => error?.error.code === "no_such_code")`,
    ];
    const head = 'import { client } from "./client.ts";\n';
    writeFileSync(join(folder, "wrong.ts"), head + calls.map((call) => `void ${call};\n`).join(""));
    const places = [...(await compile("wrong.ts")).matchAll(/(\w+\.ts)\((\d+),/g)].map(([, ...place]) => place);
    expect(places).toEqual(calls.map((_, index) => ["wrong.ts", `${index + 2}`]));
  });

  it("returns the right rows, pages and errors", async () => {
    const outfile = join(folder, "client.mjs");
    const build = ["--bundle", "--format=esm", "--platform=node", "--log-level=error", `--outfile=${outfile}`];
    await run("node_modules/.bin/esbuild", [
      ...build,
      `--define:process.env.LOGWEIR_URL=${JSON.stringify(service.url)}`,
      `--define:process.env.LOGWEIR_TOKEN=${JSON.stringify(privateToken)}`,
      join(folder, "client.ts"),
    ]);
    const { readPage, countEvents } = (await import(pathToFileURL(outfile).href)) as Example;
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await readPage("abc", cursor);
      pages.push(page.rows.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([["e4", "e3"], ["e2", "e1"], ["e0"]]);
    expect(await countEvents("abc")).toBe(5);
    await expect(readPage("abc", "no cursor")).rejects.toThrow(/^invalid_parameter: The parameter cursor/);
    await expect(countEvents("abc", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });

  it("has a document that is identical when it is printed again, and contains no token", async () => {
    expect(await openApi()).toBe(document);
    expect(document).not.toContain(privateToken);
    const offline = JSON.parse(await openApi("--from", "endpoints")) as { readonly paths: object };
    expect(Object.keys(offline.paths)).toContain("/api/endpoints/query/logs.all");
  });
});
