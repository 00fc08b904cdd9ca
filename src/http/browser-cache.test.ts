import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { emptyQuery, runningQuery } from "../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";

type Sent = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The cache of one browser (RFC 9111), in which nothing grows old: `Vary` alone tells callers apart. */
function createBrowserCache(ask: (url: string, sent: Sent) => Promise<Answer>) {
  const stored: { readonly url: string; readonly sent: Sent; readonly answer: Answer }[] = [];
  return async (url: string, sent: Sent): Promise<Answer> => {
    const found = stored.find((each) => {
      const varying = String(each.answer.headers.vary ?? "")
        .toLowerCase()
        .split(/,\s*/);
      return each.url === url && !varying.includes("*") && varying.every((name) => each.sent[name] === sent[name]);
    });
    if (found !== undefined) return found.answer;
    const answer = await ask(url, sent);
    const control = String(answer.headers["cache-control"] ?? "");
    if (/max-age=[1-9]/.test(control) && !/no-store|no-cache/.test(control)) stored.unshift({ url, sent, answer });
    return answer;
  };
}

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp();
  // An answer is the project that the call was bound to.
  test.onPlan = () => ({
    ...emptyQuery,
    parameters: [{ key: "project", type: { kind: "STRING" } }],
    columns: [{ name: "a", type: { kind: "STRING" } }],
  });
  test.engine.onRun = async ({ values }) => runningQuery([[{ a: String(values[0]) }]]);
});

afterAll(() => test.app.close());

const tokens = ["query-token", "pinned-token", "one-token", "redacted-token", "private-token", "ingest-token", "wrong"];
const token = fc.constantFrom<Sent[]>(
  {},
  ...tokens.flatMap((value) => [{ "x-api-key": value }, { authorization: `Bearer ${value}` }]),
);
const asked = fc.constantFrom<Sent[]>({}, { accept: "text/csv" }, { "lf-endpoint-redact-pii": "true" });
const call = fc.tuple(token, asked).map(([one, other]): Sent => ({ ...one, ...other }));

it("a browser's cache answers nobody with what it holds of another token", async () => {
  const urls = test.app.registeredRoutes
    .filter(({ methods, access }) => methods.includes("GET") && access.scope !== "anybody")
    // Tails have no end, and are never cached.
    .filter(({ url }) => !url.endsWith("/tail"))
    .map(({ url }) => url.replaceAll(/:\w+/g, "cached"));
  const ask = async (url: string, headers: Sent): Promise<Answer> => {
    const { statusCode: status, headers: answered, body } = await test.app.inject({ url, headers });
    return { status, headers: answered, body };
  };
  let cachedCount = 0;
  const listed = fc.constantFrom(...urls);
  const url = fc.oneof(fc.constant("/api/endpoints/query/cached"), listed);
  const property = fc.asyncProperty(url, fc.array(call, { minLength: 2, maxLength: 4 }), run);
  async function run(url: string, calls: readonly Sent[]) {
    const browse = createBrowserCache(ask);
    for (const sent of calls) {
      const [shown, fresh] = [await browse(url, sent), await ask(url, sent)];
      if (fresh.headers["cache-control"]?.toString().includes("max-age") === true) cachedCount++;
      expect([shown.status, shown.body], JSON.stringify([url, calls])).toEqual([fresh.status, fresh.body]);
    }
  }
  await fc.assert(property, { numRuns: 30 });
  expect(cachedCount).toBeGreaterThan(0);
});

it("every answer says who may keep it, and none that a token leads to may be kept for others", async () => {
  const isOpen = new Map<string, boolean>();
  const kept = new Set<string>();
  for (const { methods, url, access } of test.app.registeredRoutes) {
    for (const method of methods.filter((each) => each !== "HEAD" && !url.endsWith("/tail"))) {
      const sent = { method: method as "GET", url: url.replaceAll(/:\w+/g, "cached").replace("*", "a") };
      const headers = { "x-api-key": "private-token", "content-type": "application/json" };
      const response = await test.app.inject({ ...sent, headers, ...(method === "GET" ? {} : { payload: "{}" }) });
      const control = String(response.headers["cache-control"]);
      expect([method, url, control]).toEqual([
        method,
        url,
        expect.stringMatching(/no-store|^private, |no-cache|^public, /),
      ]);
      if (control !== "no-store") kept.add(url);
      if (control.startsWith("public")) isOpen.set(url, access.scope === "anybody");
    }
  }
  expect([...isOpen.values()]).not.toContain(false);
  expect(kept).toContain("/api/catalogue");
  expect(kept).not.toContain("/api/sources");
});
