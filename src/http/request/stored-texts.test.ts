import type { TSchema } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";
import { resolveReference } from "../../openapi/forms.ts";
import { describedService } from "../routes/index.ts";

let test: TestApp;

beforeAll(async () => {
  const unused = { management: { metadata: {}, views: {}, tokens: {} }, drains: {}, alerts: {} } as never;
  test = await createTestApp({ parts: unused });
});

afterAll(() => test.app.close());

/** Every operation that takes a document with fields, and these fields. */
const operations = describedService.routes.flatMap(({ method, path, body, hasBodyParameters }) => {
  const schema: TSchema & { properties?: object } = body === undefined ? {} : resolveReference(body);
  if (schema.properties === undefined || hasBodyParameters === true) return [];
  return [{ name: `${method} ${path}`, method, path, fields: Object.keys(schema.properties) }];
});

const NUL = "a\u0000b";
/** Where such a text may be, and what else, such as half a pair and an escape sequence, may be there. */
const values = [NUL, [NUL], { inner: NUL }, { [NUL]: 1 }, "\ud800", "\u001b]0;x\u0007"];

describe("a text that cannot be stored as it is", () => {
  it("is looked for where documents are saved", () => {
    const saving = operations.map(({ name }) => name);
    expect(saving).toEqual(
      expect.arrayContaining(
        ["sources", "endpoints", "backends", "rules", "alerts", "access-tokens", "views"].map(
          (each) => `post /api/${each}`,
        ),
      ),
    );
  });

  it.each(operations)("is refused in every field of $name, with its place", async ({ method, path, fields }) => {
    for (const field of fields) {
      for (const value of values) {
        const answer = await test.app.inject({
          method: method.toUpperCase() as "POST",
          url: path.replaceAll(/\{\w+\}/g, "open"),
          headers: { "x-api-key": "private-token", "content-type": "application/json" },
          payload: JSON.stringify({ [field]: value }),
        });
        expect([answer.statusCode, Object.keys(answer.json().error.fields)]).toEqual([
          422,
          expect.arrayContaining([field]),
        ]);
      }
    }
  });
});
