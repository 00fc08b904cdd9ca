import { describe, expect, it } from "vitest";
import { type LogEvent, WideNumber } from "../engines/contract/query-engine.ts";
import type { Backend } from "./backend.ts";
import { mask, readBackend, showBackend } from "./backend-document.ts";
import { createConfigSealer } from "./config-sealer.ts";
import { makeRequest } from "./destinations/make-request.ts";
import { writeOtlp } from "./destinations/write-otlp.ts";

const secrets = ["s3cret-header", "s3cret-token", "s3cret-password", "s3cret-query"];

const backend: Backend = {
  id: "7c6ab1a4-0000-4000-8000-000000000001",
  name: "n",
  description: "",
  type: "loki",
  config: {
    url: "https://logs.example/push?key=s3cret-query",
    headers: { authorization: "s3cret-header" },
    gzip: true,
    token: "s3cret-token",
    username: "me",
    password: "s3cret-password",
  },
  metadata: {},
  createdAtMs: 0,
  updatedAtMs: 0,
};

function saved(sent: Record<string, unknown>, before?: Backend): Backend["config"] {
  const read = readBackend(sent, before);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.draft.config;
}

function problemsOf(sent: Record<string, unknown>, before?: Backend): readonly string[] {
  const read = readBackend(sent, before);
  return "problems" in read ? Object.keys(read.problems) : [];
}

describe("a backend document", () => {
  it("never shows a secret", () => {
    const shown = JSON.stringify(showBackend(backend));
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).toContain('"username":"me"');
  });

  it("retains the stored secrets when it is sent back as it was shown", () => {
    const { token: _, ...config } = backend.config;
    const before = { ...backend, config };
    expect(saved(showBackend(before), before)).toEqual(config);
    expect(saved({ name: "other" }, before)).toEqual(config);
  });

  it("of an object store has the keys that sign requests, of which the secret one is never shown", () => {
    const config = { url: "https://s3.example/bucket/logs", access_key_id: "key-1", secret_access_key: "s3cret-key" };
    const sent = { name: "store", type: "s3", config };
    expect(saved(sent)).toEqual({ ...config, headers: {}, gzip: true });
    const store: Backend = {
      ...backend,
      type: "s3",
      config: saved({ ...sent, config: { ...config, region: "eu-1" } }),
    };
    expect(JSON.stringify(showBackend(store))).not.toContain("s3cret-key");
    expect(saved(showBackend(store), store)).toEqual(store.config);
    const elsewhere = { ...showBackend(store).config, url: "https://else.example/bucket" };
    expect(problemsOf({ config: elsewhere }, store)).toEqual(["config.secret_access_key"]);
    expect(problemsOf({ ...sent, config: { url: "https://s3.example/b?x=1", region: "eu/1" } })).toEqual([
      ...["config.access_key_id", "config.secret_access_key", "config.region", "config.url"],
    ]);
  });

  it("must include its secrets again when the address changes, so that they are not sent elsewhere", () => {
    const config = {
      url: "https://elsewhere.example/",
      headers: { authorization: mask },
      password: mask,
      username: "me",
    };
    expect(problemsOf({ config }, backend)).toEqual(["config.headers.authorization", "config.password"]);
    const url = `https://elsewhere.example/push?${mask}`;
    expect(saved({ config: { url } }, backend)).toEqual({ url, headers: {}, gzip: true });
  });

  it.each([
    ["no address", {}, "config.url"],
    ["a file", { url: "file:///etc/passwd" }, "config.url"],
    ["a name and password in the address", { url: "http://me:secret@a.example/" }, "config.url"],
    ["a line break in the address", { url: "http://a.example/\r\nx" }, "config.url"],
    ["a line break before the address", { url: "\nhttp://a.example/" }, "config.url"],
    ["a tab in the address", { url: "http://a.exa\tmple/" }, "config.url"],
    ["a blank in the address", { url: "http://a.example/ b" }, "config.url"],
    ["a line separator in the address", { url: "http://a.example/\u2028" }, "config.url"],
    [
      "the header of drains",
      { url: "http://a.example/", headers: { "Logweir-Hops": "b" } },
      "config.headers.Logweir-Hops",
    ],
    ["a line break in a header", { url: "http://a.example/", headers: { a: "b\r\nc: d" } }, "config.headers.a"],
    ["an invalid header name", { url: "http://a.example/", headers: { "a b": "c" } }, "config.headers.a b"],
    [
      "a header that the request sets itself",
      { url: "http://a.example/", headers: { Host: "b" } },
      "config.headers.Host",
    ],
    ["a field of another type", { url: "http://a.example/", token: "t" }, "config.token"],
    ["a mask without a stored secret", { url: "http://a.example/", headers: { a: mask } }, "config.headers.a"],
  ])("with %s is refused by the name of the field", (_, config, field) => {
    expect(problemsOf({ name: "n", type: "webhook", config })).toEqual([field]);
  });

  it("has no line breaks in its name, its token and its other texts, but in its description", () => {
    const config = { url: "http://a.example/" };
    expect(problemsOf({ name: "a\nb", type: "webhook", config })).toEqual(["name"]);
    expect(problemsOf({ name: "n", description: "a\nb", type: "webhook", config })).toEqual([]);
    for (const token of ["a\r\nb: c", "\u2028", "\u00e4"]) {
      expect(problemsOf({ name: "n", type: "logweir", config: { ...config, token } })).toEqual(["config.token"]);
    }
    expect(problemsOf({ name: "n", type: "logweir", config: { ...config, source: "a\nb" } })).toEqual([
      "config.source",
    ]);
  });

  it("is refused with all of its problems together", () => {
    expect(problemsOf({ type: "ftp", metadata: [], more: 1 })).toEqual([
      "more",
      "type",
      "name",
      "config",
      "config.url",
      "metadata",
    ]);
  });
});

describe("a sealed configuration", () => {
  it("can be opened only with the key that sealed it", () => {
    const sealer = createConfigSealer(new Uint8Array(32));
    const sealed = sealer.seal("s3cret");
    expect(sealed).not.toContain("s3cret");
    expect(sealer.open(sealed)).toBe("s3cret");
    expect(createConfigSealer(new Uint8Array(32).fill(1)).open(sealed)).toBeUndefined();
    expect(sealer.open("")).toBeUndefined();
  });

  it("cannot be opened when any byte of it was changed or cut off", () => {
    const sealer = createConfigSealer(new Uint8Array(32));
    const bytes = Buffer.from(sealer.seal("s3cret"), "base64url");
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1);
      expect(sealer.open(changed.toString("base64url"))).toBeUndefined();
      expect(sealer.open(bytes.subarray(0, at).toString("base64url"))).toBeUndefined();
    }
  });
});

describe("a request to a destination", () => {
  const event: LogEvent = {
    ...{ id: "a", hasGeneratedId: false, timestampUs: 1_787_216_400_000_000n, eventMessage: "m" },
    fields: { project: "p", big: 12345678901234567890123n, wide: new WideNumber("1e400") },
  };
  const text = (time: string) =>
    `{"id":"a"${time},"event_message":"m","project":"p","big":12345678901234567890123,"wide":1e400}`;
  const to = (type: Backend["type"], config: Partial<Backend["config"]>) =>
    makeRequest(
      { ...backend, type, config: { url: "http://d.example/", headers: {}, gzip: true, ...config } },
      { source: "edge", events: [event], hops: ["0123456789abcdef", "fedcba9876543210"] },
    );

  it("sends a webhook the events, with the source's name in a header", () => {
    const request = to("webhook", { url: "http://d.example/x?y=1", headers: { a: "b" } });
    expect(request).toMatchObject({ url: "http://d.example/x?y=1", headers: { a: "b", "x-logweir-source": "edge" } });
    expect(request.headers["logweir-hops"]).toBe("0123456789abcdef, fedcba9876543210");
    expect(request.body).toBe(`[${text(',"timestamp":1787216400000000')}]`);
  });

  it("sends another Logweir the events for the same or another source name, below any path", () => {
    expect(to("logweir", { token: "t" })).toMatchObject({
      url: "http://d.example/api/logs?source_name=edge",
      headers: { "x-api-key": "t" },
    });
    expect(to("logweir", { url: "http://d.example/logs", source: "far" }).url).toBe(
      "http://d.example/logs/api/logs?source_name=far",
    );
  });

  it("sends Loki one stream per project, in nanoseconds, with Basic authentication", () => {
    const request = to("loki", { username: "me", password: "pw" });
    expect(request.url).toBe("http://d.example/loki/api/v1/push");
    expect(request.headers).toMatchObject({ authorization: `Basic ${btoa("me:pw")}` });
    expect(JSON.parse(request.body)).toEqual({
      streams: [{ stream: { source: "edge", project: "p" }, values: [["1787216400000000000", text("")]] }],
    });
    expect(to("loki", { url: "http://d.example/own" }).url).toBe("http://d.example/own");
  });

  it("sends OTLP a record for each event, with every digit of its fields and the times that it can hold", () => {
    const request = to("otlp", { headers: { "api-key": "k" } });
    expect(request).toMatchObject({ url: "http://d.example/v1/logs", headers: { "api-key": "k" } });
    expect(to("otlp", { url: "http://d.example/own" }).url).toBe("http://d.example/own");
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const recordsOf = (...events: readonly LogEvent[]) => {
      const { resourceLogs } = JSON.parse(writeOtlp("edge", events));
      expect(resourceLogs[0].resource).toEqual({ attributes: [text("service.name", "edge")] });
      return resourceLogs[0].scopeLogs[0].logRecords;
    };
    expect(JSON.parse(request.body).resourceLogs[0].scopeLogs[0].logRecords).toEqual(recordsOf(event));
    expect(recordsOf(event)).toEqual([
      {
        timeUnixNano: "1787216400000000000",
        observedTimeUnixNano: "1787216400000000000",
        body: { stringValue: "m" },
        attributes: [
          ...[text("logweir.id", "a"), text("project", "p")],
          ...[text("big", "12345678901234567890123"), text("wide", "1e400")],
        ],
      },
    ]);
    const metadata = { level: "Warning", trace_id: "0AF7651916CD43DD8448EB211C80319C", span_id: "0000000000000000" };
    const values = { n: 1, x: 0.5, big: 2n ** 63n - 1n, yes: true, list: ["a", 2, { b: [false] }], metadata };
    expect(recordsOf({ ...event, eventMessage: null, timestampUs: -5n, fields: values })).toEqual([
      {
        severityText: "Warning",
        severityNumber: 13,
        traceId: "0af7651916cd43dd8448eb211c80319c",
        attributes: [
          text("logweir.id", "a"),
          { key: "logweir.timestamp", value: { intValue: "-5" } },
          { key: "n", value: { intValue: "1" } },
          { key: "x", value: { doubleValue: 0.5 } },
          { key: "big", value: { intValue: "9223372036854775807" } },
          { key: "yes", value: { boolValue: true } },
          {
            key: "list",
            value: {
              arrayValue: {
                values: [
                  { stringValue: "a" },
                  { intValue: "2" },
                  {
                    kvlistValue: {
                      values: [{ key: "b", value: { arrayValue: { values: [{ boolValue: false }] } } }],
                    },
                  },
                ],
              },
            },
          },
          {
            key: "metadata",
            value: { kvlistValue: { values: Object.entries(metadata).map(([key, value]) => text(key, value)) } },
          },
        ],
      },
    ]);
    const last = 18_446_744_073_709_551n;
    const [held, beyond] = recordsOf({ ...event, timestampUs: last }, { ...event, timestampUs: last + 1n });
    expect([held.timeUnixNano, beyond.timeUnixNano]).toEqual([`${last}000`, undefined]);
  });
});
