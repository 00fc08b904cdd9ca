import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { manage } from "./manage.ts";
import { privateToken, type Service, startService } from "./service.ts";

let service: Service;
let folder: string;
let made = 0;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "logweir-import-"));
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function makeSource(): Promise<string> {
  const name = `source_${++made}`;
  expect(await manage(service, "POST", "/api/sources", { name })).toMatchObject({ status: 201 });
  return name;
}

const importFile = (path: string, source: string, input?: string) =>
  runCommand(["import", path, "--source", source, "--json"], {
    environment: { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken },
    ...(input === undefined ? {} : { input }),
  });

async function countOf(source: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids FROM ${source}`;
  const { result } = (await (await service.get("/api/query", { sql })).json()) as {
    result: { n: number; ids: number }[];
  };
  expect(result[0]?.ids).toBe(result[0]?.n);
  return result[0]?.n ?? 0;
}

describe("logweir import", () => {
  it("stores events without ids once however often it is run, and equal ones of other lines as others", async () => {
    const source = await makeSource();
    const path = join(folder, "events.ndjson");
    const lines = ['{"m":"same"}', '{"m":"same"}', '{"m":"null","id":null}', '{"m":"own","id":"own"}', "{}"];
    await writeFile(path, lines.join("\n"));
    for (let round = 0; round < 2; round++) {
      expect(await importFile(path, source)).toMatchObject({ code: 0 });
      expect(await countOf(source)).toBe(5);
    }
    // Another file may have equal lines, also one that takes the place of this.
    await utimes(path, 1, 1);
    expect(await importFile(path, source)).toMatchObject({ code: 0 });
    expect(await countOf(source)).toBe(9);
    for (let round = 1; round <= 2; round++) {
      expect(await importFile("-", source, lines.join("\n"))).toMatchObject({ code: 0 });
      expect(await countOf(source)).toBe(9 + 4 * round);
    }
  });

  it("says of a file that ends early which it is, and how many events are stored", async () => {
    const source = await makeSource();
    const path = join(folder, "cut.ndjson.gz");
    const whole = gzipSync(Array.from({ length: 3_500 }, (_, n) => `{"m":"${n}"}`).join("\n"));
    await writeFile(path, whole.subarray(0, -8));
    for (let round = 0; round < 2; round++) {
      const { code, errors } = await importFile(path, source);
      expect([code, errors]).toEqual([1, expect.stringContaining(`${path} cannot be read to its end`)]);
      const stored = /The import stopped: (\d+) events are stored/.exec(errors)?.[1];
      expect(await countOf(source)).toBe(Number(stored));
    }
  });
});
