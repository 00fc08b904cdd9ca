import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, manage } from "../acceptance/manage.ts";
import { privateToken, type Service, startService } from "../acceptance/service.ts";
import { type LimitCase, limitCases } from "./call-limits.ts";

const query = "with t as (select 1 as n) select * from t";

/** A call with the caller's own query. */
async function ask(service: Service, endpoint: string, token: string, sql: string) {
  const response = await service.get(`/api/endpoints/query/${endpoint}`, { sql }, { "x-api-key": token });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A call that takes little time is within its deadline on a fast machine only: it is asked where there is none. */
const isDeadline = (name: string) => name === "query_timeout_ms";

/** Checks the service's answers at the limit and beyond it, wherever the limit was set. */
async function expectLimit(
  service: Service,
  endpoint: string,
  token: string,
  name: string,
  { value, within, beyond, error }: LimitCase,
): Promise<void> {
  if (!isDeadline(name)) {
    const taken = await ask(service, endpoint, token, within);
    expect([taken.status, taken.body]).toEqual([200, { result: expect.anything() }]);
  }
  const refused = await ask(service, endpoint, token, beyond);
  if (error === "cut") {
    expect([refused.status, (refused.body.result as unknown[]).length]).toEqual([200, value]);
  } else {
    expect(refused).toEqual({
      status: error.status,
      body: { error: expect.objectContaining({ status: error.status, code: error.code, limit: name }) },
    });
  }
}

/** A call to which the limit of another token or endpoint does not apply. */
async function expectNoLimit(service: Service, name: string, { within, beyond }: LimitCase): Promise<void> {
  const { status } = await ask(service, "composed", privateToken, isDeadline(name) ? within : beyond);
  expect(status).toBe(200);
}

// The deadline has a service of its own: the calls of the other limits may take as long as a busy machine needs.
describe.each([
  ["its deadline", limitCases.filter(([name]) => isDeadline(name))],
  ["its other limits", limitCases.filter(([name]) => !isDeadline(name))],
])("a call limit set for the service: %s", (_, cases) => {
  let service: Service;

  beforeAll(async () => {
    const settings = cases.map(([name, { value }]) => [`LOGWEIR_${name.toUpperCase()}`, String(value)]);
    service = await startService({ env: Object.fromEntries(settings) as Record<string, string> });
    await create(service, { name: "composed", query, sandbox: true });
  });

  afterAll(() => service.stop());

  it.each(cases)("%s applies to every call, and takes effect only beyond its value", async (name, each) => {
    await expectLimit(service, "composed", privateToken, name, each);
  });
});

describe("a call limit set for one token or endpoint", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
    await create(service, { name: "composed", query, sandbox: true });
  });

  afterAll(() => service.stop());

  it.each(limitCases)("%s of a token applies only to its own calls", async (name, each) => {
    const made = await manage(service, "POST", "/api/access-tokens", {
      scopes: ["query"],
      budget: { [name]: each.value },
    });
    await expectLimit(service, "composed", String(made.body.token), name, each);
    await expectNoLimit(service, name, each);
  });

  it.each(limitCases)("%s of an endpoint applies only to calls of it", async (name, each) => {
    const own = `composed-${name.replaceAll("_", "-")}`;
    await create(service, { name: own, query, sandbox: true, [name]: each.value });
    await expectLimit(service, own, privateToken, name, each);
    await expectNoLimit(service, name, each);
  });

  it.each(limitCases)(
    "%s: the strictest of the token's, the endpoint's and the service's limit applies",
    async (name, each) => {
      const looser = each.value * 2;
      const own = `strict-${name.replaceAll("_", "-")}`;
      await create(service, { name: own, query, sandbox: true, [name]: looser });
      const made = await manage(service, "POST", "/api/access-tokens", {
        scopes: ["query"],
        budget: { [name]: each.value },
      });
      await expectLimit(service, own, String(made.body.token), name, each);
    },
  );
});
