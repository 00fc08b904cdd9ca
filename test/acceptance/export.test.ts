import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventText } from "../../src/cli/exporting/event-text.ts";
import { type LogEvent, WideNumber } from "../../src/engines/contract/query-engine.ts";
import { runCommand } from "../support/run-command.ts";
import { sampleSize } from "../support/sample-size.ts";
import { makeLyingParquet, type PageClaims } from "../support/transfer/lying-parquet.ts";
import { oddEvents } from "../support/transfer/odd-events.ts";
import { manage } from "./manage.ts";
import { postEvents, privateToken, publicToken, type Service, startService } from "./service.ts";

let from: Service;
let to: Service;
let folder: string;
let made = 0;

beforeAll(async () => {
  [from, to] = await Promise.all([startService(), startService()]);
  folder = await mkdtemp(join(tmpdir(), "logweir-export-"));
});

afterAll(async () => {
  await Promise.all([from.stop(), to.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const logweir = (service: Service, args: readonly string[], token = privateToken) =>
  runCommand(args, { environment: { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: token } });

const everything = { from_us: String(-(2n ** 61n)), to_us: String(2n ** 61n) };

/** Every stored event of a source, as it is stored. */
async function storedIn(service: Service, source: string): Promise<readonly string[]> {
  const lines = (await (await service.get("/api/store/events", { source, ...everything })).text()).trim().split("\n");
  expect(JSON.parse(lines.pop() ?? "")).toEqual({ events: lines.length });
  return lines.sort();
}

async function makeSource(tenant?: string): Promise<string> {
  const name = `source_${++made}`;
  for (const service of [from, to]) {
    const document = { name, ...(tenant === undefined ? {} : { tenant }) };
    expect(await manage(service, "POST", "/api/sources", document)).toMatchObject({ status: 201 });
  }
  return name;
}

async function send(service: Service, source: string, events: readonly LogEvent[]): Promise<void> {
  const body = events.map((event) => `${eventText(event)}\n`).join("");
  const response = await postEvents(service.url, source, body, { "content-type": "application/x-ndjson" });
  expect([response.status, await response.text()]).toMatchObject([200, expect.stringContaining("accepted")]);
}

const startUs = BigInt(Date.UTC(2026, 7, 20)) * 1000n;
const dayUs = 86_400_000_000n;

const eventAt = (id: string, timestampUs: bigint, fields: LogEvent["fields"] = {}): LogEvent => {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: `message of ${id}`, fields };
};

interface Report {
  readonly rows: number;
  readonly files: readonly { path: string; tenant: string | null; rows: number; bytes: number }[];
  readonly days_kept: readonly string[];
  readonly days_changed: readonly string[];
}

async function exportTo(into: string, args: readonly string[]): Promise<Report> {
  const { code, output, errors } = await logweir(from, ["export", ...args, "--to", into, "--json"]);
  expect([code, errors]).toEqual([0, errors]);
  return JSON.parse(output) as Report;
}

/** The contents of all files below a folder, by their paths. */
async function readAllFiles(within: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(within, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = paths.map(async (path) => [path.slice(within.length), (await readFile(path)).toString("latin1")]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

async function ask(sql: string): Promise<readonly unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][];
}

describe("logweir export", () => {
  it("is imported elsewhere as the same events, once however often", async () => {
    await fc.assert(
      fc.asyncProperty(
        oddEvents,
        fc.constantFrom("parquet", "ndjson"),
        fc.constantFrom("project", undefined),
        async (events, format, tenant) => {
          const source = await makeSource(tenant);
          await send(from, source, events);
          const stored = await storedIn(from, source);
          expect(stored).toHaveLength(events.length);
          const into = join(folder, source);
          const report = await exportTo(into, [source, "--format", format]);
          expect(report.rows).toBe(events.length);
          for (let round = 0; round < 2; round++) {
            expect(await logweir(to, ["import", into])).toMatchObject({ code: 0 });
            expect(await storedIn(to, source)).toEqual(stored);
          }
          const sql = `SELECT * FROM ${source} ORDER BY id`;
          const answers = [from, to].map((service) => service.get("/api/query", { sql }).then((each) => each.text()));
          const [own, other] = await Promise.all(answers);
          expect(own).toContain('"result"');
          expect(other).toBe(own);
        },
      ),
      { numRuns: sampleSize(2, 50) },
    );
  }, 60_000);

  it("divides events by day and tenant, for readers of Hive's layout", async () => {
    const source = await makeSource("project");
    const tenants = ["abc", "ABC", "a/b=*'ä", "..", "Null", "__HIVE_DEFAULT_PARTITION__", "x".repeat(300)];
    const wide = { n: 2n ** 63n - 1n, x: 0.1, big: new WideNumber("1e400"), ok: true, source: "nginx", Day: 1 };
    await send(from, source, [
      ...tenants.map((project, index) => eventAt(project, startUs + BigInt(index), { project, ...wide })),
      eventAt("none", startUs - 1n, { metadata: { a: [1, { b: "ä" }] } }),
      eventAt("last", startUs + dayUs - 1n, { project: "abc", n: "a text" }),
      eventAt("next", startUs + dayUs, { project: "abc" }),
    ]);
    const into = join(folder, source);
    const { files } = await exportTo(into, [source]);
    const digest = /~[0-9a-f]{64}/;
    expect(
      files.map(({ path, rows }) => [path.replace(/^source=\w+\//, "").replace(digest, "~"), rows]).sort(),
    ).toEqual(
      [
        ["day=2026-08-19/tenant=__HIVE_DEFAULT_PARTITION__/events.parquet", 1],
        ["day=2026-08-20/tenant=%5F_HIVE_DEFAULT_PARTITION__/events.parquet", 1],
        ["day=2026-08-20/tenant=%4Eull/events.parquet", 1],
        ["day=2026-08-20/tenant=../events.parquet", 1],
        ["day=2026-08-20/tenant=ABC/events.parquet", 1],
        ["day=2026-08-20/tenant=a%2Fb%3D%2A%27%C3%A4/events.parquet", 1],
        ["day=2026-08-20/tenant=abc/events.parquet", 2],
        ["day=2026-08-20/tenant=~/events.parquet", 1],
        ["day=2026-08-21/tenant=abc/events.parquet", 1],
      ].sort(),
    );
    for (const { path, bytes } of files) expect((await stat(join(into, path))).size).toBe(bytes);
    const [first] = await ask(`SELECT count(*), count(project), count(n) FROM read_parquet('${into}/**/*.parquet')`);
    expect(first).toEqual(["10", "9", "8"]);
    const glob = `read_parquet('${into}/**/*.parquet', hive_partitioning = true, union_by_name = true)`;
    expect(
      await ask(`SELECT DISTINCT source, CAST(day AS VARCHAR), tenant, project FROM ${glob} ORDER BY ALL NULLS LAST`),
    ).toEqual(
      expect.arrayContaining([
        [source, "2026-08-19", null, null],
        [source, "2026-08-20", "a/b=*'ä", "a/b=*'ä"],
        [source, "2026-08-20", "abc", "abc"],
        [source, "2026-08-20", "Null", "Null"],
      ]),
    );
    const columns = "epoch_us(timestamp), event_message, n, x, big, ok, _source, _Day, metadata";
    expect(await ask(`SELECT ${columns} FROM ${glob} WHERE id IN ('abc', 'none', 'last') ORDER BY timestamp`)).toEqual([
      [String(startUs - 1n), "message of none", ...Array(6).fill(null), '{"a":[1,{"b":"ä"}]}'],
      [String(startUs), "message of abc", "9223372036854775807", 0.1, "1e400", true, "nginx", "1", null],
      [String(startUs + dayUs - 1n), "message of last", "a text", ...Array(6).fill(null)],
    ]);
  });

  it("takes a time, given as --until or as a second --to, and a tenant", async () => {
    const source = await makeSource("project");
    await send(from, source, [
      eventAt("a", startUs, { project: "abc" }),
      eventAt("b", startUs + 1n, { project: "other" }),
      eventAt("c", startUs + dayUs, { project: "abc" }),
    ]);
    const ids = async (name: string, args: readonly string[]) => {
      const into = join(folder, `${source}-${name}`);
      const { files } = await exportTo(into, [source, "--format", "ndjson", ...args]);
      const texts = await Promise.all(files.map(({ path }) => readFile(join(into, path), "utf8")));
      return texts.flatMap((text) => text.trim().split("\n")).map((line) => (JSON.parse(line) as { id: string }).id);
    };
    expect(await ids("1", ["--from", "2026-08-20T00:00:00.000001Z", "--until", "2026-08-21"])).toEqual(["b"]);
    expect(await ids("2", ["--to", "2026-08-21"])).toEqual(["a", "b"]);
    expect(await ids("3", ["--tenant", "abc"])).toEqual(["a", "c"]);
    expect(await ids("4", ["--tenant", "none"])).toEqual([]);
    await send(from, source, [eventAt("d", startUs, { project: "abc", own: 1 }), eventAt("e", startUs, { theirs: 2 })]);
    const own = join(folder, `${source}-own`);
    await exportTo(own, [source, "--tenant", "abc", "--until", "2026-08-21"]);
    const columns = await ask(`DESCRIBE SELECT * FROM read_parquet('${own}/**/*.parquet')`);
    expect(columns.map(([name]) => name)).toEqual([
      ...["id", "timestamp", "event_message", "own", "project", "event_json", "day", "source", "tenant"],
    ]);
  });

  it("goes on where it ended, and leaves days that are there as they are", async () => {
    const source = await makeSource();
    await send(from, source, [eventAt("a", startUs), eventAt("b", startUs + dayUs)]);
    const into = join(folder, source);
    const [first] = (await exportTo(into, [source, "--until", "2026-08-21"])).files;
    await mkdir(join(into, `source=${source}`, ".day=2026-08-21.writing"));
    await appendFile(join(into, `source=${source}`, "_export.manifest"), '{"day":"2026-08-21","sl');
    const second = await exportTo(into, [source]);
    expect([second.days_kept, second.days_changed]).toEqual([["2026-08-20"], []]);
    expect(second.files.map(({ path }) => path)).toEqual([expect.stringContaining("day=2026-08-21/")]);
    expect((await readdir(join(into, `source=${source}`))).sort()).toEqual([
      "_export.manifest",
      "day=2026-08-20",
      "day=2026-08-21",
    ]);
    await send(from, source, [eventAt("c", startUs)]);
    const third = await exportTo(into, [source]);
    expect([third.files, third.days_changed]).toEqual([[], ["2026-08-20"]]);
    await rm(join(into, `source=${source}`, "day=2026-08-20"), { recursive: true });
    expect((await exportTo(into, [source])).files).toMatchObject([{ path: first?.path, rows: 2 }]);
  });

  it("writes the same for a tenant, byte for byte, whatever events others have", async () => {
    const source = await makeSource("project");
    const own = [eventAt("a", startUs, { project: "abc", own: 1 }), eventAt("b", startUs + 1n, { project: "abc" })];
    const others = [eventAt("a", startUs, { project: "p" }), eventAt("c", startUs + dayUs, { theirs: "p" })];
    await send(from, source, own);
    await send(to, source, [...others, ...own]);
    for (const format of ["ndjson", "parquet"]) {
      const exports = [from, to].map(async (service, index) => {
        const into = join(folder, `same-${format}-${index}`);
        const args = ["export", source, "--format", format, "--tenant", "abc", "--to", into, "--json"];
        const { output, errors } = await logweir(service, args);
        return [output.replaceAll(into, ""), errors, await readAllFiles(into)];
      });
      const [alone, shared] = await Promise.all(exports);
      expect(shared).toEqual(alone);
    }
  });

  it("reads a day again that had no events of the tenant", async () => {
    const source = await makeSource("project");
    await send(from, source, [eventAt("a", startUs, { project: "other" })]);
    const into = join(folder, source);
    const exportAgain = async () => {
      const { files, days_changed } = await exportTo(into, [source, "--tenant", "abc"]);
      return [files.map(({ rows }) => rows), days_changed];
    };
    expect(await exportAgain()).toEqual([[], []]);
    await send(from, source, [eventAt("b", startUs, { project: "abc" })]);
    expect(await exportAgain()).toEqual([[1], []]);
    expect(await logweir(to, ["import", into])).toMatchObject({ code: 0 });
    expect(await storedIn(to, source)).toHaveLength(1);
  });

  it("writes for its user alone", async () => {
    const source = await makeSource();
    await send(from, source, [eventAt("a", startUs)]);
    const into = join(folder, source);
    const { files } = await exportTo(into, [source]);
    const path = join(into, files[0]?.path ?? "");
    for (const place of [into, join(into, `source=${source}`), join(path, ".."), path]) {
      expect((await stat(place)).mode & 0o077).toBe(0);
    }
    expect((await stat(join(into, `source=${source}`, "_export.manifest"))).mode & 0o077).toBe(0);
  });

  it("refuses folders of something else", async () => {
    const source = await makeSource("project");
    await send(from, source, [eventAt("a", startUs, { project: "p" })]);
    const into = join(folder, source);
    await exportTo(into, [source]);
    const refused = async (args: readonly string[]) => {
      const { code, errors } = await logweir(from, ["export", source, ...args]);
      expect(code).not.toBe(0);
      return errors;
    };
    expect(await refused(["--to", into, "--format", "ndjson"])).toContain("an export of another kind");
    expect(await refused(["--to", into, "--tenant", "p"])).toContain("an export of another kind");
    await writeFile(join(into, "notes.txt"), "");
    expect(await refused(["--to", into])).toContain("holds notes.txt, which no export wrote");
    const other = join(folder, `${source}-other`);
    await cp(join(into, `source=${source}`, "day=2026-08-20"), join(other, `source=${source}`, "day=2026-08-20"), {
      recursive: true,
    });
    expect(await refused(["--to", other])).toContain("holds files that no export wrote");
  });

  it.each([
    [["--format", "csv", "--to", "x"], "--format cannot be"],
    [["--to", "x", "--from", "yesterday"], "--from cannot be"],
    [["--to", "x", "--from", "2026-08-21", "--until", "2026-08-20"], "must be before"],
    [["--to", "x", "--to", "y"], "--to names one folder"],
    [["--to", "x", "--to", "2026-08-20", "--until", "2026-08-21"], "--to names one folder"],
    [[], "--to"],
  ])("refuses the options %j", async (args, message) => {
    const { code, errors } = await logweir(from, ["export", "edge", ...args]);
    expect([code, errors]).toEqual([64, expect.stringContaining(message)]);
  });

  it("is for owners, whose answers are not redacted, and for sources that there are", async () => {
    const into = join(folder, "refused");
    const makeToken = async (more: object) =>
      (await manage(from, "POST", "/api/access-tokens", { description: "t", ...more })).body.token as string;
    const pinned = await makeToken({ scopes: ["query"], pins: { project: "p" } });
    const redacted = await makeToken({ scopes: ["private"], redaction: "required" });
    for (const [token, message] of [
      [publicToken, "scope private"],
      [pinned, "private"],
      [redacted, "must see redacted data"],
    ] as const) {
      const { code, errors } = await logweir(from, ["export", "edge", "--to", into], token);
      expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
    }
    expect((await logweir(from, ["export", "nowhere", "--to", into])).errors).toContain("There is no source nowhere");
    expect((await logweir(from, ["export", "vercel", "--tenant", "x", "--to", into])).errors).toBeTruthy();
    await expect(stat(into)).rejects.toThrow();
  });
});

describe("the import of an export", () => {
  const prepare = async (format: string) => {
    const source = await makeSource("project");
    await send(
      from,
      source,
      Array.from({ length: 200 }, (_, n) => eventAt(`${n}`, startUs + BigInt(n), { project: `p${n % 2}`, n })),
    );
    const into = join(folder, source);
    const { files } = await exportTo(into, [source, "--format", format]);
    const paths = files.map(({ path }) => join(into, path));
    return { source, into, path: paths[1] ?? "" };
  };

  it.each(["parquet", "ndjson"])("sends nothing of one with a damaged or missing file (%s)", async (format) => {
    const { source, into, path } = await prepare(format);
    const whole = await readFile(path);
    const refused = async (message: string, what = into) => {
      const { code, errors } = await logweir(to, ["import", what]);
      expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
      expect(errors).toContain(path);
      expect(await storedIn(to, source)).toEqual([]);
    };
    const changed = Buffer.from(whole);
    const at = whole.indexOf("message of");
    changed[at] = 0x4d;
    await writeFile(path, changed);
    await refused("is damaged or was changed");
    await refused("is damaged or was changed", path);
    await writeFile(path, whole);
    await truncate(path, whole.length - 5);
    await refused("is damaged or was changed");
    await rm(path);
    await refused("is missing");
    await writeFile(path, whole);
    expect(await logweir(to, ["import", into])).toMatchObject({ code: 0 });
    expect(await storedIn(to, source)).toHaveLength(200);
  });

  it.each(["parquet", "ndjson"])(
    "sends nothing of one whose list is incomplete, or of another (%s)",
    async (format) => {
      const { source, into, path } = await prepare(format);
      const list = join(into, `source=${source}`, "_export.manifest");
      const refused = async (message: string, what = into) => {
        const { code, errors } = await logweir(to, ["import", what]);
        expect([code, errors]).toEqual([expect.any(Number), expect.stringContaining(message)]);
        expect(code).not.toBe(0);
        expect(await storedIn(to, source)).toEqual([]);
      };
      const extra = join(path, "..", "extra.ndjson");
      await writeFile(extra, '{"id":"extra"}\n');
      await refused(`${extra} is not in the list of the export`);
      await refused(`${extra} is not in the list of the export`, extra);
      await rm(extra);
      const whole = await readFile(list, "utf8");
      await writeFile(list, whole.slice(0, -20));
      await refused("is not in the list of the export");
      await writeFile(list, whole.replace('"2026-08-20"', '"../2026-08-20"'));
      await refused("a line of it is not of a day");
      await writeFile(list, whole.replace(`"${source}"`, '"another"'));
      await refused('holds an export of "another"');
      expect(await logweir(to, ["import", into, "--source", source])).toMatchObject({ code: 0 });
      expect(await storedIn(to, source)).toHaveLength(200);
    },
  );

  it("names a list of files with a line of another form", async () => {
    const { source, into } = await prepare("ndjson");
    const list = join(into, `source=${source}`, "_export.manifest");
    const whole = await readFile(list, "utf8");
    for (const line of [
      '{"day":"2026-08-20"}',
      '{"day":"2026-08-20","files":"a"}',
      '{"day":"2026-08-20","files":[null]}',
      '{"day":"2026-08-20","files":[{"path":5}]}',
      "[1]",
    ]) {
      await writeFile(list, `${whole}${line}\n`);
      for (const args of [
        ["import", into],
        ["export", source, "--to", into, "--format", "ndjson"],
      ]) {
        const { code, errors } = await logweir(from, args);
        expect([line, code, errors]).toEqual([line, 1, expect.stringContaining(`${list} was changed`)]);
      }
    }
  });

  it("names a link, whose events it would leave out", async () => {
    const { into, path } = await prepare("ndjson");
    for (const target of [path, folder]) {
      const other = await mkdtemp(join(folder, "links-"));
      await symlink(target, join(other, "link.ndjson"));
      expect(await logweir(to, ["import", into, other, "--source", "edge"])).toMatchObject({
        ...{ code: 1, errors: expect.stringContaining("link.ndjson is a link, which is not followed") },
      });
    }
  });

  it("names a Parquet file that cannot be read, wherever it is", async () => {
    const { path } = await prepare("parquet");
    const whole = await readFile(path);
    const lone = join(folder, "lone.parquet");
    const changed = Buffer.from(whole);
    changed[whole.indexOf('"timestamp":"2026') + 13] = 0x31;
    const cut = [Buffer.alloc(0), Buffer.from("PAR1"), whole.subarray(0, 500), whole.subarray(300)];
    for (const bytes of [...cut, changed]) {
      await writeFile(lone, bytes);
      const { code, errors } = await logweir(to, ["import", lone, "--source", "edge"]);
      expect([code, errors]).toEqual([1, expect.stringMatching(/lone\.parquet is damaged/)]);
    }
    await writeFile(lone, whole);
    expect(await logweir(to, ["import", lone])).toMatchObject({
      code: 64,
      errors: expect.stringContaining("--source is needed"),
    });
    expect(await logweir(to, ["import", lone, "--source", "db"])).toMatchObject({ code: 0 });
    expect(await storedIn(to, "db")).toHaveLength(100);
    // A selection that another tool made.
    await ask(`COPY (SELECT * FROM read_parquet('${lone}') WHERE n < 10) TO '${lone}.some' (FORMAT parquet)`);
    expect(await logweir(to, ["import", `${lone}.some`, "--source", "auth"])).toMatchObject({ code: 0 });
    const [stored] = await storedIn(to, "auth");
    expect([stored, (await storedIn(to, "db")).includes(stored ?? "")]).toEqual([expect.any(String), true]);
  });

  it.each<PageClaims & { readonly code: number }>([
    // It is known from elsewhere that there is one row.
    { values: 2 ** 30, code: 0 },
    { values: 2 ** 30, kind: "data of version 2", code: 0 },
    { values: 2 ** 30, kind: "dictionary", code: 1 },
    { values: 1, bytes: 2 ** 30, code: 1 },
  ])("takes no memory for what a page of Parquet claims of itself: %o", async ({ code, ...claims }) => {
    const path = join(folder, "lying.parquet");
    await writeFile(path, makeLyingParquet("any", claims));
    expect(await logweir(to, ["import", path, "--source", "edge"])).toMatchObject({ code });
    await writeFile(path, makeLyingParquet("event_json", claims));
    expect(await logweir(to, ["import", path, "--source", "edge"])).toMatchObject({
      ...{
        code: 1,
        errors: expect.stringMatching(/lying\.parquet (?:is damaged|cannot be read: its row groups need)/),
      },
    });
  });

  it("takes Parquet of others, with a field for each column", async () => {
    const source = await makeSource();
    const path = join(folder, "foreign.parquet");
    const select =
      "'a' AS id, TIMESTAMP '2026-08-20 09:00:00.000001' AS timestamp, 'hello' AS message, 9007199254740993 AS n, " +
      "DATE '2026-08-20' AS d, [1, 2] AS list, {'a': {'b': 'x'}, 'c': NULL} AS s, 1.5::DOUBLE AS f, true AS ok, NULL::INT AS z";
    const write = (codec: string) => ask(`COPY (SELECT ${select}) TO '${path}' (FORMAT parquet, CODEC '${codec}')`);
    for (const codec of ["SNAPPY", "GZIP", "BROTLI", "LZ4_RAW", "ZSTD"]) {
      await write(codec);
      expect(await logweir(to, ["import", path, "--source", source])).toMatchObject({ code: 0 });
    }
    expect(await storedIn(to, source)).toEqual([
      `{"id":"a","timestamp_us":"${startUs + 32_400_000_001n}","event_message":"hello","fields":{"d":"2026-08-20",` +
        '"f":1.5,"list":[1,2],"n":9007199254740993,"ok":true,"s":{"a":{"b":"x"}}}}',
    ]);
  });
});
