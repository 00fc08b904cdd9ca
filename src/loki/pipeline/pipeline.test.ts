import { describe, expect, it } from "vitest";
import { parseLogql } from "../logql/parse-logql.ts";
import { compilePipeline } from "./compile-pipeline.ts";
import { LineLabels } from "./line-labels.ts";
import { parseTemplate } from "./template.ts";

/** The result of a pipeline for a line; undefined where it drops it. */
function run(stages: string, line: string, stream: Readonly<Record<string, string>> = { app: "web" }) {
  const query = parseLogql(`{app=~".+"} ${stages}`);
  if (query.kind !== "log") throw new Error("It is no log query");
  const labels = new LineLabels(new Map(Object.entries(stream)), new Map([["trace", "t1"]]));
  const text = compilePipeline(query.stages)(line, labels);
  return text === undefined ? undefined : { line: text, labels: Object.fromEntries(labels.of("parsed")) };
}

const same = (line: string, labels: object = {}) => ({ line, labels });
const json = '{"a":"x","n":1.50,"deep":{"b":true,"c d":null},"list":[1,{"k":"v"}],"app":"inner","9z":"q"}';
const logfmt = 'level=warn msg="a \\"b\\" c" took=12ms size=5KB empty= flag n=-3';

describe("line filters", () => {
  it.each([
    ['|= "err"', "an error", true],
    ['|= "ERR"', "an error", false],
    ['!= "err"', "an error", false],
    ['|~ "e.r"', "an error", true],
    ['|~ "^err"', "an error", false],
    ['|~ "(?i)ERR"', "an error", true],
    ['!~ "e.r"', "fine", true],
    ['|= "x" or "err"', "an error", true],
    ['!= "x" or "err"', "an error", false],
    ['|= "an" |= "err" != "no"', "an error", true],
    ['|> "<_>took <_>ms"', "it took 5ms", true],
    ['|> "took <_>ms"', "it took 5ms", true],
    ['|> "took <_>"', "it took ", false],
    ['|> "<_>took"', "took", false],
    ['|> ""', "", true],
    ['|> ""', "x", false],
    ['!> "<_>took<_>"', "it took 5ms", false],
    ['|> "<_>ab"', "xabab", false],
    ['|= ip("10.0.0.0/8")', "from 10.1.2.3 to here", true],
    ['|= ip("10.0.0.0/8")', "from 11.1.2.3", false],
    ['!= ip("192.168.0.1-192.168.0.9")', "from 192.168.0.5", false],
    ['|= ip("2001:db8::/32")', "from 2001:db8::1 on", true],
    ['|= ip("172.16.0.1")', "from 172.16.0.1:8080 refused", true],
    ['|= ip("1.2.3.0/24")', "version 1.2.3", false],
    ['|= ip("fe80::/10")', "peer=[fe80::1]:443", true],
    ["|= `a\\d`", "a\\d", true],
    ['|= "a\\u00e9\\x41"', "aéA", true],
  ])("%s over %s", (stages, line, isThere) => {
    expect(run(stages, line)).toEqual(isThere ? same(line) : undefined);
  });
});

const noObject = "Value looks like object, but can't find closing '}' symbol";
const noArray = "Value is array, but can't find closing ']' symbol";

describe("parsers", () => {
  it.each([
    ["| json", json, { a: "x", n: "1.50", deep_b: "true", app_extracted: "inner", _9z: "q" }],
    [
      '| json a="deep.b", b="list[1].k", c="list", d="no", e="[\\"9z\\"]"',
      json,
      { a: "true", b: "v", c: '[1,{"k":"v"}]', d: "", e: "q" },
    ],
    ["| json a", json, { a: "x" }],
    ["| json", "no json", { __error__: "JSONParserErr", __error_details__: noObject }],
    ["| json", "[1]", { __error__: "JSONParserErr", __error_details__: noObject }],
    ["| json", '{"a":1,"b":2', { a: "1", b: "2", __error__: "JSONParserErr", __error_details__: noArray }],
    ["| json", '{"a":1,"b":x}', { a: "1", __error__: "JSONParserErr", __error_details__: "Unknown value type" }],
    ["| json", '{"a":"1","a":"2","e":"","t":"a\tb\\u00e9"}', { a: "1", e: "", t: "a\tbé" }],
    ["| json", '{"a":{"1b":{"":"x"},"app":"y"},"n":null,"l":[1]}', { a_1b: "x", a_app: "y" }],
    ["| json | json", '{"a":"1"}', { a: "1" }],
    ["| json x", "42", { __error__: "JSONParserErr" }],
    ["| json x", '"a text"', { x: "" }],
    ["| json x", "", {}],
    ["| json | label_format a=`new` | json", '{"a":"1"}', { a: "new" }],
    ["| logfmt", logfmt, { level: "warn", msg: 'a "b" c', took: "12ms", size: "5KB", n: "-3" }],
    ['| logfmt lvl="level", n', logfmt, { lvl: "warn", n: "-3" }],
    ["| logfmt", 'a=1 b="open c=2', { a: "1" }],
    ["| logfmt", "a=1 a=2 =b lone x==y z=3", { a: "1", z: "3" }],
    ["| logfmt", 'a="b\\nc" d="\\x" e=f"g h=1', { a: "b\nc", h: "1" }],
    ["| logfmt --keep-empty", 'a= b="" lone', { a: "", b: "", lone: "" }],
    ["| logfmt a, none", "a=1 a=2", { a: "2", none: "" }],
    ["| logfmt app", "app=inner", { app_extracted: "inner" }],
    [
      "| logfmt --strict",
      'a=1 b="open',
      {
        a: "1",
        __error__: "LogfmtParserErr",
        __error_details__: "logfmt syntax error at pos 12 : unterminated quoted value",
      },
    ],
    ['| regexp "(?P<method>\\\\w+) (?P<path>\\\\S+)"', "GET /a 200", { method: "GET", path: "/a" }],
    ['| regexp "(?P<x>zz)"', "GET", {}],
    [
      '| pattern "<ip> - <_> \\"<method> <path>\\""',
      '1.2.3.4 - me "GET /a"',
      { ip: "1.2.3.4", method: "GET", path: "/a" },
    ],
    ['| pattern "<a> - <b>"', "only", { a: "only" }],
    ['| pattern "x <a>"', "only", {}],
    ["| json | trace = `t1`", '{"trace":"mine"}', { trace_extracted: "mine" }],
  ])("%s reads %s", (stages, line, labels) => {
    expect(run(stages, line)).toEqual(same(line, labels));
  });

  it("unpack puts the packed line in the place of the line", () => {
    expect(run("| unpack", '{"_entry":"the line","pod":"p1","n":1}')).toEqual(same("the line", { pod: "p1" }));
  });

  it.each([
    ['{"pod":"p1"}', {}],
    ["not packed", { __error__: "JSONParserErr", __error_details__: "expecting json object(6), but it is not" }],
    ["", {}],
  ])("unpack leaves the line %s", (line, labels) => {
    expect(run("| unpack", line)).toEqual(same(line, labels));
  });

  const hostile = ["a", "9", 'k="', '"', '" ', "= ", 'k="\\x" ', 'k="\\\\" ', '{"k":'];
  it.each(hostile.map((part) => part.repeat(600_000 / part.length)))(
    "a line of 600,000 characters is read in linear time",
    (line) => {
      const stages = '| logfmt | x > 5ms or y > 1KB or z > 1 or app = "web" | line_format "read"';
      expect(run(stages, `x=${line} y=${line} z=${line}`)?.line).toBe("read");
    },
  );
});

describe("what a line can cost", () => {
  it("objects are read to a depth of 50", () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    expect(run("| json", deep)).toEqual(same(deep));
    const known = `${'{"a":'.repeat(50)}1${"}".repeat(50)}`;
    expect(run("| json", known)?.labels).toEqual({ [Array.from({ length: 50 }, () => "a").join("_")]: "1" });
    const deeper = `{"a":${known}}`;
    expect(run("| json", deeper)?.labels).toEqual({});
  });

  it("a line makes 1,000 labels at most", () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`k${n}`, n])));
    expect(Object.keys(run("| json", wide)?.labels ?? {})).toHaveLength(1_000);
    const pairs = Array.from({ length: 1_500 }, (_, n) => `k${n}=${n}`).join(" ");
    expect(Object.keys(run("| logfmt", pairs)?.labels ?? {})).toHaveLength(1_000);
  });

  it("a regular expression takes steps in proportion to the line, and is refused for lines too long for it", () => {
    const stages = '| decolorize |~ "(a+)+$"';
    expect(run(stages, `${"a".repeat(100_000)}b`)).toBeUndefined();
    expect(() => run(stages, "a".repeat(5_000_000))).toThrow(expect.objectContaining({ code: "limit_exceeded" }));
  });
});

describe("label filters", () => {
  it.each([
    ['level="warn"', true],
    ['level!="warn"', false],
    ['level=~"w.*"', true],
    ['level=~"w"', false],
    ['level!~"e.*"', true],
    ['missing=""', true],
    ['missing!=""', false],
    ["took>10ms", true],
    ["took>=12ms", true],
    ["took>12ms", false],
    ["took<1s", true],
    ["size=5000B", true],
    ["size==5KB", true],
    ["size<5KiB", true],
    ["n=-3", true],
    ["n!=-3", false],
    ["n<0", true],
    ["missing<0", false],
    ["missing>0 or n=-3", true],
    ["empty>0", true],
    ['level="warn" and n=-3', true],
    ['level="warn", n=4', false],
    ['level="warn" n=-3', true],
    ['level="x" or n=-3', true],
    ['level="x" or n=-3 and took>1s', false],
    ['(level="x" or n=-3) and took<1s', true],
    ['app="web" | trace="t1"', true],
    ['app = ip("10.0.0.1")', false],
  ])("%s", (filter, isThere) => {
    expect(run(`| logfmt --keep-empty | ${filter}`, logfmt) !== undefined).toBe(isThere);
  });

  it("tells a value that is no number in the labels", () => {
    expect(run("| logfmt level | level > 5", logfmt)?.labels).toEqual({
      level: "warn",
      __error__: "LabelFilterErr",
      __error_details__: 'strconv.ParseFloat: parsing "warn": invalid syntax',
    });
  });
});

it("a line that no parser could read has no number to compare", () => {
  expect(run("| json | n > 5", "no json")).toBeUndefined();
});

describe("formats", () => {
  it("a template of a label sees the labels as they were before the stage", () => {
    expect(run("| json a | label_format a=`{{.n}}!`, b=`{{.a}}`", json)?.labels).toEqual({ a: "!", b: "x" });
  });

  it.each([
    ['| logfmt | line_format "{{.level}}: {{.msg}}{{.missing}}"', 'warn: a "b" c'],
    ['| logfmt | line_format "{{.level | ToUpper}} {{__line__ | trunc 5}}"', "WARN level"],
    ['| logfmt | line_format "{{if eq .level \\"warn\\"}}W{{else}}-{{end}}"', "W"],
    ['| logfmt | line_format "{{if .missing}}W{{else if .level}}L{{end}}"', "L"],
    ['| logfmt | line_format `{{printf "%-6s|%05d|%.2f" .level 42 1.5}}`', "warn  |00042|1.50"],
    ['| logfmt | line_format `{{ .app | replace "w" "W" }}-{{ add 1 2 3 }}-{{ div 7 2 }}`', "Web-6-3"],
    ["| logfmt | line_format `a {{- .level -}} b`", "awarnb"],
    ['| line_format `{{ trunc 3 "naïve" }}|{{ trunc -2 "café" }}|{{ substr 0 4 "naïve" }}`', "na\uFFFD|é|naï"],
    [
      '| line_format `{{ bytes "3MB" }} {{ duration "50us" }} {{ bytes "512B" }} {{ addf 1.5 1 }}`',
      "3e+06 5e-05 512 2.5",
    ],
    ["| line_format `{{ subf 0.11 0.1 }} {{ divf 0.11 3 }} {{ add 1 2 }}`", "0.01 0.0366666666666667 3"],
    ['| logfmt | line_format `{{ regexReplaceAll "(w)(a)" .level "$2$1" }}`', "awrn"],
    ['| logfmt | line_format `{{ .level | default "x" }}{{ .missing | default "x" }}`', "warnx"],
  ])("%s", (stages, line) => {
    expect(run(stages, logfmt)?.line).toBe(line);
  });

  it.each([
    ["| label_format lvl=app", { app: undefined, lvl: "web" }],
    ['| label_format a="{{.app}}!", b=trace', { a: "web!", b: "t1" }],
    ["| json a | drop a, app", { a: undefined, app: undefined }],
    ['| json a, n | drop a="y", n=~"1.*"', { a: "x", n: undefined }],
    ["| json a, n | keep a", { a: "x", n: undefined, app: undefined }],
  ])("%s", (stages, expected) => {
    const query = parseLogql(`{app=~".+"} ${stages}`);
    if (query.kind !== "log") throw new Error("It is no log query");
    const labels = new LineLabels(new Map([["app", "web"]]), new Map([["trace", "t1"]]));
    compilePipeline(query.stages)(json, labels);
    for (const [name, value] of Object.entries(expected)) expect([name, labels.get(name)]).toEqual([name, value]);
  });

  it("values of different kinds are not compared", () => {
    expect(run("| json n | line_format `{{ if eq 1 .n }}one{{ end }}`", json)?.labels).toMatchObject({
      ...{ __error__: "TemplateFormatErr", __error_details__: "incompatible types for comparison" },
    });
  });

  it("decolorize takes colours away", () => {
    expect(run("| decolorize", "\u001b[31mred\u001b[0m")?.line).toBe("red");
  });

  it.each(["{{range .a}}{{end}}", "{{if .a}}", "{{.a", "{{nope .a}}", "{{$x := 1}}", "{{end}}", '{{"a" | .b}}'])(
    "refuses the template %s",
    (source) => {
      expect(() => parseTemplate(source)).toThrow(/template/);
    },
  );

  it("bounds what a template makes", () => {
    const source = `{{ repeat 1000000000 "x" }}`;
    expect(run(`| line_format \`${source}\``, "x")?.labels.__error__).toBe("TemplateFormatErr");
  });
});
