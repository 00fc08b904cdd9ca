/** A line as Loki's push API takes it: nanoseconds, text, structured metadata. */
type PushedLine = readonly [ns: string, line: string, metadata: Readonly<Record<string, string>>];

export interface PushedStream {
  readonly stream: Readonly<Record<string, string>>;
  readonly values: readonly PushedLine[];
}

/** The first lines are of this time, the last of five minutes later: Loki's ingester tells nothing of old lines. */
export const firstMs = Math.floor(Date.now() / 60_000 - 20) * 60_000;

/** Nanoseconds since 1970 of a second behind the first lines. */
export const nsAt = (second: number) => `${BigInt(firstMs) * 1_000_000n + BigInt(Math.round(second * 1e9))}`;

type Metadata = PushedLine[2];
type Line = readonly [second: number, line: string, metadata?: Metadata];

/** Each stream is some milliseconds behind the one before it: lines of one time have no order among streams. */
const toStream = ([stream, lines]: readonly [PushedStream["stream"], readonly Line[]], n: number): PushedStream => ({
  stream,
  values: lines.map(([second, line, metadata = {}]) => [nsAt(second + n / 1_000), line, metadata]),
});

/** Makes lines, one every so many seconds. */
const every = (seconds: number, count: number, make: (n: number) => string | readonly [string, Metadata]) =>
  Array.from({ length: count }, (_, n): Line => {
    const made = make(n);
    return typeof made === "string" ? [n * seconds, made] : [n * seconds, made[0], made[1]];
  });

const of = <T>(values: readonly T[], n: number) => values[n % values.length] as T;

const shop = every(10, 24, (n) => {
  const fields = [
    `level=${of(["info", "warn", "error"], n)} method=${of(["GET", "POST", "GET", "PUT"], n)}`,
    `path=${of(["/a", "/b", "/a/b", "/c?d=1"], n)} status=${of([200, 404, 500, 201, 503], n)}`,
    `took=${of(["100ms", "1.5s", "50us", "2m", "1h2m3s"], n)} size=${of(["1KB", "2KiB", "512B", "3MB"], n)}`,
    `count=${(n * 7) % 11} ratio=0.${n} msg="${of(["all is fine", 'said \\"no\\"', "failed = true"], n)}"`,
  ];
  return [fields.join(" "), { trace_id: `t${n % 3}`, tier: of(["gold", "free"], n) }];
});

const auth = every(15, 14, (n) => {
  const user = { name: of(["ann", "bob", "cy"], n), id: n % 3, address: { city: of(["Oslo", "Köln"], n) } };
  const event = { user, ok: n % 2 === 0, ms: n * 1.25, took: `${n * 20}ms`, size: `${n}KB`, tags: ["x", `y${n % 2}`] };
  return JSON.stringify({ ...event, none: null, "dotted.key": n, "with space": "s", env: "inner", level: "info" });
});

const nginx = every(12, 16, (n) => {
  const request = `${of(["GET", "POST"], n)} ${of(["/x", "/y/z", "/health"], n)} HTTP/1.1`;
  return `${of(["10.0.0.1", "10.1.2.3", "192.168.1.7", "8.8.8.8"], n)} - - "${request}" ${of([200, 502], n)} ${n * 64}`;
});

const net: readonly Line[] = [
  [3, "from 10.0.0.1 to 192.168.1.7"],
  [6, "from ::1 to 2001:db8::1"],
  [9, "no address, version 1.2.3"],
  [12, "from 172.16.0.1:8080 refused"],
  [15, "addr=10.255.255.255, peer=[fe80::1]:443"],
];

const packed: readonly Line[] = [
  [2, '{"_entry":"packed line one","pod":"p1","zone":"z1"}'],
  [4, '{"_entry":"packed line two","pod":"p2","app":"inner"}'],
  [8, '{"pod":"p3"}'],
  [16, "not packed"],
  [32, '{"_entry":"level=info inner=logfmt","pod":"p1","n":5}'],
];

const odd: readonly Line[] = [
  [1, ""],
  [2, "   "],
  [3, "\u001b[31mred\u001b[0m and \u001b[1;32mgreen\u001b[0m"],
  [4, "naïve café 日本語 😀 Ünï"],
  [5, '{"broken": '],
  [6, 'a="unclosed b=2'],
  [7, "key=value key=again =nokey lone x==y"],
  [8, "tab\tseparated\tline"],
  [9, "first of a second"],
  [9.000000002, "second of a second"],
  [9.000000004, "third of a second"],
  [10.001, "a millisecond behind"],
  [11, '["an","array"]'],
  [12, '"a text"'],
  [13, "42"],
  [14, '{"a":{"b":{"c":1}},"a_b_c":2,"A-B":"dash","9x":"nine","ключ":"letters","e":"","l":[1,2]}'],
  [15, 'empty= quoted="" b="x y" c=\'single\' d="tab\\tin" é=1'],
  [16, "%d percent {{ braces }} \\ backslash 'quotes\""],
  [17, `long ${"word ".repeat(60)}end`],
];

/** Numbers that grow, every second. */
const ticks = every(1, 120, (n) => `n=${n} wave=${((n * 37) % 50) - 10}.5 kind=${of(["a", "b"], n)}`);

const streams: readonly (readonly [PushedStream["stream"], readonly Line[]])[] = [
  [{ app: "shop", env: "prod", cluster: "eu" }, shop],
  [{ app: "shop", env: "dev", cluster: "eu" }, shop.slice(0, 5)],
  [{ app: "auth", env: "prod", cluster: "us" }, auth],
  [{ app: "nginx", env: "prod" }, nginx],
  [{ app: "net", env: "dev" }, net],
  [{ app: "packed", env: "test" }, packed],
  [{ app: "odd", env: "test", note: 'quote " and \\ and é' }, odd],
  [{ app: "ticks", env: "test", pod: "p-1" }, ticks],
  [{ app: "ticks", env: "test", pod: "p-2" }, ticks.slice(0, 30)],
];

/** Lines of every kind that the queries tell apart. */
export const pushedStreams: readonly PushedStream[] = streams.map(toStream);
