import fc from "fast-check";

/** Part of every value and of many keys of other tenants. No answer may contain it. */
export const foreignMark = "FOREIGN";

/**
 * A tenant that queries, the events that it sent, and those that others sent before and after. All events as JSON
 * texts, by source.
 */
export interface TenantCase {
  readonly tenant: string;
  /** The time and id of an event. */
  readonly event: { readonly timestamp: string; readonly id: string };
  readonly own: readonly SentEvent[];
  readonly othersBefore: readonly SentEvent[];
  readonly othersAfter: readonly SentEvent[];
}

export interface SentEvent {
  readonly source: "edge" | "function";
  readonly json: string;
}

/** Names that both sides use, so that they collide: declared fields, other spellings of them, and undeclared names. */
export const fieldNames: readonly string[] = [
  ..."dur list origin_time a b path status code level tags x".split(" "),
  ..."Dur LIST Path A 1x x-y request response Request STATUS_CODE status_code port url".split(" "),
];
/** Fields of numbers that are never summed, because a sum would depend on their order. */
export const wideNames: readonly string[] = ["big", "Big"];
const oddNames: readonly string[] = ["__proto__", "constructor", "toString", "id", "timestamp", "Timestamp", "a.b", ""];
const topLevelNames: readonly string[] = [
  ..."extra EXTRA level Message message Event_Message b big identifier Identifier origin_time".split(" "),
];

type Side = "own" | "other";

/** JSON texts of scalars; fractions are sums of powers of two, so that sums do not depend on their order. */
function scalars(side: Side): fc.Arbitrary<string> {
  const numbers = ["0", "1", "-1", "9", "10", "200", "1.0", "1.5", "0.25", "1e2", "9007199254740993"];
  const texts = ["x", "", "200", "9", "1.5", "true", "2026-01-01", "{}", "[1]", "naïve ☃"];
  const marked = [`${foreignMark}-1`, `${foreignMark}-2`, `${foreignMark}-3`];
  return fc.oneof(
    fc.constantFrom(...numbers),
    fc.constantFrom(...(side === "own" ? texts : [...texts, ...marked])).map((text) => JSON.stringify(text)),
    fc.constantFrom("true", "false", "null"),
  );
}

/** Texts with several representations in JSON. */
const wideTexts = ["\u0000\u001f", "\\u001f", '"\\', "\u2028</script>", "\ud83d\ude00", " 7 ", "1_0", "NaN"];
const wide = fc.oneof(
  fc.constantFrom("1e21", "-1.5e300", "1e-7", "0.000001", "5e-324", "-0", "123456789012345680000", "1e400", "0.1"),
  fc.constantFrom("18446744073709551616", "-9223372036854775808", "9223372036854775808", `1${"0".repeat(400)}`),
  fc.constantFrom(...wideTexts).map((text) => JSON.stringify(text)),
);
const wideValue = fc.oneof(
  wide,
  fc.array(wide, { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  fc.array(wide, { maxLength: 2 }).map((items) => `[[${items.join(",")}],"x"]`),
  wide.map((text) => `{"big":${text}}`),
);

function values(side: Side): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      { arbitrary: scalars(side), weight: 5 },
      { arbitrary: fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`), weight: 1 },
      { arbitrary: fields(side, tie("value")), weight: 2 },
    ),
  }));
  return value;
}

function fields(side: Side, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const foreign = side === "other" ? [`only_${foreignMark}`, `${foreignMark}_key`] : ["only_own"];
  const name = fc.oneof(
    { arbitrary: fc.constantFrom(...fieldNames), weight: 8 },
    { arbitrary: fc.constantFrom(...oddNames), weight: 1 },
    { arbitrary: fc.constantFrom(...foreign), weight: 1 },
  );
  const entry = fc.oneof(
    { arbitrary: fc.tuple(name, value), weight: 12 },
    { arbitrary: fc.tuple(fc.constantFrom(...wideNames), wideValue), weight: 1 },
  );
  return fc
    .uniqueArray(entry, { maxLength: 5, selector: ([key]) => key })
    .map((entries) => `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`);
}

/** A record with fields that the source declares. */
function declared(side: Side): fc.Arbitrary<string> {
  const name = fc.constantFrom("path", "Path", "PATH", "port", "url", "status_code", "origin_time", "STATUS_CODE");
  const value = fc.oneof(scalars(side), wide, fc.constantFrom("[1]", '["x"]', '{"a":1}'));
  return fc
    .uniqueArray(fc.tuple(name, value), { maxLength: 3, selector: ([key]) => key })
    .map((entries) => `{${entries.map(([key, text]) => `"${key}":${text}`).join(",")}}`);
}

/** Members of an object's JSON text, without its braces. */
function inner(object: string): string {
  return object.slice(1, -1);
}

interface EventParts {
  readonly source: SentEvent["source"];
  readonly metadata: string;
  readonly extra: readonly (readonly [string, string])[];
  readonly timeName: string;
  readonly second: number;
}

function eventParts(side: Side): fc.Arbitrary<EventParts> {
  const value = values(side);
  return fc.record({
    source: fc.constantFrom("edge" as const, "edge" as const, "function" as const),
    metadata: fc.oneof(
      { arbitrary: fields(side, value), weight: 8 },
      // A request or response with a shape other than the declared one.
      {
        arbitrary: fc.tuple(fields(side, value), value).map(([a, b]) => `{"request":${a},"response":${b}}`),
        weight: 3,
      },
      // Declared fields, in lists and under other spellings.
      {
        arbitrary: fc
          .tuple(fc.constantFrom("request", "Request", "response", "lists"), fc.array(declared(side), { maxLength: 3 }))
          .map(([name, items]) => `{"${name}":[${items.join(",")}]}`),
        weight: 3,
      },
      ...(side === "other" ? [{ arbitrary: value, weight: 1 }] : []),
    ),
    extra: fc.uniqueArray(fc.tuple(fc.constantFrom(...topLevelNames), fc.oneof(value, value, wideValue)), {
      maxLength: 2,
      selector: ([key]) => key,
    }),
    timeName: fc.constantFrom("timestamp", "timestamp", "timestamp", "Timestamp", "TIMESTAMP"),
    second: fc.nat(59),
  });
}

/** Names of tenants that might be mistaken for another's, or for something else. */
const tenantForms: readonly ((number: number) => string)[] = [
  (number) => `own${number}`,
  (number) => `${7000 + number}`,
  (number) => `Ünï ☃ ${number}`,
  (number) => `own ${number}'"\\%_;--`,
  (number) => `own${number}${"x".repeat(3000)}`,
  (number) => `OWN${number}`,
  (number) => `own${number}.5`,
  (number) => ` own${number}\t`,
];

/** The name of a tenant in an event: a number when it looks like one and the event's second is even. */
function tenantText(tenant: string, second: number): string {
  return /^\d+$/.test(tenant) && second % 2 === 0 ? tenant : JSON.stringify(tenant);
}

/** Other tenants whose names resemble the name of the one that queries. */
function otherTenants(tenant: string, number: number): readonly string[] {
  const swapped = tenant === tenant.toUpperCase() ? tenant.toLowerCase() : tenant.toUpperCase();
  const like = [`${tenant}~`, swapped === tenant ? `${tenant}0.0` : swapped, `${foreignMark}${number}`];
  return like.map((name) => (name === tenant ? `${name}~` : name));
}

function toEvent(parts: EventParts, tenant: string, id: string, day: string): SentEvent {
  const { source, metadata, extra, timeName, second } = parts;
  const isObject = metadata.startsWith("{");
  const ref = source === "function" && isObject ? `"project_ref":${tenantText(tenant, second)}` : "";
  const members = isObject ? [ref, inner(metadata)].filter((text) => text !== "").join(",") : "";
  const record = isObject ? `{${members}}` : metadata;
  const time = `${day}T09:00:${String(second).padStart(2, "0")}Z`;
  const json = [
    `"id":${JSON.stringify(id)}`,
    `${JSON.stringify(timeName)}:"${time}"`,
    ...(source === "edge" ? [`"project":${tenantText(tenant, second)}`] : []),
    ...extra.map(([key, text]) => `${JSON.stringify(key)}:${text}`),
    `"metadata":${record}`,
  ];
  return { source, json: `{${json.join(",")}}` };
}

/** A request of yesterday, which the counts of the last seven days hold. */
function request(tenant: string, id: string, url: string): SentEvent {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const path = new URL(url).pathname;
  const metadata = { request: { url, path, method: "GET" }, response: { status_code: 200 } };
  return {
    source: "edge",
    json: JSON.stringify({ id, timestamp: `${yesterday}T09:00:00Z`, project: tenant, metadata }),
  };
}

/** Events whose tenant is not a text, or whose tenant field is spelled differently, as loggers send by accident. */
const strayEvents: readonly SentEvent[] = [
  { source: "edge", json: `{"project":{"a":1},"event_message":"${foreignMark}"}` },
  { source: "edge", json: `{"project":["${foreignMark}",2]}` },
  { source: "edge", json: `{"Project":"${foreignMark}","ID":"q","Timestamp":"2026-01-01"}` },
  { source: "edge", json: `{"metadata":{"request":{"path":{"x":1}}}}` },
  { source: "edge", json: `{"metadata":{"request":{"url":[{"x":1}]}}}` },
  { source: "edge", json: `{"metadata":"${foreignMark}"}` },
  { source: "edge", json: `{"metadata":[{"a":1},{"a":"${foreignMark}"}]}` },
  { source: "function", json: `{"metadata":{"project_ref":{"x":"${foreignMark}"}}}` },
];

/**
 * Cases whose tenants differ by their number. Other tenants sometimes send the ids that the caller's own events have.
 */
export function tenantCases(): fc.Arbitrary<(number: number) => TenantCase> {
  return fc
    .record({
      own: fc.array(eventParts("own"), { minLength: 1, maxLength: 6 }),
      before: fc.array(eventParts("other"), { maxLength: 5 }),
      after: fc.array(eventParts("other"), { maxLength: 5 }),
      strays: fc.subarray([...strayEvents], { maxLength: 2 }),
    })
    .map(({ own, before, after, strays }) => (number: number): TenantCase => {
      const tenant = tenantForms[number % tenantForms.length]?.(number) ?? `own${number}`;
      const others = otherTenants(tenant, number);
      const other = (parts: EventParts, index: number) => {
        const id = index % 2 === 0 ? `${number}-${index}` : `other-${number}-${index}`;
        return toEvent(parts, others[index % others.length] ?? foreignMark, id, "2026-08-21");
      };
      const url = `https://x.example/rest/v1/x?ref=t${number}.`;
      const [first] = own;
      return {
        tenant,
        event: { timestamp: `2026-08-20T09:00:${String(first?.second ?? 0).padStart(2, "0")}Z`, id: `${number}-0` },
        own: [
          ...own.map((parts, index) => toEvent(parts, tenant, `${number}-${index}`, "2026-08-20")),
          request(tenant, `${number}-request`, url),
        ],
        othersBefore: [...strays, ...before.map(other), request(`${foreignMark}-caller`, `${number}-request`, url)],
        othersAfter: after.map((parts, index) => other(parts, index + before.length)),
      };
    });
}

/** Part of every address in the events of `withPersonalData`. */
export const personalMark = "ada.lovelace";
const address = `${personalMark}@mail.example`;

/** The case with events of its tenant whose texts have an address, in every place that a door tells of. */
export function withPersonalData(of: TenantCase): TenantCase {
  const texts = {
    a: address,
    b: `to ${address}`,
    level: address,
    tags: [address],
    path: `/${encodeURIComponent(address)}`,
  };
  const line = [`{"a":"${address}"}`, `a=${address} level=info`, `"${address}" took 5 ms`];
  const events = line.map((message, index): SentEvent => {
    const metadata = { ...texts, request: { path: address }, labels: { app: address }, structured: { user: address } };
    const source = index === 2 ? "function" : "edge";
    const json = {
      ...{ id: `personal-${of.event.id}-${index}`, timestamp: `2026-08-20T10:00:0${index}Z`, message },
      ...{ extra: address, service_name: address, project: of.tenant },
      metadata: { ...metadata, ...(source === "function" ? { project_ref: of.tenant } : {}) },
    };
    return { source, json: JSON.stringify(json) };
  });
  return { ...of, own: [...of.own, ...events] };
}

/** Events of others that take all the columns a source may have. */
export function crowdingEvents(source: SentEvent["source"]): readonly SentEvent[] {
  return Array.from({ length: 4 }, (_, index) => {
    const tenant = `${foreignMark}-crowd${index}`;
    const fields = Array.from({ length: 200 }, (_, field) => [`crowd${index}_${field}`, field]);
    const metadata = { project_ref: tenant, ...Object.fromEntries(fields) };
    const json = { id: `crowd${index}`, timestamp: "2026-08-21T09:00:00Z", project: tenant, metadata };
    return { source, json: JSON.stringify(json) };
  });
}
