import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactJson } from "./redact-json.ts";
import { redactText } from "./redact-text.ts";

/** Texts with addresses, and what is left of them. */
const redacted: readonly (readonly [string, string])[] = [
  // IPv4
  ["127.0.0.1", "REDACTED"],
  ["0.0.0.0", "REDACTED"],
  ["255.255.255.255", "REDACTED"],
  ["192.168.001.010", "REDACTED"],
  ["from 10.1.2.3 to 10.1.2.4", "from REDACTED to REDACTED"],
  ["10.1.2.3,10.1.2.4;10.1.2.5", "REDACTED,REDACTED;REDACTED"],
  ["10.0.0.1-10.0.0.9", "REDACTED-REDACTED"],
  ["10.0.0.1.", "REDACTED."],
  ["10.0.0.1:", "REDACTED:"],
  ["(10.0.0.1)", "(REDACTED)"],
  ["'10.0.0.1'", "'REDACTED'"],
  ["<10.0.0.1>", "<REDACTED>"],
  ["[10.0.0.1]", "[REDACTED]"],
  ["{10.0.0.1}", "{REDACTED}"],
  ["ip=10.0.0.1&x=1", "ip=REDACTED&x=1"],
  ["ip:10.0.0.1", "ip:REDACTED"],
  ["ip_10.0.0.1", "ip_REDACTED"],
  ["10.0.0.1:8080", "REDACTED"],
  ["10.0.0.1:65536", "REDACTED:65536"],
  ["http://10.0.0.1:8080/x", "http://REDACTED/x"],
  ["http://10.0.0.1/24", "http://REDACTED"],
  ["10.0.0.0/8", "REDACTED"],
  ["10.0.0.0/33", "REDACTED/33"],
  ["10.0.0.1/index.html", "REDACTED/index.html"],
  ["user@10.0.0.1", "user@REDACTED"],
  ["4.3.2.1.in-addr.arpa", "REDACTED.in-addr.arpa"],
  ["\t10.0.0.1\n", "\tREDACTED\n"],
  ["\\n10.0.0.1", "\\nREDACTED"],
  ["deny 10.0.0.1: timed out", "deny REDACTED: timed out"],
  ["at 12:30:45 10.0.0.1 left", "at 12:30:45 REDACTED left"],
  ["12:30:10.0.0.1", "12:30:REDACTED"],
  ["bad:10.0.0.1", "bad:REDACTED"],
  ["->10.0.0.1|10.0.0.2", "->REDACTED|REDACTED"],
  ["host=10.0.0.1\u00a0ok", "host=REDACTED\u00a0ok"],
  // IPv6
  ["::1", "REDACTED"],
  ["127.0.0.1 and ::1", "REDACTED and REDACTED"],
  ["2001:db8::1", "REDACTED"],
  ["2001:0db8:0000:0000:0000:ff00:0042:8329", "REDACTED"],
  ["2001:db8:0:0:0:ff00:42:8329", "REDACTED"],
  ["2001:DB8::FF00:42:8329", "REDACTED"],
  ["fe80::", "REDACTED"],
  ["2001:db8::", "REDACTED"],
  ["1:2:3:4:5:6:7::", "REDACTED"],
  ["::2:3:4:5:6:7:8", "REDACTED"],
  ["2001:db8::/32", "REDACTED"],
  ["2001:db8::1/128", "REDACTED"],
  ["2001:db8::1/129", "REDACTED/129"],
  ["fe80::1%eth0", "REDACTED"],
  ["fe80::1%eth0.", "REDACTED."],
  ["fe80::1%25en1", "REDACTED"],
  ["fe80::1%eth0/64", "REDACTED"],
  ["[2001:db8::1]", "REDACTED"],
  ["[2001:db8::1]:443", "REDACTED"],
  ["[fe80::1%eth0]:443", "REDACTED"],
  ["http://[2001:db8::1]:443/path", "http://REDACTED/path"],
  ["http://[::1]/path", "http://REDACTED/path"],
  ["[2001:db8::1, ::1]", "[REDACTED, REDACTED]"],
  ["2001:db8:1:2:3:4:5:6:8080", "REDACTED"],
  ["::ffff:10.0.0.1", "REDACTED"],
  ["::FFFF:10.0.0.1", "REDACTED"],
  ["::10.0.0.1", "REDACTED"],
  ["64:ff9b::10.0.0.1", "REDACTED"],
  ["0:0:0:0:0:ffff:10.0.0.1", "REDACTED"],
  ["[::ffff:10.0.0.1]:80", "REDACTED"],
  ["::ffff:10.0.0.1:80", "REDACTED"],
  ["::ffff:10.0.0.1/96", "REDACTED"],
  ["::ffff:a00:1", "REDACTED"],
  ["address:2001:db8::1", "address:REDACTED"],
  ["ip=2001:db8::1,", "ip=REDACTED,"],
  ['"2001:db8::1"', '"REDACTED"'],
  ["(2001:db8::1)", "(REDACTED)"],
  ["2001:db8::1: error", "REDACTED: error"],
  ["2001:db8::1:error", "REDACTED:error"],
  ["2001:db8::1.", "REDACTED."],
  ["2001:db8::1;2001:db8::2", "REDACTED;REDACTED"],
  ["client 2001:db8::1, upstream ::1", "client REDACTED, upstream REDACTED"],
  ["x2001 ::1", "x2001 REDACTED"],
  ["[::1]:5432 refused", "REDACTED refused"],
];

/** Near misses: they stay. */
const kept: readonly string[] = [
  "",
  "not 12192.168.1.11",
  "192.168.1.1111",
  "1.2.3",
  "1.2.3.",
  "1.2.3.4.5",
  "v1.2.3.4",
  "1.2.3.4beta",
  "256.1.1.1",
  "1.256.1.1",
  "1.2.3.999",
  "1..2.3.4",
  "3.14159",
  "-12.5.",
  "12:30",
  "12:30:45",
  "12:30:45.123",
  "2026-08-20T09:00:00Z",
  "2026-08-20T09:00:00.123456+02:00",
  "00:1a:2b:3c:4d:5e",
  "0aE4a1b2-0000-4000-8000-000000000001",
  "d41d8cd98f00b204e9800998ecf8427e",
  "SHA256:ab:cd",
  "aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99",
  "std::string",
  "std::vector<int>",
  "Foo::Bar::baz",
  "module::add",
  "x::text",
  "1::int",
  "'a'::jsonb",
  "a::text",
  "::",
  "a :: b",
  ":",
  ":::",
  "::::",
  "1:2:3:4:5:6:7",
  "1::2::3",
  "12345::1",
  "g::1",
  "http://example.com:8080/a:b",
  "key:value",
  "a:b:c",
  "C:\\Users\\x",
  "1.2.3.4e5",
  "100.00%",
  "$1.234.567,89",
  "10,0,0,1",
  "10.0.0",
  "ver 10.15.7",
  "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.6099.109abc",
  "2:1 ratio",
  "Bearer abc:def",
  "::text",
  "٣.١.٢.٤",
];

describe("redacting text", () => {
  it.each(redacted)("turns %j into %j", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each(kept.map((text) => [text]))("leaves %j", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("finds every IPv4 and IPv6 address between arbitrary punctuation", () => {
    const punctuation = fc.constantFrom(
      " ",
      ",",
      ";",
      "(",
      ")",
      '"',
      "'",
      "=",
      "<",
      ">",
      "|",
      "{",
      "}",
      "\n",
      "&",
      "?",
    );
    const address = fc.oneof(fc.ipV4(), fc.ipV6()).filter((text) => text !== "::");
    fc.assert(
      fc.property(punctuation, address, punctuation, (before, text, after) => {
        expect(redactText(before + text + after)).toBe(`${before}REDACTED${after}`);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it("takes linear time on hostile texts", () => {
    const hostile = [
      "1.",
      "1:",
      "::",
      "1.1.1.",
      "a:",
      "fe80::1%",
      "[::",
      "1.2.3.4:",
      "ffff:ffff:",
      "ffff",
      "1111",
      "1.1",
    ];
    for (const part of hostile) {
      const started = performance.now();
      redactText(part.repeat(200_000));
      expect(performance.now() - started, part).toBeLessThan(3_000);
    }
  });
});

describe("redacting JSON", () => {
  it("touches string values at every depth, and neither keys nor other values", () => {
    const json =
      '{"10.0.0.1":"10.0.0.1","n":1.5e3,"big":12345678901234567890,"a":[{"b":[{"c":"x ::1"}],"d":null}],"e":true}';
    expect(redactJson(json)).toBe(
      '{"10.0.0.1":"REDACTED","n":1.5e3,"big":12345678901234567890,"a":[{"b":[{"c":"x REDACTED"}],"d":null}],"e":true}',
    );
  });

  it("reads escapes as the characters they stand for", () => {
    expect(redactJson(String.raw`{"a":"\u0031\u0030.0.0.1 \"::1\" \\"}`)).toBe(
      String.raw`{"a":"REDACTED \"REDACTED\" \\"}`,
    );
    expect(redactJson(String.raw`{"a":"\n10.0.0.1\\","b":"\\"}`)).toBe(String.raw`{"a":"\nREDACTED\\","b":"\\"}`);
  });

  it("keeps keys that are written with space before the colon", () => {
    expect(redactJson('{"::1" : "::1"}')).toBe('{"::1" : "REDACTED"}');
  });

  it("redacts rows that are separated by commas", () => {
    expect(redactJson('{"a":"::1"},{"a":"10.0.0.1"}')).toBe('{"a":"REDACTED"},{"a":"REDACTED"}');
  });

  it("gives valid JSON of the same shape for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result: unknown = JSON.parse(redactJson(JSON.stringify(value)));
        const shape = (each: unknown) =>
          JSON.stringify(each, (_key, inner) => (typeof inner === "string" ? "" : inner));
        expect(shape(result)).toBe(shape(value));
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
