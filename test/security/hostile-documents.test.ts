import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, type Service, startService } from "../acceptance/service.ts";
import { sampleOf } from "../support/sample-size.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const headers = { "x-api-key": privateToken, "content-type": "application/json", accept: "application/json" };

interface Operation {
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: { readonly properties?: object } }>>;
  };
}

/** Names that every object of JavaScript has, and values that cannot become texts. */
const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
const values = ['{"toString":null,"valueOf":null}', '[{"__proto__":{"length":1}}]', "1e400", '"\\u0000\\ud800"'];

/** Documents with names of this kind, as fields and within each field, and all fields wrong at once. */
function* makeDocuments(fields: readonly string[]): Generator<string> {
  for (const name of names) yield `{"${name}":${values[0]}}`;
  for (const value of values) yield `{${fields.map((field) => `"${field}":${value}`).join()}}`;
  for (const field of fields) {
    yield `{"${field}":${values[0]}}`;
    yield `{"${field}":{${names.map((name) => `"${name}":${values[0]}`).join()}}}`;
  }
}

/** Fields that BigQuery's API has and its schema of ours leaves open, and those of a rule. */
const further = ["maxResults", "timeoutMs", "queryParameters", "useLegacySql", "backend_id", "source_id", "lql_string"];

describe("documents of every route", () => {
  it("are refused by their fields, or taken, whatever names and values they have", { timeout: 120_000 }, async () => {
    const document = (await (await fetch(`${service.url}/api/openapi.json`, { headers })).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    };
    let count = 0;
    const failed: string[] = [];
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        if (requestBody === undefined) continue;
        const { properties = {} } = requestBody.content?.["application/json"]?.schema ?? {};
        const url = `${service.url}${path.replace(/\{[^}]+\}/g, "constructor")}`;
        for (const body of sampleOf([...makeDocuments([...Object.keys(properties), ...further])], 0.2)) {
          count++;
          const response = await fetch(url, { method: method.toUpperCase(), headers, body });
          const text = await response.text();
          if (response.status < 500 && !text.includes("[object Object]")) continue;
          failed.push(`${method} ${path} ${body.slice(0, 200)}: ${response.status} ${text.slice(0, 200)}`);
        }
      }
    }
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });
});
