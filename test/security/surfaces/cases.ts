import { base64url, SignJWT } from "jose";
import { expect } from "vitest";
import type { Pin } from "../../../src/access/pins.ts";
import { create, manage } from "../../acceptance/manage.ts";
import { type Service, stoppedMs } from "../../acceptance/service.ts";
import type { SurfaceAnswer, SurfaceCaller, Values } from "./surface.ts";

/** In every name and value of the other tenant, and in none of the caller's own. */
const secret = /uuu/i;
const email = "someone@example.com";
const at = (second: number) => new Date(stoppedMs - 600_000 + second * 1_000).toISOString();

/** Two tenants in the same sources, and endpoints that read them in every way. */
export async function fillService(service: Service): Promise<void> {
  const own = [0, 1, 2].map((second) => ({
    ...{ id: `aaa-${second}`, timestamp: at(second), project: "aaa", message: `own ${second} of ${email}` },
    metadata: { n: second + 1, mail: email },
  }));
  const others = [3, 4].map((second) => ({
    ...{ id: `uuu-${second}`, timestamp: at(second), project: "uuu", message: `uuu-message ${second}` },
    ...{ metadata: { n: 0, uuu_key: "uuu-value" }, uuu_top: "uuu-top" },
  }));
  await service.ingest("edge", [...own, ...others]);
  const endpoint = {
    sandbox: true,
    parameters: { project: { type: "string", required: true } },
    tenant_parameter: "project",
  };
  const query =
    "WITH mine AS (SELECT * FROM edge WHERE project = @project) SELECT id, event_message FROM mine ORDER BY timestamp DESC";
  await create(service, { ...endpoint, name: "mine", query });
  await create(service, { ...endpoint, name: "masked", redact_pii: true, query });
  await create(service, { ...endpoint, name: "kept", cache_seconds: 60, query });
  await create(service, {
    ...endpoint,
    name: "forgotten",
    query: "WITH mine AS (SELECT * FROM edge) SELECT id FROM mine ORDER BY id",
  });
  await create(service, { name: "reader", query: "SELECT id FROM forgotten ORDER BY id" });
  await create(service, {
    ...endpoint,
    name: "untold",
    query: "WITH runs AS (SELECT id FROM `logweir.audit`) SELECT id FROM runs",
  });
  await create(service, { name: "loose", query: "SELECT COUNT(*) AS n FROM edge" });
}

/** A token to be created. */
export interface TokenDocument {
  readonly scopes: readonly string[];
  readonly pins?: { readonly project?: Pin };
  readonly budget?: object;
  readonly redaction?: string;
}

/** The caller of a case, and what else it needs. */
export interface Scene {
  readonly caller: SurfaceCaller;
  /** How the token of the caller is pinned. */
  readonly form: PinForm;
  /** Takes the caller's token back. */
  revoke(): Promise<void>;
  /** Another caller on the same surface. */
  connect(token: TokenDocument): Promise<SurfaceCaller>;
}

export interface Case {
  readonly name: string;
  /** The token as it is created; one that is pinned to the tenant `aaa` unless given. */
  readonly token?: TokenDocument;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the token is taken back while the clock stands still, which signed ones are not. */
  readonly isRevoking?: true;
  readonly play: (scene: Scene) => Promise<void>;
}

/** A way to confine a token to a tenant. Where it has several values, the calls of a case name the tenant. */
export interface PinForm {
  readonly name: string;
  /** Whether the token is one that others sign. */
  readonly isSigned?: true;
  toPin(tenant: string): Pin;
}

export const pinForms: readonly PinForm[] = [
  { name: "one value", toPin: (tenant) => tenant },
  { name: "a list", toPin: (tenant) => [tenant, `${tenant}-more`] },
  { name: "a prefix", toPin: (tenant) => ({ prefix: tenant }) },
  { name: "one value of a signed token", isSigned: true, toPin: (tenant) => tenant },
];

const signingKey = Buffer.from("the key of those who sign tokens");
/** The keys of signed tokens that the service needs for the cases. */
export const keySet = { keys: [{ kty: "oct", kid: "one", alg: "HS256", k: base64url.encode(signingKey) }] };

const pins = { project: "aaa" };
const pinned = { scopes: ["query"], pins };
const free = { scopes: ["query"] };
const mine = { project: "aaa" };
const header = (value: string) => ({ "lf-endpoint-redact-pii": value });
const ids = ({ rows }: SurfaceAnswer) => rows.map(({ id }) => id).sort();
const own = ["aaa-0", "aaa-1", "aaa-2"];
/** Where a surface tells of no endpoint that a caller may not run, it cannot say why it refuses. */
const refused = (code: string) => expect.stringMatching(new RegExp(`^(?:refused|${code})$`));

/** The rows are the tenant's own, and nothing else is told. */
function expectOwn(answer: SurfaceAnswer): void {
  expect([answer.code, ids(answer)]).toEqual(["ok", own]);
  expect(answer.text).not.toMatch(secret);
}

/** A query answers one row, whoever else is in the store. */
const counts = (name: string, sql: string, row: object): Case => ({
  name,
  async play({ caller }) {
    const answer = await caller.query("forgotten", { sql });
    expect([answer.code, answer.rows]).toEqual(["ok", [row]]);
    expect(answer.text).not.toMatch(secret);
  },
});

/** A query fails with a code, and its error tells nothing of others. */
const fails = (name: string, sql: string, code: string): Case => ({
  name,
  async play({ caller }) {
    const answer = await caller.query("forgotten", { sql });
    expect([answer.code, answer.rows]).toEqual([code, []]);
    expect(answer.text).not.toMatch(/uuu-|uuu_(?:key|top)(?!p)/i);
  },
});

const pinCases: readonly Case[] = [
  { name: "a pin sets the parameter", play: async ({ caller }) => expectOwn(await caller.run("mine", {})) },
  {
    name: "a pinned parameter may be sent with its value",
    play: async ({ caller }) => expectOwn(await caller.run("mine", mine)),
  },
  {
    name: "a pinned parameter has no other value",
    async play({ caller, form }) {
      const near = form.name === "a prefix" ? " aaa" : "aaa ";
      for (const value of ["uuu", "", "AAA", near]) {
        expect([value, (await caller.run("mine", { project: value })).code]).toEqual([value, "pinned_parameter"]);
      }
      expect((await caller.query("mine", { project: "uuu", sql: "select id from mine" })).code).toBe(
        "pinned_parameter",
      );
    },
  },
  {
    name: "of a list each call reads one tenant, which it has to name",
    token: { scopes: ["query"], pins: { project: ["aaa", "bbb"] } },
    async play({ caller }) {
      for (const answer of [await caller.run("forgotten", {}), await caller.query("forgotten", { sql: "select 1" })]) {
        expect([answer.code, answer.rows, answer.text]).toEqual([
          "missing_parameter",
          [],
          expect.stringContaining("Send one project of aaa, bbb."),
        ]);
      }
      expectOwn(await caller.run("forgotten", mine));
      expect(ids(await caller.run("forgotten", { project: "bbb" }))).toEqual([]);
      for (const sql of [undefined, "select id from mine"]) {
        const other = { project: "uuu", ...(sql === undefined ? {} : { sql }) };
        expect((await caller[sql === undefined ? "run" : "query"]("forgotten", other)).code).toBe("pinned_parameter");
      }
    },
  },
  {
    name: "what is cached for one tenant of a list is not the other's, nor is a cursor",
    token: { scopes: ["query"], pins: { project: ["aaa", "uuu"] } },
    async play({ caller }) {
      for (const _ of [1, 2]) {
        expectOwn(await caller.run("kept", mine));
        expect(ids(await caller.run("kept", { project: "uuu" }))).toEqual(["uuu-3", "uuu-4"]);
      }
      const { cursor } = await caller.run("mine", { project: "uuu", limit: 1 });
      expect((await caller.run("mine", { ...mine, limit: 1, cursor })).code).toBe("invalid_parameter");
    },
  },
  {
    name: "an endpoint without the pinned parameter is closed",
    async play({ caller }) {
      expect((await caller.run("loose", {})).code).toEqual(refused("pinned_parameter"));
    },
  },
  {
    name: "an endpoint that forgets its filter is filtered",
    play: async ({ caller }) => expectOwn(await caller.run("forgotten", {})),
  },
  { name: "so is one that it reads as a table", play: async ({ caller }) => expectOwn(await caller.run("reader", {})) },
  {
    name: "a source without tenants is closed",
    play: async ({ caller }) => expect((await caller.run("untold", {})).code).toBe("pinned_parameter"),
  },
  {
    name: "a query of the caller's own reads no other tenant's rows, in SQL and in LQL",
    async play({ caller }) {
      expectOwn(await caller.query("forgotten", { sql: "select id from mine" }));
      const { rows } = await caller.query("forgotten", { lql: "s:id" });
      expect(rows.map(({ id }) => id).sort()).toEqual(own);
      expect((await caller.query("forgotten", { sql: "select id from mine where project = 'uuu'" })).rows).toEqual([]);
    },
  },
  {
    name: "a cached answer of one tenant is not another's",
    async play({ caller, connect }) {
      const other = await connect({ ...pinned, pins: { project: "uuu" } });
      for (const _ of [1, 2]) {
        expectOwn(await caller.run("kept", {}));
        expect(ids(await other.run("kept", {}))).toEqual(["uuu-3", "uuu-4"]);
      }
      await other.close();
    },
  },
  {
    name: "a cursor of another tenant's page is none",
    async play({ caller, connect }) {
      const other = await connect({ ...pinned, pins: { project: "uuu" } });
      const { cursor } = await other.run("mine", { limit: 1 });
      expect(cursor).toBeTypeOf("string");
      expect((await caller.run("mine", { limit: 1, cursor })).code).toBe("invalid_parameter");
      expect(ids(await other.run("mine", { limit: 1, cursor }))).toEqual(["uuu-3"]);
      await other.close();
    },
  },
];

const nameCases: readonly Case[] = [
  {
    name: "what is listed are the endpoints that the token may run",
    async play({ caller }) {
      const { rows, text } = await caller.list();
      const names = rows.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["forgotten", "kept", "mine", "reader"]));
      expect(names).not.toContain("loose");
      expect(text).not.toMatch(secret);
    },
  },
  {
    name: "a token of one endpoint is told of that one",
    token: { scopes: ["query:endpoint:mine"] },
    async play({ caller }) {
      expect((await caller.list()).rows).toEqual([{ name: "mine" }]);
      expect((await caller.run("forgotten", mine)).code).toEqual(refused("insufficient_scope"));
      expect((await caller.query("forgotten", { ...mine, sql: "select 1" })).code).toEqual(
        refused("insufficient_scope"),
      );
    },
  },
  {
    name: "an unknown endpoint is refused",
    async play({ caller }) {
      expect((await caller.run("nope", {})).code).toEqual(refused("unknown_endpoint"));
      expect((await caller.query("nope", { sql: "select 1" })).code).toEqual(refused("unknown_endpoint"));
    },
  },
  {
    name: "tables have the fields that the tenant has sent",
    async play({ caller }) {
      const { code, text } = await caller.tables("forgotten", {});
      expect([code, text]).toEqual(["ok", expect.stringContaining("metadata.mail")]);
      expect(text).not.toMatch(secret);
    },
  },
  {
    name: "a star has the columns that the tenant has sent",
    async play({ caller }) {
      const { rows, text } = await caller.query("forgotten", { sql: "select * from mine limit 1" });
      expect(Object.keys(rows[0] ?? {})).not.toContain("uuu_top");
      expect(text).not.toMatch(secret);
    },
  },
  fails("the nearest name is not another tenant's field", "select uuu_topp from mine", "unknown_column"),
  fails("a table that is not the endpoint's is denied", "select * from edge", "sandbox_table_denied"),
];

const valueCases: readonly Case[] = [
  counts("a count counts the tenant's rows", "select count(*) as n from mine", { n: 3 }),
  counts("an aggregate has the tenant's values", "select min(m.n) as low from mine cross join unnest(metadata) as m", {
    low: 1,
  }),
  counts(
    "a division by zero in another tenant's row is no error",
    "select count(*) as n from mine cross join unnest(metadata) as m where 1 / m.n > 0",
    { n: 3 },
  ),
  counts(
    "nor is ERROR for another tenant's row",
    "select count(*) as n from mine where if(project = 'uuu', error(event_message), true)",
    { n: 3 },
  ),
  counts(
    "nor a function that fails for another tenant's value",
    "select count(*) as n from mine where cast(replace(id, 'aaa-', '') as int64) >= 0",
    { n: 3 },
  ),
  fails(
    "a cast that fails shows a value of the tenant's",
    "select cast(event_message as int64) as n from mine",
    "query_failed",
  ),
];

const redactionCases: readonly Case[] = [
  {
    name: "a token that requires redaction gets it, whatever it asks for",
    token: { ...pinned, redaction: "required" },
    headers: header("false"),
    play: async ({ caller }) => expectRedacted(await caller.run("mine", {})),
  },
  {
    name: "an endpoint that redacts does so for tokens that may not turn it off",
    token: { ...pinned, redaction: "fixed" },
    headers: header("false"),
    play: async ({ caller }) => expectRedacted(await caller.run("masked", {})),
  },
  {
    name: "the header turns it on",
    headers: header("TRUE"),
    play: async ({ caller }) => expectRedacted(await caller.run("mine", {})),
  },
  {
    name: "the header turns it off for tokens that may",
    token: { ...pinned, redaction: "switchable" },
    headers: header("false"),
    play: async ({ caller }) => expect((await caller.run("masked", {})).text).toContain(email),
  },
  {
    name: "a condition sees redacted text",
    headers: header("true"),
    async play({ caller }) {
      const sql = `select count(*) as n from mine where event_message like '%${email}%'`;
      expect((await caller.query("mine", { sql })).rows).toEqual([{ n: 0 }]);
    },
  },
  {
    name: "an error shows redacted text",
    headers: header("true"),
    async play({ caller }) {
      const { code, text } = await caller.query("mine", { sql: "select cast(event_message as int64) as n from mine" });
      expect(code).toBe("query_failed");
      expect(text).not.toContain(email);
    },
  },
];

function expectRedacted({ code, text }: SurfaceAnswer): void {
  expect([code, text]).toEqual(["ok", expect.stringContaining("of REDACTED")]);
  expect(text).not.toContain(email);
}

const numbers = "select n from mine cross join unnest(generate_array(1, 1000)) as n";
const budgeted = (budget: object) => ({ ...pinned, budget });

const budgetCases: readonly Case[] = [
  {
    name: "rows are the token's at most",
    token: budgeted({ max_rows: 2 }),
    async play({ caller }) {
      expect((await caller.run("mine", {})).rows).toHaveLength(2);
      expect((await caller.query("mine", { sql: numbers })).rows).toHaveLength(2);
      expect((await caller.run("mine", { limit: 3 })).code).toBe("invalid_parameter");
    },
  },
  {
    name: "so are bytes",
    token: budgeted({ max_result_bytes: 1_000 }),
    play: async ({ caller }) => expect((await caller.query("mine", { sql: numbers })).code).toBe("result_too_large"),
  },
  {
    name: "so are the characters of a query",
    token: budgeted({ max_query_characters: 20 }),
    play: async ({ caller }) => expect((await caller.query("mine", { sql: numbers })).code).toBe("query_too_long"),
  },
  {
    name: "so is the time of a query",
    token: budgeted({ query_timeout_ms: 100 }),
    async play({ caller }) {
      const many = "unnest(generate_array(1, 100000))";
      const sql = `select sum(mod(a * b, 7)) as n from ${many} as a cross join ${many} as b`;
      expect((await caller.query("mine", { sql })).code).toBe("timeout");
    },
  },
];

const accessCases: readonly Case[] = [
  {
    name: "a token without a scope for endpoints is refused",
    token: { scopes: ["ingest"] },
    async play({ caller }) {
      for (const answer of [await caller.run("mine", mine), await caller.query("mine", { ...mine, sql: "select 1" })]) {
        expect(answer).toMatchObject({
          code: expect.stringMatching(/^(?:insufficient_scope|unauthorized)$/),
          rows: [],
        });
      }
    },
  },
  {
    name: "a token that was revoked is refused with the next call",
    isRevoking: true,
    async play({ caller, revoke }) {
      expectOwn(await caller.run("mine", {}));
      await revoke();
      for (const answer of [
        await caller.run("mine", {}),
        await caller.query("mine", { sql: "select 1" }),
        await caller.list(),
      ]) {
        expect(answer).toMatchObject({ code: "unauthorized", rows: [] });
      }
    },
  },
  {
    name: "a token that is revoked during a call gets nothing by calls behind it",
    isRevoking: true,
    async play({ caller, revoke }) {
      const running = caller.query("mine", { sql: numbers });
      const revoked = revoke();
      const { code } = await running;
      expect(["ok", "unauthorized"]).toContain(code);
      await revoked;
      expect((await caller.query("mine", { sql: numbers })).code).toBe("unauthorized");
    },
  },
  {
    name: "a token without pins chooses the tenant, and sees its rows alone",
    token: free,
    async play({ caller }) {
      expectOwn(await caller.run("mine", mine));
      expect((await caller.run("mine", {})).code).toBe("missing_parameter");
    },
  },
];

/** The rules that every surface has to keep. */
export const cases: readonly Case[] = [
  ...pinCases,
  ...nameCases,
  ...valueCases,
  ...redactionCases,
  ...budgetCases,
  ...accessCases,
];

/** A token of a case, pinned in this form if it is pinned to one tenant, and how to take it back. */
export async function makeToken(service: Service, form: PinForm, document: TokenDocument = pinned) {
  const tenant = tenantOf(document);
  const changed = tenant === undefined ? document : { ...document, pins: { project: form.toPin(tenant) } };
  const made: Promise<{ readonly id: string; readonly token: string }>[] = [];
  const make = (scopes: readonly string[]) => {
    const one = form.isSigned ? signToken({ ...changed, scopes }) : createToken(service, { ...changed, scopes });
    made.push(one);
    return one;
  };
  const narrowed = new Map<string, Promise<{ readonly token: string }>>();
  const { token } = await make(document.scopes);
  return {
    token,
    /** The parameters that each of its calls has to name. */
    named: (tenant === undefined || form.toPin(tenant) === tenant ? {} : { project: tenant }) as Values,
    /** The token for one endpoint alone, where it is one for all. */
    async narrow(endpoint: string): Promise<string> {
      if (!document.scopes.includes("query")) return token;
      const known = narrowed.get(endpoint) ?? make([`query:endpoint:${endpoint}`]);
      narrowed.set(endpoint, known);
      return (await known).token;
    },
    async revoke() {
      for (const { id } of await Promise.all(made)) await manage(service, "DELETE", `/api/access-tokens/${id}`);
    },
  };
}

async function createToken(service: Service, document: TokenDocument) {
  const { status, body } = await manage(service, "POST", "/api/access-tokens", document);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: String(body.id), token: String(body.token) };
}

async function signToken(logweir: TokenDocument) {
  const claims = { sub: "somebody", exp: Math.floor(stoppedMs / 1_000) + 3_600, logweir };
  return { id: "", token: await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(signingKey) };
}

function tenantOf({ pins: { project } = {} }: TokenDocument): string | undefined {
  return typeof project === "string" ? project : undefined;
}
