import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startS3Server } from "../support/backups/s3-server.ts";
import { runCommand } from "../support/run-command.ts";
import { create, manage } from "./manage.ts";
import { privateToken, publicToken, type Service, startService, stoppedMs } from "./service.ts";

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "logweir-operations-"));
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const logweir = (args: readonly string[], env: Record<string, string> = {}, input = "") =>
  runCommand(args, { environment: { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken, ...env }, input });

const at = new Date(stoppedMs).toISOString();
const makeLines = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `${prefix}${n}`, timestamp: at, project: prefix, metadata: { n, text: "x".repeat(50) } }),
  );

describe("import", () => {
  it("stores NDJSON, gzip and standard input, each event once", async () => {
    await writeFile(join(folder, "plain.ndjson"), makeLines("plain", 2_500).join("\n"));
    await writeFile(join(folder, "zipped.ndjson.gz"), gzipSync(`${makeLines("zipped", 1_500).join("\n")}\n`));
    const files = ["plain.ndjson", "zipped.ndjson.gz"].map((file) => join(folder, file));
    for (let round = 1; round <= 2; round++) {
      expect(await logweir(["import", ...files, "--source", "edge", "--json"])).toMatchObject({
        code: 0,
        output: expect.stringContaining('"accepted": 4000'),
        errors: expect.stringMatching(/100%\s+4,000 events, [\d,]+ events\/s/),
      });
    }
    await logweir(["import", "-", "--source", "edge"], {}, makeLines("piped", 3).join("\n"));
    const state = (await (await service.get("/api/store")).json()) as { rows: number };
    expect(state.rows).toBe(4_003);
  });

  it("lists rejected lines by number, stores the others and fails", async () => {
    const path = join(folder, "bad.ndjson");
    const [first, second] = makeLines("bad", 2);
    await writeFile(path, `${first}\n\nno json\n${second}\n[1]\n`);
    const { code, output, errors } = await logweir(["import", path, "--source", "db"]);
    expect([code, output]).toEqual([1, "2 events stored in db, 2 lines rejected.\n"]);
    expect(errors).toMatch(/bad\.ndjson:3: .+\n.*bad\.ndjson:5: /);
  });

  it("reports a missing file, source or service before it sends anything", async () => {
    expect((await logweir(["import", "no-such-file", "--source", "edge"])).errors).toContain("There is no file");
    const path = join(folder, "plain.ndjson");
    expect((await logweir(["import", path, "--source", "nowhere"])).errors).toContain("There is no source nowhere");
    const away = { LOGWEIR_URL: "http://127.0.0.1:1" };
    expect((await logweir(["import", path, "--source", "edge"], away)).errors).toContain("No service answers");
  });
});

describe("doctor", () => {
  it("reports the state of a running service to its owner only", async () => {
    const { code, output } = await logweir(["doctor"]);
    expect(code).toBe(0);
    expect(output).toMatch(/^edge +4,003 +\d{4}-.* for good$/m);
    expect(output).toContain("No problems.");
    expect(JSON.parse((await logweir(["doctor", "--json"])).output)).toMatchObject({ engine: "duckdb", problems: [] });
    expect((await service.get("/api/store", {}, { "x-api-key": publicToken })).status).toBe(401);
  });

  it("reports that there is no store", async () => {
    const env = { LOGWEIR_URL: "http://127.0.0.1:1", LOGWEIR_DATA_DIR: join(folder, "nothing") };
    expect(await logweir(["doctor"], env)).toMatchObject({ code: 1, errors: expect.stringContaining("no store in") });
  });
});

describe("backup and restore", () => {
  it("copy a service while it ingests, and restore its events and endpoints with their versions", async () => {
    await create(service, { name: "saved", query: "SELECT 1 AS n" });
    await manage(service, "PATCH", "/api/endpoints/saved", { query: "SELECT 2 AS n" });
    let isDone = false;
    const acknowledged: number[] = [];
    const ingesting = (async () => {
      for (let n = 0; !isDone; n++) {
        await service.ingest("rest", [{ id: `r${n}`, timestamp: at, [`field_${n % 50}`]: n }]);
        acknowledged.push(n);
      }
    })();
    const copy = join(folder, "copy");
    const made = await logweir(["backup", copy, "--json"]);
    isDone = true;
    await ingesting;
    expect(made.code).toBe(0);
    const manifest = JSON.parse(made.output) as Made;
    const rows = Object.fromEntries(manifest.sources.map((source) => [source.name, source.rows]));
    expect(rows).toMatchObject({ edge: 4_003, db: 2 });
    expect(rows.rest).toBeLessThanOrEqual(acknowledged.length);

    const dataDir = join(folder, "restored");
    const env = { LOGWEIR_DATA_DIR: dataDir };
    expect(await logweir(["restore", copy], env)).toMatchObject({
      code: 0,
      output: expect.stringContaining("verified"),
    });
    expect(await logweir(["restore", copy], env)).toMatchObject({
      code: 1,
      errors: expect.stringContaining("not empty"),
    });
    const offline = { ...env, LOGWEIR_URL: "http://127.0.0.1:1" };
    expect((await logweir(["doctor"], offline)).output).toMatch(/^edge +4,003 /m);
    const second = await startService({ dataDir });
    expect(await second.rows("logs.all", { project: "piped" })).toHaveLength(3);
    expect(await second.rows("saved", {})).toEqual([{ n: 2 }]);
    expect(await second.rows("saved@1", {})).toEqual([{ n: 1 }]);
    await second.stop();
  });

  it("of several restores to one folder at once, one fills it with a whole backup", async () => {
    const env = { LOGWEIR_DATA_DIR: join(folder, "contested") };
    const restores = await Promise.all([1, 2, 3].map(() => logweir(["restore", join(folder, "copy")], env)));
    expect(restores.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    const errors = restores.map((each) => each.errors).join("\n");
    expect(errors).toContain("was filled by another process meanwhile");
    expect((await readdir(join(folder, "contested"), { recursive: true })).sort()).toEqual([
      "metadata.db",
      "store",
      "store/events.duckdb",
    ]);
    expect((await readdir(folder)).filter((name) => name.includes("restoring"))).toEqual([]);
  });

  it("leave nothing of a restore that was killed once another begins", async () => {
    const env = { LOGWEIR_DATA_DIR: join(folder, "again") };
    await mkdir(join(folder, `again.restoring-${2 ** 22 + 1}-abc`, "store"), { recursive: true });
    await mkdir(join(folder, `again.restoring-${process.ppid}-abc`));
    await mkdir(join(folder, "again.restoring-mine"));
    expect((await logweir(["restore", join(folder, "copy")], env)).code).toBe(0);
    expect((await readdir(folder)).filter((name) => name.includes("restoring")).sort()).toEqual([
      `again.restoring-${process.ppid}-abc`,
      "again.restoring-mine",
    ]);
  });

  it("add to a folder what is new, and restore each of its backups", async () => {
    const copy = join(folder, "copy");
    const countOf = async (id: string) => {
      const dataDir = join(folder, `restored-${id}`);
      const { code, errors } = await logweir(["restore", copy, "--at", id], { LOGWEIR_DATA_DIR: dataDir });
      expect([code, errors]).toEqual([0, expect.stringContaining("100%")]);
      const offline = { LOGWEIR_DATA_DIR: dataDir, LOGWEIR_URL: "http://127.0.0.1:1" };
      return /^db +(\d+) /m.exec((await logweir(["doctor"], offline)).output)?.[1];
    };
    const [first = ""] = (await list(copy)).map(({ id }) => id);
    await service.ingest("db", [{ id: "late", timestamp: at }]);
    const made = JSON.parse((await logweir(["backup", copy, "--json"])).output) as Made;
    expect(made.bytes).toBeGreaterThan(1_000_000);
    expect(made.new_bytes).toBeLessThan(made.bytes);
    expect((await list(copy)).map(({ id }) => id)).toEqual([first, made.id]);
    expect([await countOf(first), await countOf(made.id)]).toEqual(["2", "3"]);
    expect((await logweir(["backup", "list", copy])).output).toMatch(/^ID +EVENTS +SIZE\n\S+Z +[\d,]+ +[\d.]+ MB\n/);
    expect(await logweir(["backup", "verify", copy])).toMatchObject({
      code: 0,
      output: `${first}  whole\n${made.id}  whole\n`,
    });
    expect(
      (await logweir(["restore", copy, "--at", "yesterday"], { LOGWEIR_DATA_DIR: join(folder, "no") })).errors,
    ).toBe(`${copy} holds no backup yesterday. The newest are ${first}, ${made.id}\n`);
    for (const keep of ["0", "-1", "all", "1.5", ""]) {
      expect((await logweir(["backup", "prune", copy, `--keep=${keep}`])).errors).toContain("1 or more");
    }
    expect(await logweir(["backup", "prune", copy, "--keep", "1"])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^1 backup was removed, with \d+ files; 1 backup was kept\.$/m) as string,
    });
    expect((await list(copy)).map(({ id }) => id)).toEqual([made.id]);
    expect((await logweir(["backup", "verify", copy])).code).toBe(0);
  });

  it("name what is damaged, and restore nothing of it", async () => {
    const copy = join(folder, "copy");
    const [{ id } = { id: "" }] = await list(copy);
    const chunks = (await readdir(join(copy, "chunks"), { recursive: true })).filter((name) => name.includes("/"));
    const [flipped = "", missing = ""] = chunks;
    await appendFile(join(copy, "chunks", flipped), "x");
    await rm(join(copy, "chunks", missing));
    const { code, output, errors } = await logweir(["backup", "verify", copy]);
    expect([code, output]).toEqual([1, `${id}  cannot be restored\n`]);
    expect(errors).toContain(`chunks/${flipped} is damaged: it is not what was written, which ${id} needs\n`);
    expect(errors).toContain(`chunks/${missing} is missing, which ${id} needs\n`);
    const dataDir = join(folder, "never");
    const restored = await logweir(["restore", copy], { LOGWEIR_DATA_DIR: dataDir });
    expect([restored.code, restored.errors]).toEqual([1, expect.stringContaining("Nothing was restored")]);
    expect(existsSync(dataDir)).toBe(false);
    expect((await logweir(["backup", copy])).code).toBe(0);
    // The earlier one stays damaged where the store has changed since.
    expect((await logweir(["backup", "verify", copy])).output).toMatch(/whole\n$/);
    expect((await logweir(["restore", copy], { LOGWEIR_DATA_DIR: dataDir })).code).toBe(0);
  });

  it("work with an S3-compatible store as with a folder", async () => {
    const store = await startS3Server();
    const env = {
      ...{ AWS_ENDPOINT_URL_S3: store.access.endpoint, AWS_REGION: "eu-1" },
      ...{ AWS_ACCESS_KEY_ID: "key-1", AWS_SECRET_ACCESS_KEY: "secret" },
    };
    const place = "s3://bucket/backups";
    for (const _ of ["first", "second"]) expect((await logweir(["backup", place], env)).code).toBe(0);
    expect(await logweir(["backup", "prune", place, "--keep", "1"], env)).toMatchObject({ code: 0 });
    const dataDir = join(folder, "from-bucket");
    const restored = await logweir(["restore", place], { ...env, LOGWEIR_DATA_DIR: dataDir });
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining("verified")]);
    expect((await logweir(["backup", "verify", place], { ...env, AWS_ACCESS_KEY_ID: "key-2" })).errors).toContain(
      "s3://bucket/backups cannot be used: AccessDenied",
    );
    store.close();
  });

  it("refuse a folder that holds something else, and one in a data folder", async () => {
    expect((await logweir(["backup", folder])).errors).toContain("is not empty");
    expect((await logweir(["backup", join(service.dataDir, "backups")])).errors).toContain("is in the data folder");
    expect((await logweir(["backup", "list", join(folder, "nowhere")])).errors).toContain("holds no backups");
    expect((await logweir(["backup", "verify", join(folder, "nowhere")])).errors).toContain("holds no backups");
    const env = { LOGWEIR_DATA_DIR: join(folder, "no") };
    expect((await logweir(["restore", folder], env)).errors).toContain("holds no complete backup");
  });

  interface Made {
    readonly id: string;
    readonly bytes: number;
    readonly new_bytes: number;
    readonly sources: readonly { readonly name: string; readonly rows: number }[];
  }

  const list = async (place: string) =>
    JSON.parse((await logweir(["backup", "list", place, "--json"])).output) as { readonly id: string }[];
});
