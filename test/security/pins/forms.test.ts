import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forms, refusals } from "./forms.ts";
import { openSetups, ownTenant, type Setups } from "./setups.ts";

let setups: Setups;
beforeAll(async () => {
  setups = await openSetups();
});
afterAll(() => setups.close());

describe("a pin confines every read of a query that compares it with a tenant's field once:", () => {
  it.each(forms)("$name", async ({ query, inner = [], sql }) => {
    const { alone, shared } = setups;
    const isSandboxed = sql !== undefined;
    const drafts = [...inner, { name: "form", query, isSandboxed }];
    const open = { name: "open", query, isSandboxed, tenantParameter: "none" };
    const saved = shared.save([...drafts, open]).at(inner.length);
    alone.save(drafts);
    const sent: Record<string, string> = sql === undefined ? {} : { sql };
    const pinned = { pins: { project: ownTenant }, sent };
    const expected = await alone.ask("form", pinned);
    expect(expected).toMatchObject({ rows: expect.any(Array) });
    expect(await shared.ask("form", pinned)).toEqual(expected);
    // Without a pin the parameter confines the call as well, unless the header says that none does.
    const named = { sent: { ...sent, project: ownTenant } };
    expect(await shared.ask("form", named)).toEqual(expected);
    expect(await shared.ask("open", named)).not.toEqual(expected);
    expect(await shared.ask("open", pinned)).toMatchObject({ error: "pinned_parameter" });
    expect(saved).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:in the endpoint inner_, )?line \d+, column \d+: /)]),
    );
  });
});

describe("a pin that tells no tenant refuses what reads a source with tenants:", () => {
  const x = "WITH x AS (SELECT * FROM edge) SELECT id FROM x";
  it.each(refusals)("$name", async ({ query }) => {
    const { alone, shared } = setups;
    for (const setup of [alone, shared]) setup.save([{ name: "apart", query, parameters: ["project", "other"] }]);
    const call = { pins: { project: ownTenant }, sent: { other: "third" } };
    const refused = await shared.ask("apart", call);
    expect(refused).toMatchObject({ error: "pinned_parameter", message: expect.stringContaining("by project, which") });
    expect(await alone.ask("apart", call)).toEqual(refused);
  });

  it.each([
    "SELECT id FROM x",
    "SELECT only_othr FROM x",
    "SELECT id FROM x WHERE nosuch(only_other)",
    "SELECT * FROM y",
  ])("a consumer's query, with the same error whatever others have sent: %s", async (sql) => {
    const { alone, shared } = setups;
    for (const setup of [alone, shared]) setup.save([{ name: "apart", query: x, isSandboxed: true }]);
    const call = { pins: { project: ownTenant }, sent: { sql } };
    const refused = await shared.ask("apart", call);
    expect(refused).toMatchObject({ error: expect.any(String) });
    expect(JSON.stringify(refused)).not.toContain("only_other");
    expect(await alone.ask("apart", call)).toEqual(refused);
  });

  it("but not a query whose sources have no tenants", async () => {
    const { shared } = setups;
    shared.save([{ name: "apart", query: "SELECT COUNT(*) AS n FROM notes WHERE project = @project" }]);
    expect(await shared.ask("apart", { pins: { project: ownTenant } })).toMatchObject({ rows: ['{"n":2}'] });
  });
});

describe("the header's tenant_parameter", () => {
  const query =
    "WITH x AS (SELECT id, project FROM edge) SELECT id FROM x UNION ALL SELECT id FROM x WHERE project = @p";

  it("binds calls that a pin of it makes, and leaves others to the query", async () => {
    const { alone, shared } = setups;
    for (const setup of [alone, shared])
      expect(setup.save([{ name: "told", query, parameters: ["p"], tenantParameter: "p" }])).toEqual([[]]);
    const expected = await alone.ask("told", { pins: { p: ownTenant } });
    expect(await shared.ask("told", { pins: { p: ownTenant } })).toEqual(expected);
    expect(await shared.ask("told", { sent: { p: ownTenant } })).toMatchObject({ rows: { length: 10 } });
  });

  it("that is none makes a parameter of this name unfit", () => {
    const { shared } = setups;
    const save = () =>
      shared.save([{ name: "told", query: "SELECT @none AS a", parameters: ["none"], tenantParameter: "none" }]);
    expect(save).toThrow("tenant_parameter");
  });

  it("is not inferred of several, of which any binds when it is pinned", async () => {
    const { shared } = setups;
    const both = "SELECT id FROM edge WHERE project = @a OR project = @b";
    const [warnings] = shared.save([{ name: "told", query: both, parameters: ["a", "b"] }]);
    expect(warnings).toEqual([
      "line 1, column 16: this read of edge is confined by none of @a and @b unless a token pins it",
    ]);
    const rowsOf = async (call: Parameters<typeof shared.ask>[1]) => {
      const answer = await shared.ask("told", call);
      return "rows" in answer ? answer.rows.length : answer;
    };
    expect(await rowsOf({ sent: { a: "own", b: "other" } })).toBe(4);
    expect(await rowsOf({ sent: { a: "own" }, pins: { b: "third" } })).toBe(1);
    expect(await rowsOf({ sent: { b: "own" }, pins: { a: "third" } })).toBe(1);
  });
});

describe("saving an endpoint warns of each read that its query does not confine", () => {
  const warningsOf = (query: string, more = {}) => setups.shared.save([{ name: "read", query, ...more }])[0];
  const inferred = (source: string) =>
    `this read of ${source} is not compared with @project, and shows that tenant's rows only; ` +
    "tenant_parameter: project confines calls of tokens that pin it only, tenant_parameter: none no call";

  it("with its place, where another read tells the tenant", () => {
    expect(warningsOf("SELECT id FROM edge\nWHERE project = @project\nUNION ALL SELECT id FROM db")).toEqual([
      `line 3, column 26: ${inferred("db")}`,
    ]);
  });

  it("in the endpoints that it reads", () => {
    setups.shared.save([{ name: "deep", query: "SELECT id FROM\n  edge", parameters: [] }]);
    expect(warningsOf("SELECT id FROM deep UNION ALL SELECT id FROM db WHERE project = @project")).toEqual([
      `in the endpoint deep, line 2, column 3: ${inferred("edge")}`,
    ]);
  });

  it("and of the tables that callers read without its conditions", () => {
    const query = "WITH x AS (SELECT id, project FROM edge) SELECT id FROM x WHERE project = @project";
    expect(warningsOf(query)).toEqual([]);
    expect(warningsOf(query, { isSandboxed: true })).toEqual([`line 1, column 36: ${inferred("edge")}`]);
  });

  it("and where no parameter tells a tenant", () => {
    expect(warningsOf("SELECT id FROM edge WHERE level = @project")).toEqual([
      "line 1, column 16: no parameter confines this read of edge to a tenant, so that tokens with pins are refused; " +
        "compare its tenant's field with a parameter, or name one in tenant_parameter",
    ]);
    expect(warningsOf("SELECT id FROM edge", { parameters: [] })).toEqual([]);
    expect(warningsOf("SELECT id FROM notes WHERE project = @project")).toEqual([]);
    expect(warningsOf("SELECT id FROM edge WHERE project = @project", { tenantParameter: "none" })).toEqual([]);
    expect(warningsOf("SELECT id FROM edge WHERE level = @project", { tenantParameter: "none" })).toEqual([
      "line 1, column 16: every tenant's rows of edge are read, so that tokens with pins are refused",
    ]);
  });
});
