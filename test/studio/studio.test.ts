import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parametersOf } from "./arguments.ts";
import { askAll } from "./ask-all.ts";
import { type Collected, collectQueries } from "./collect-queries.ts";
import { findRelease } from "./find-release.ts";
import { printMatrix } from "./print-matrix.ts";

/** Builders of our own, in the forms that Studio's have. */
const files: Record<string, string> = {
  "components/interfaces/Settings/Logs/Logs.constants.ts": `
    import { Icon } from "icons";
    export enum LogsTableName { EDGE = "edge_logs", AUTH = "auth_logs" }
    export const icons = { [LogsTableName.EDGE]: Icon.of("edge") };
    export const SQL_FILTER_TEMPLATES = {
      edge_logs: { "method.get": "request.method = 'GET'", search_query: (value: string) => \`event_message like '\${value}'\` },
      auth_logs: {},
    };
    export const TEMPLATES = [{ label: "a", searchString: "select count(*) as n from edge_logs cross join unnest(metadata) as m" }];`,
  "components/interfaces/Settings/Logs/Logs.utils.ts": `
    import { IS_PLATFORM } from "common";
    import { useEffect } from "react";
    import { LogsTableName, SQL_FILTER_TEMPLATES } from "./Logs.constants";
    import { Chart } from "../../Chart";
    import { whereOf } from "@/lib/where";
    export const genQuery = (table: LogsTableName, filters: object, limit = 10) =>
      \`select id from \${table} cross join unnest(metadata) as m\${table === "edge_logs" ? " cross join unnest(m.request) as request" : ""} \${whereOf(SQL_FILTER_TEMPLATES[table], filters)} limit \${limit}\`;
    export const genHostedQuery = (limit = IS_PLATFORM ? 7 : 8) => "select id from edge_logs limit " + limit;
    export const genMarkedQuery = () => \`select '\${Chart.title}' from edge_logs\`;
    export const genLostQuery = (colour: string) => (colour ? "select id from edge_logs" : undefined);
    export const genFailingQuery = () => { throw new Error("no such thing"); };
    export const genWrongQuery = () => "select nothing_of_this_name from edge_logs";
    export const useRows = () => useEffect(() => "select id from edge_logs");
    export const formatRows = (rows: object[]) => rows.length;`,
  "data/logs/keys.ts": `
    import { get } from "data/fetchers";
    const sql = "select arrayJoin(mapKeys(log_attributes)) as key from logs where source = 'edge_logs' group by key";
    export async function fetchKeys({ projectRef, useOtel }: { projectRef: string; useOtel?: boolean }) {
      await get("/platform/endpoints/logs.all" + (useOtel ? ".otel" : ""), { params: { query: { project: projectRef, sql } } });
    }`,
  "data/logs/broken.ts": `import { missing } from "./missing"; throw new Error("at once"); export const sql = "select 1 from logs";`,
  "components/Page.tsx": `export const Page = () => <a>{"select id from edge_logs"}</a>;`,
  "components/Chart.tsx": `export const Chart = 1;`,
  "components/Page.test.tsx": `export const sql = "select id from edge_logs";`,
  "lib/where.ts": `
    export const whereOf = (templates: any, filters: any) => Object.entries(filters).map(([key, value]: any) =>
      "where " + (typeof value === "object" ? templates[key + "." + Object.keys(value)[0]] : templates[key](value))).join("");`,
};

let folder: string;
let collected: Collected;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-made-up-"));
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, "apps/studio", file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  collected = await collectQueries(findRelease(folder), join(folder, "modules"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the check of Studio's builders", () => {
  it("finds the files that have SQL over logs, but no tests", () => {
    expect(findRelease(`9.9=${folder}`)).toMatchObject({
      name: "9.9",
      builders: [
        "components/Page.tsx",
        "components/interfaces/Settings/Logs/Logs.constants.ts",
        "components/interfaces/Settings/Logs/Logs.utils.ts",
        "data/logs/broken.ts",
        "data/logs/keys.ts",
      ],
    });
    expect(() => findRelease(join(folder, "apps/studio/components/interfaces"))).toThrow(/no Studio/);
  });

  it("calls them with each table, filter and product, and takes what they send", () => {
    const texts = collected.queries.map(({ endpoint, sql }) => `${endpoint}: ${sql}`);
    const edge =
      "logs.all: select id from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as request";
    expect(texts).toEqual(
      expect.arrayContaining([
        `${edge}  limit 10`,
        `${edge} where request.method = 'GET' limit 10`,
        `${edge} where event_message like 'default' limit 10`,
        "logs.all: select id from auth_logs cross join unnest(metadata) as m  limit 10",
        "logs.all: select id from edge_logs limit 7",
        "logs.all: select id from edge_logs limit 8",
        "logs.all: select count(*) as n from edge_logs cross join unnest(metadata) as m",
        expect.stringMatching(/^logs\.all\.otel: select arrayJoin/),
      ]),
    );
    expect(texts.filter((text) => text.includes("arrayJoin")).length).toBe(2);
  });

  it("says what gave no query, and why", () => {
    const utils = "components/interfaces/Settings/Logs/Logs.utils.ts";
    expect(Object.fromEntries(collected.notCalled)).toEqual({
      "components/Page.tsx Page": "a component or a hook of React",
      [`${utils} useRows`]: "a component or a hook of React",
      [`${utils} genMarkedQuery, in part`]: "needs the replaced import ../../Chart ' from edge_logs",
      [`${utils} genLostQuery`]: "gave no query; parameters not known: colour",
      [`${utils} genFailingQuery`]: "no such thing",
      "data/logs/broken.ts": "does not load: at once",
    });
  });

  it("asks a service for each, and prints what it refuses with the builder's name", async () => {
    const refused = await askAll(collected.queries);
    expect(refused.map(({ builder, error }) => [builder.split(" ")[1], error.split(":")[0]])).toEqual([
      ["genWrongQuery", "unknown_column"],
      ["fetchKeys", "unknown_function"],
    ]);
    const printed = printMatrix([{ release: findRelease(`9.9=${folder}`), collected, refused }]);
    const { called, notCalled, queries } = collected;
    const counts = [5, called.length, notCalled.length, queries.length - 1, 1, queries.length - 2, 2];
    expect(printed).toContain(`| 9.9 | ${counts.join(" | ")} |`);
    expect(printed).toMatch(
      /refused 1: unknown_column: .*\n {2}components\/interfaces\/Settings\/Logs\/Logs.utils.ts genWrong/,
    );
    expect(printed).toContain("data/logs/broken.ts: does not load: at once");
  });

  it.each([
    ["(table, filters, limit = [1, 2]) => 1", ["table", "filters", "limit"]],
    ["async ({ id, limit = of(1, 2), a: b }, signal) => 1", [["id", "limit", "a"], "signal"]],
    ["function build() { return (a) => a; }", []],
  ])("reads the parameters of %s", (text, parameters) => {
    expect(parametersOf(text)).toEqual(parameters);
  });
});
