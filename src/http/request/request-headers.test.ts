import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { ageHeaders, ageOf, cacheControl, nextPageHeader } from "../answer/answer-headers.ts";
import { entityTag, isKnownTag, readIfMatch } from "../answer/entity-tag.ts";
import type { AnswerFormat } from "../formats/answer-format.ts";
import { chooseFormat } from "../formats/choose-format.ts";
import { findSenderSecret } from "../ingest/credentials.ts";
import { readRequestId } from "../plugins/request-id.ts";
import { parseQueryText } from "./query-text.ts";
import { readWait } from "./read-wait.ts";
import { readParameters } from "./request-parameters.ts";

type Headers = Readonly<Record<string, string>>;

function request(headers: Headers, more: object = {}): FastifyRequest {
  return { headers, query: parseQueryText(""), ...more } as unknown as FastifyRequest;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("the secret of a sender", () => {
  const find = (headers: Headers, query = "", path?: object) =>
    findSenderSecret(request(headers, { params: path }), parseQueryText(query).values);

  it.each<[Headers, string | undefined]>([
    [{ "x-api-key": "a" }, "a"],
    [{ authorization: "Bearer a" }, "a"],
    [{ authorization: "SPLUNK  a b" }, "a b"],
    [{ authorization: "ApiKey plain" }, "plain"],
    [{ authorization: `ApiKey ${base64("id:key:more")}` }, "key:more"],
    [{ authorization: `Basic ${base64("user:pass")}` }, "pass"],
    [{ authorization: `Basic ${base64("user:")}` }, "user"],
    [{ authorization: `Basic ${base64("user")}` }, undefined],
    [{ authorization: "Basic %%%" }, undefined],
    [{ authorization: "Basic" }, undefined],
    [{ authorization: "Digest a" }, undefined],
    [{ authorization: "bearer" }, undefined],
    [{ "dd-api-key": "a" }, "a"],
    [{}, undefined],
  ])("in %j is %j", (headers, secret) => {
    expect(find(headers)).toBe(secret);
  });

  it("is the first one in order of precedence, even if it is empty", () => {
    const query = "token=6&dd-api-key=5&api_key=x&api_key=4";
    const path = { api_key: "7" };
    const named = { "dd-api-key": "3" };
    const authorized = { ...named, authorization: "Bearer 2" };
    const all = { ...authorized, "x-api-key": "1" };
    expect([all, authorized, named, {}].map((headers) => find(headers, query, path))).toEqual(["1", "2", "3", "4"]);
    expect([find({}, "token=6&dd-api-key=5", path), find({}, "token=6", path), find({}, "", path)]).toEqual([
      "5",
      "6",
      "7",
    ]);
    expect(find({ "x-api-key": "" }, query)).toBe("");
  });
});

describe("the response format", () => {
  const format = (name: string, mediaType: string) => ({ name, mediaType }) as unknown as AnswerFormat;
  const formats = [format("json", "application/json"), format("csv", "text/csv"), format("tsv", "text/tsv")] as const;
  const choose = (named: unknown, accept?: string) => chooseFormat([...formats], named, accept).name;

  it.each<[string | undefined, string]>([
    [undefined, "json"],
    [" ", "json"],
    ["*/*", "json"],
    ["text/*", "csv"],
    ["text/tsv", "tsv"],
    ["TEXT/CSV ; q=0.5, text/tsv;Q=0.6", "tsv"],
    ["text/*;q=0.9, text/csv;q=0.1, application/json;q=0.5", "tsv"],
    ["*/*;q=0.1, application/json;q=0", "csv"],
    ["text/csv;q=2, text/tsv;q=0.1", "tsv"],
    ["text/csv;q=-1, text/tsv;q=0.1", "tsv"],
    ["text/csv;q=x, text/tsv;q=0.1", "tsv"],
    ["text/csv;q=1, application/json", "json"],
    ["text/csv;charset=utf-8;q=0.4, image/png", "csv"],
  ])("for Accept %j is %s", (accept, name) => {
    expect(choose(undefined, accept)).toBe(name);
  });

  it("follows the parameter format rather than Accept", () => {
    expect([choose("tsv", "text/csv"), choose("", "text/csv"), choose(null, "text/csv")]).toEqual([
      "tsv",
      "csv",
      "csv",
    ]);
    expect(() => choose("xml")).toThrow(
      expect.objectContaining({
        code: "invalid_parameter",
        message: "The parameter format must be one of json, csv, tsv",
        details: { parameter: "format", allowed: ["json", "csv", "tsv"] },
      }),
    );
    expect(() => choose(undefined, "image/png, text/csv;q=0")).toThrow(
      expect.objectContaining({
        code: "not_acceptable",
        message: "Answers cannot be had in a form that the Accept header names",
        details: { allowed: ["application/json", "text/csv", "text/tsv"] },
      }),
    );
  });
});

describe("entity tags", () => {
  it("match by weak comparison, in a list or by a star", () => {
    const known = ['"3"', 'W/"3"', '"2" , "3"', "*", '"2",*'];
    expect(known.map((header) => isKnownTag(header, entityTag(3)))).toEqual(known.map(() => true));
    const other = [undefined, "", "3", '"33"', 'w/"3"', '"W/3"'];
    expect(other.map((header) => isKnownTag(header, entityTag(3)))).toEqual(other.map(() => false));
  });

  it("in If-Match are compared strongly and may be plain numbers; invalid ones are refused", () => {
    const matches = (header: string, version: number) => readIfMatch(header)?.(version);
    expect(readIfMatch(undefined)).toBeUndefined();
    expect(['"3"', "3", '"2" , 3', "*", 'W/"3", *'].map((header) => matches(header, 3))).toEqual(Array(5).fill(true));
    expect(['"2"', 'W/"3"', "33", '""', '"3x"'].map((header) => matches(header, 3))).toEqual(Array(5).fill(false));
    for (const header of ["", "a", '"3', '"3",', '"3" "4"', "3a", 'x"3"']) {
      expect(() => readIfMatch(header)).toThrow('If-Match is not a list of entity tags such as "3"');
    }
  });
});

describe("response headers", () => {
  it("tell caches the age and the lifetime of an answer", () => {
    expect([cacheControl(10), cacheControl(900)]).toEqual([
      "private, max-age=10, stale-while-revalidate=10",
      "private, max-age=900, stale-while-revalidate=60",
    ]);
    expect(ageHeaders(4, 10)).toEqual(["age", "4", "cache-status", "logweir; hit; ttl=6"]);
    expect(ageHeaders(11, 10)).toEqual(["age", "11", "cache-status", "logweir; hit; ttl=0"]);
    expect([ageOf(1_000, 2_999), ageOf(1_000, 3_000), ageOf(1_000, 0)]).toEqual([1, 2, 0]);
  });

  it("link to the next page with the call's own URL and another cursor", () => {
    const linkOf = (url: string) => nextPageHeader(url, "c1");
    expect(linkOf("/q")).toEqual(["Link", '</q?cursor=c1>; rel="next"']);
    expect(linkOf("/q?a=1&cursor=old&&cursors=2&cursor&b=x%20y")).toEqual([
      "Link",
      '</q?a=1&cursors=2&b=x%20y&cursor=c1>; rel="next"',
    ]);
    expect(linkOf('/q?a="<>é')).toEqual(["Link", '</q?a=%22%3C%3E%C3%A9&cursor=c1>; rel="next"']);
    const fixed = '</q?a=&cursor=c1>; rel="next"'.length;
    expect(linkOf(`/q?a=${"x".repeat(2_000 - fixed)}`)[0]).toBe("Link");
    expect(linkOf(`/q?a=${"x".repeat(2_001 - fixed)}`)).toEqual(["X-Logweir-Next-Cursor", "c1"]);
  });
});

describe("the parameters of a call", () => {
  const sentRequest = (method: string, type: string | undefined, body: string | undefined, query: string) =>
    request(type === undefined ? {} : { "content-type": type }, {
      method,
      query: parseQueryText(query),
      body: body === undefined ? undefined : new TextEncoder().encode(body),
    });
  const read = async (method: string, type: string | undefined, body: string | undefined, query = "a=1") => [
    ...(await readParameters(sentRequest(method, type, body, query), 100)),
  ];
  const url = [["a", ["1"]]];

  it("come from the URL first, then from the body", async () => {
    expect(await read("POST", "application/json", '{"a":2,"b":null}', "a=1&a=+x")).toEqual([
      ["a", ["1", " x", 2]],
      ["b", [null]],
    ]);
    expect(await read("POST", " Application/X-WWW-Form-Urlencoded;charset=utf-8", "a=2&a=3")).toEqual([
      ["a", ["1", "2", "3"]],
    ]);
    expect(await read("POST", "application/x+json", '{"b":1}')).toEqual([...url, ["b", [1]]]);
    for (const body of [undefined, ""]) expect(await read("POST", "text/plain", body)).toEqual(url);
  });

  it("of a GET come from a JSON body unless the URL has a query", async () => {
    expect(await read("GET", "application/json", '{"b":1}')).toEqual([...url, ["b", [1]]]);
    expect(await read("GET", "text/plain", "b=1")).toEqual(url);
    for (const name of ["sql", "lql"]) {
      expect(await read("GET", "application/json", '{"b":1}', `${name}=x`)).toEqual([[name, ["x"]]]);
    }
  });

  it("may be 1,000, in a URL, in a form, and 50,000 values of JSON, so that nobody holds the request loop", async () => {
    const form = "application/x-www-form-urlencoded";
    const pairs = (count: number) => Array.from({ length: count }, (_, index) => `a${index}=1`).join("&");
    const lists = (count: number) => `{"a":[${"[],".repeat((count - 4) / 2)}1]}`;
    const large = async (type: string | undefined, body?: string, url = "") =>
      [...(await readParameters(sentRequest("POST", type, body, url), 1_000_000)).keys()].length;
    expect(await large(undefined, undefined, pairs(1_000))).toBe(1_000);
    expect(await large(form, pairs(1_000))).toBe(1_000);
    expect(await large("application/json", lists(50_000))).toBe(1);
    const many = { code: "request_too_large", message: "The request has more than 1000 parameters" };
    await expect(large(undefined, undefined, pairs(1_001))).rejects.toMatchObject(many);
    await expect(large(form, pairs(1_001))).rejects.toMatchObject(many);
    const tooMany = { code: "body_too_large", message: "The body has more than 50000 values" };
    await expect(large("application/json", lists(50_002))).rejects.toMatchObject(tooMany);
  });

  it("are refused in a body of another form", async () => {
    const failing = (type: string | undefined, body: string) => expect(read("POST", type, body)).rejects;
    await failing("application/json", "{").toMatchObject({
      code: "invalid_body",
      message: "The body is not valid JSON",
    });
    for (const body of ["[]", "1", "null"]) {
      await failing("application/json", body).toMatchObject({
        code: "invalid_body",
        message: "The body must be a JSON object whose keys are parameters",
      });
    }
    for (const type of [undefined, "text/plain"]) {
      await failing(type, "a=1").toMatchObject({
        code: "unsupported_media_type",
        message: "A body of parameters is application/json or application/x-www-form-urlencoded",
      });
    }
    await failing("application/json", `{"a":"${"x".repeat(100)}"}`).toMatchObject({ code: "body_too_large" });
  });
});

describe("the request headers", () => {
  it.each<[string | undefined, number | undefined]>([
    ["wait=5", 5_000],
    ["respond-async, WAIT = 010", 10_000],
    ['wait="7"; x', 7_000],
    ["a;wait=0,b", 0],
    ["wait=999999", 999_999_000],
    ["wait=1000000", undefined],
    ["wait=5s", undefined],
    ["await=5", undefined],
    ["wait=", undefined],
    [undefined, undefined],
  ])("Prefer %j sets a wait of %j ms, which the response confirms", (prefer, waitMs) => {
    const told: unknown[] = [];
    const reply = { header: (...header: unknown[]) => void told.push(header) } as unknown as FastifyReply;
    expect(readWait(request(prefer === undefined ? {} : { prefer }), reply)).toBe(waitMs);
    expect(told).toEqual(waitMs === undefined ? [] : [["Preference-Applied", `wait=${waitMs / 1_000}`]]);
  });

  it.each<[Headers, string | undefined]>([
    [{ "x-request-id": "a.B-9_" }, "a.B-9_"],
    [{ "x-request-id": "x".repeat(64) }, "x".repeat(64)],
    [{ "x-request-id": "x".repeat(65) }, undefined],
    [{ "x-request-id": "" }, undefined],
    [{ "x-request-id": "a b" }, undefined],
    [{ "x-request-id": "lw_1" }, undefined],
    [{ "x-request-id": "10.0.0.1" }, undefined],
    [{ "x-request-id": "secret", "x-api-key": "secret" }, undefined],
    [{ "x-request-id": "secret", "x-api-key": "other" }, "secret"],
    [{ "x-request-id": "secret", authorization: "Bearer secret" }, undefined],
    [{}, undefined],
  ])("%j set the request id %j", (headers, id) => {
    expect(readRequestId(request(headers) as never)).toBe(id);
  });
});
