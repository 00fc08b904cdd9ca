import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { tryAll } from "./attempt.ts";
import { fillTwoProjects, type SecurityService, startSecurityService } from "./security-service.ts";
import { answeredAttempts } from "./tables/answered.ts";
import { deniedAttempts } from "./tables/denied.ts";
import { refusedAttempts } from "./tables/refused.ts";
import { takeApart } from "./take-apart.ts";

let folder: string;
let service: SecurityService;
const inner: string[] = [];

/** `logs.all` with each of its tables moved to another endpoint, which it reads. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-composed-"));
  const text = await readFile("endpoints/logs.all.sql", "utf8");
  const [, parameters = ""] = /^(parameters:\n(?: .*\n)+)/m.exec(text) ?? [];
  const { text: composed, parts } = takeApart(text.replace(parameters, ""));
  for (const [name, query] of parts) {
    inner.push(name);
    const id = `00000000-0000-4000-8000-${String(inner.length).padStart(12, "0")}`;
    await writeFile(join(folder, `${name}.sql`), `/*---\nid: ${id}\n${parameters}---*/\n${query}\n`);
  }
  await writeFile(join(folder, "logs.all.sql"), composed);
  service = await startSecurityService({ queryTimeoutMs: 20_000, endpointsDir: folder });
  await fillTwoProjects(service);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

it("takeApart moves all 15 tables of logs.all into endpoints of their own", () => {
  expect(inner).toHaveLength(15);
});

it("the sandbox denies consumers the endpoints below, in any position", async () => {
  const attempts = inner.flatMap((table) =>
    [
      `SELECT * FROM \`${table}\``,
      `SELECT * FROM ${table}`,
      `SELECT * FROM \`${table.toUpperCase()}\``,
      `SELECT * FROM \`${table}@1\``,
      `SELECT id FROM edge_logs WHERE id IN (SELECT id FROM \`${table}\`)`,
      `SELECT (SELECT MAX(id) FROM \`${table}\`) FROM edge_logs`,
      `WITH x AS (SELECT * FROM \`${table}\`) SELECT * FROM x`,
      `WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT 2 FROM \`${table}\`, x) SELECT * FROM x`,
      `SELECT e.id FROM edge_logs e JOIN \`${table}\` i USING (id)`,
      `FROM \`${table}\` |> SELECT id`,
      `FROM edge_logs |> UNION ALL (SELECT * FROM \`${table}\`)`,
    ].map((sql) => ({ name: sql, sql, table })),
  );
  const failures = await tryAll(service, sampleOf(attempts, 0.03), ({ sql, table }, { status, code, message }) => {
    const isNamed = message.toLowerCase().includes(table) || sql.includes("@1");
    return status === 403 && code === "sandbox_table_denied" && isNamed ? undefined : "not denied";
  });
  expect(failures).toEqual([]);
});

it("the sandbox refuses every other attempt as it does without endpoints below", async () => {
  const denied = await tryAll(service, sampleOf(deniedAttempts, 0.03), (_attempt, { status, code }) =>
    status === 403 && code === "sandbox_table_denied" ? undefined : "not denied",
  );
  const refused = await tryAll(service, sampleOf(refusedAttempts, 0.03), ({ code }, answer) =>
    answer.code === code ? undefined : `not ${code}`,
  );
  expect([...denied, ...refused]).toEqual([]);
});

it("the sandbox answers allowed queries with the project's own rows only", async () => {
  const failures = await tryAll(service, sampleOf(answeredAttempts, 0.12), ({ cells }, { status, rows }) => {
    const found = rows.map((row) => Object.values(row));
    return status === 200 && JSON.stringify(found) === JSON.stringify(cells) ? undefined : "another answer";
  });
  expect(failures).toEqual([]);
});
