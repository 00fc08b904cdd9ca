import { describe, expect } from "vitest";
import { codeOf, create, manage } from "./manage.ts";
import { privateToken, type Service, stoppedMs } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;

it.beforeAll(({ sharedService }) => {
  service = sharedService;
});

async function patch(name: string, fields: object, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await manage(service, "PATCH", `/api/endpoints/${name}`, fields, headers);
  return `${status} ${(body as { error?: { code: string } }).error?.code ?? ""}`.trim();
}

describe("versions of an endpoint", () => {
  it("record the number, time, author, changed fields and whole document of each save", async () => {
    await create(service, { name: "history", query: "SELECT 1 AS a" });
    await patch("history", { query: "SELECT 'x' AS a, 2 AS b", description: "Two" });
    const { body } = await manage(service, "GET", "/api/endpoints/history/versions");
    expect(body).toMatchObject([
      { version: 2, current: true, author: "private_token", action: "update", changed: ["description", "query"] },
      { version: 1, current: false, author: "private_token", action: "create", changed: [] },
    ]);
    const [, first] = body as unknown as { created_at: string }[];
    expect(first?.created_at).toBe(new Date(stoppedMs).toISOString());
    const shown = await manage(service, "GET", "/api/endpoints/history/versions/1");
    expect(shown.body).toMatchObject({
      version: 1,
      document: { name: "history", query: "SELECT 1 AS a", description: null },
      contract: { columns: [{ name: "a", type: "INT64" }] },
    });
    for (const number of ["0", "3", "x", "1.5", "-1", "99999999999999999999"]) {
      const missing = await manage(service, "GET", `/api/endpoints/history/versions/${number}`);
      expect(codeOf(missing)).toBe("404 unknown_version");
    }
  });

  it("are compared by query lines, settings and contract, with each change marked as breaking or not", async () => {
    await create(service, {
      name: "compared",
      query: "SELECT @p AS kept, 1 AS gone,\n  2 AS retyped\n",
      parameters: { p: null, old: null },
    });
    await patch("compared", {
      query: "SELECT @p AS kept, @n AS fresh,\n  'x' AS retyped\n",
      parameters: { p: { required: true }, n: { type: "int64" } },
      max_rows: 10,
      description: "Compared",
    });
    const { body } = await manage(service, "GET", "/api/endpoints/compared/versions/1/diff/2");
    expect(body).toMatchObject({ from: 1, to: 2, breaking: true });
    expect(body.changes).toEqual([
      { area: "column", name: "gone", change: "removed", from: "INT64", to: null, breaking: true },
      { area: "column", name: "retyped", change: "retyped", from: "INT64", to: "STRING", breaking: true },
      { area: "column", name: "fresh", change: "added", from: null, to: "INT64", breaking: false },
      { area: "parameter", name: "p", change: "required", from: "optional", to: "required", breaking: true },
      { area: "parameter", name: "old", change: "removed", from: "string", to: null, breaking: true },
      { area: "parameter", name: "n", change: "added", from: null, to: "int64", breaking: false },
      { area: "setting", name: "description", change: "changed", from: null, to: "Compared", breaking: false },
      { area: "setting", name: "max_rows", change: "changed", from: "1000", to: "10", breaking: true },
    ]);
    expect(body.query).toEqual([
      { op: "-", text: "SELECT @p AS kept, 1 AS gone," },
      { op: "-", text: "  2 AS retyped" },
      { op: "+", text: "SELECT @p AS kept, @n AS fresh," },
      { op: "+", text: "  'x' AS retyped" },
      { op: " ", text: "" },
    ]);
    const same = await manage(service, "GET", "/api/endpoints/compared/versions/2/diff/2");
    expect(same.body).toEqual({ from: 2, to: 2, breaking: false, changes: [], query: [] });
  });

  it("are restored by making a new version", async () => {
    await create(service, { name: "back", query: "SELECT 1 AS a" });
    await patch("back", { query: "SELECT 2 AS a" });
    const back = await manage(service, "POST", "/api/endpoints/back/versions/1/rollback");
    expect([back.status, back.headers.get("etag")]).toEqual([200, '"3"']);
    expect(back.body).toMatchObject({ version: 3, query: "SELECT 1 AS a" });
    expect(await service.rows("back", {})).toEqual([{ a: 1 }]);
    const { body } = await manage(service, "GET", "/api/endpoints/back/versions");
    expect(body).toMatchObject([{ version: 3, action: "rollback", rollback_to: 1 }, {}, {}]);
    const again = await manage(service, "POST", "/api/endpoints/back/versions/1/rollback");
    expect(again.headers.get("etag")).toBe('"3"');
    expect(codeOf(await manage(service, "POST", "/api/endpoints/back/versions/9/rollback"))).toBe(
      "404 unknown_version",
    );
  });

  it("survive the removal of the endpoint, which can be restored by id once its name is free", async () => {
    const { id } = await create(service, { name: "removed", query: "SELECT 1 AS a" });
    await manage(service, "DELETE", "/api/endpoints/removed");
    const other = await create(service, { name: "removed", query: "SELECT 2 AS a" });
    expect(other.version).toBe(1);
    expect((await manage(service, "GET", `/api/endpoints/${id}/versions`)).body).toMatchObject([{ version: 1 }]);
    const taken = await manage(service, "POST", `/api/endpoints/${id}/versions/1/rollback`);
    expect(codeOf(taken)).toBe("422 validation_failed");
    await manage(service, "DELETE", "/api/endpoints/removed");
    const back = await manage(service, "POST", `/api/endpoints/${id}/versions/1/rollback`);
    expect(back.body).toMatchObject({ id, version: 2 });
    expect(await service.rows("removed", {})).toEqual([{ a: 1 }]);
  });
});

describe("name@3", () => {
  it("runs that version under every form of the URL, by GET and POST; the bare name runs the current one", async () => {
    const { id } = await create(service, { name: "pinned", query: "SELECT 1 AS a", cache_seconds: 60 });
    await patch("pinned", { query: "SELECT 2 AS a", name: "pinned.now" });
    for (const path of ["/api/endpoints/query/", "/api/endpoints/query/name/", "/endpoints/query/"]) {
      for (const method of ["GET", "POST"]) {
        for (const [reference, a] of [
          ["pinned.now@1", 1],
          [`${id}@1`, 1],
          ["pinned.now", 2],
          ["pinned.now@2", 2],
          ["pinned.now%401", 1],
        ] as const) {
          const { body } = await manage(service, method, `${path}${reference}`);
          expect([method, path, reference, body]).toEqual([method, path, reference, { result: [{ a }] }]);
        }
      }
    }
    for (const [reference, code] of [
      ["pinned.now@3", "404 unknown_version"],
      ["pinned.now@0", "404 unknown_endpoint"],
      ["pinned.now@x", "404 unknown_endpoint"],
      ["pinned.now@", "404 unknown_endpoint"],
      ["pinned@1", "404 unknown_endpoint"],
    ]) {
      expect([reference, codeOf(await manage(service, "GET", `/api/endpoints/query/${reference}`))]).toEqual([
        reference,
        code,
      ]);
    }
  });

  it("honours a sandbox and redaction that the owner has added since or had then", async () => {
    await create(service, {
      name: "closed",
      query: "WITH t AS (SELECT 'mail a@example.com' AS m) SELECT m FROM t",
      sandbox: true,
    });
    await patch("closed", { redact_pii: true, sandbox: false });
    expect(await service.rows("closed@1", {})).toEqual([{ m: "mail REDACTED" }]);
    const asked = await service.get("/api/endpoints/query/closed@1", { sql: "select * from t" });
    expect(asked.status).toBe(403);
  });

  it("has the stricter of its own and the endpoint's limits, except for max_rows", async () => {
    const query = "SELECT REPEAT('x', 700) AS n FROM UNNEST([1, 2, 3])";
    await create(service, { name: "narrow", query, max_rows: 2 });
    await patch("narrow", { max_result_bytes: 1_000, max_rows: 1 });
    await patch("narrow", { max_result_bytes: null, max_rows: 3 });
    const answered = async (reference: string) => {
      const answer = await manage(service, "GET", `/api/endpoints/query/${reference}`);
      return answer.status === 200 ? (answer.body.result as unknown[]).length : codeOf(answer);
    };
    expect(await Promise.all(["narrow", "narrow@1", "narrow@2"].map(answered))).toEqual([3, 2, 1]);
    await patch("narrow", { max_result_bytes: 1_000 });
    expect(await answered("narrow@1")).toBe("422 result_too_large");
    await patch("narrow", { query: "SELECT 'x' AS n FROM UNNEST([1, 2, 3])", max_rows: 3, max_result_bytes: null });
    expect(await answered("narrow@4")).toBe("422 result_too_large");
  });
});

describe("concurrent changes", () => {
  it("with the same If-Match have one winner; the others are told the new version", async () => {
    await create(service, { name: "race", query: "SELECT 0 AS a" });
    for (let round = 1; round <= 5; round++) {
      const etag = `"${round}"`;
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          manage(
            service,
            "PATCH",
            "/api/endpoints/race",
            { query: `SELECT ${round}${index} AS a` },
            { "if-match": etag },
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 412, 412, 412, 412, 412]);
      const lost = answers.find(({ status }) => status === 412);
      expect(lost?.body.error).toMatchObject({ code: "version_conflict", current_version: round + 1 });
    }
  });

  it("without If-Match are applied one after another, each as a version", async () => {
    await create(service, { name: "queue", query: "SELECT 0 AS a" });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        manage(service, "PATCH", "/api/endpoints/queue", { query: `SELECT ${index + 1} AS a` }),
      ),
    );
    const tags = answers.map(({ headers }) => Number(String(headers.get("etag")).replaceAll('"', "")));
    expect(tags.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
    const { body } = await manage(service, "GET", "/api/endpoints/queue/versions");
    expect(body).toHaveLength(21);
  });

  it("that create the same name have one winner", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        manage(service, "POST", "/api/endpoints", { name: "twin", query: "SELECT 1 AS a" }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422]);
  });

  it("check If-Match on every kind of change and in every form of the header", async () => {
    await create(service, { name: "matched", query: "SELECT 1 AS a" });
    const { url } = service;
    const remove = (tag: string) =>
      fetch(`${url}/api/endpoints/matched`, {
        method: "DELETE",
        headers: { "x-api-key": privateToken, "if-match": tag },
      });
    expect((await remove('"2"')).status).toBe(412);
    expect((await remove('W/"1"')).status).toBe(412);
    expect((await remove("nonsense")).status).toBe(400);
    expect(await patch("matched", { max_rows: 1 }, { "if-match": '"7", "1"' })).toBe("204");
    expect(await patch("matched", { max_rows: 2 }, { "if-match": "*" })).toBe("204");
    const stale = { "if-match": '"1"' };
    const document = { name: "matched", query: "SELECT 1 AS a" };
    expect(codeOf(await manage(service, "PUT", "/api/endpoints/matched", document, stale))).toBe(
      "412 version_conflict",
    );
    const rollback = await manage(service, "POST", "/api/endpoints/matched/versions/1/rollback", undefined, stale);
    expect(codeOf(rollback)).toBe("412 version_conflict");
    expect((await remove('"3"')).status).toBe(204);
  });
});
