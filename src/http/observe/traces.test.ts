import { type Context, propagation, type Span, SpanKind, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptyQuery, runningQuery } from "../../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";

interface SeenSpan {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly parent: string | undefined;
  readonly id: string;
  isEnded: boolean;
}

/** Stands in for an SDK and records spans. */
function createTracing(): { readonly spans: SeenSpan[]; start(): void; stop(): void } {
  const spans: SeenSpan[] = [];
  const startSpan = (name: string, options: { kind?: SpanKind; attributes?: object } = {}, parent?: Context): Span => {
    const id = String(spans.length + 1).padStart(16, "0");
    const seen: SeenSpan = {
      name,
      kind: options.kind,
      attributes: { ...options.attributes },
      parent: parent === undefined ? undefined : trace.getSpanContext(parent)?.spanId,
      id,
      isEnded: false,
    };
    spans.push(seen);
    const span = trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: id, traceFlags: 1 });
    span.end = () => {
      seen.isEnded = true;
    };
    return span;
  };
  return {
    spans,
    start() {
      trace.setGlobalTracerProvider({
        getTracer: () => ({
          startSpan,
          startActiveSpan: () => {
            throw new Error("Spans are told of when they are over");
          },
        }),
      });
      propagation.setGlobalPropagator({
        inject: () => undefined,
        fields: () => ["traceparent"],
        extract: (context, carrier) => {
          const parent = (carrier as Record<string, string | undefined>).traceparent?.split("-");
          if (parent === undefined) return context;
          const [, traceId = "", spanId = ""] = parent;
          return trace.setSpanContext(context, { traceId, spanId, traceFlags: 1 });
        },
      });
    },
    stop() {
      trace.disable();
      propagation.disable();
    },
  };
}

const tracing = createTracing();
let test: TestApp;
let url: string;

beforeEach(async () => {
  test = await createTestApp();
  test.onPlan = () => ({ ...emptyQuery, isCurrent: () => true });
  test.engine.onRun = async () => runningQuery([[{ a: 1 }]]);
  url = await test.app.listen({ port: 0, host: "127.0.0.1" });
  tracing.spans.length = 0;
});

afterEach(() => tracing.stop());

const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

/** Calls, and waits until the answer has been sent. */
async function call(path: string): Promise<void> {
  const response = await fetch(url + path, { headers: { "x-api-key": "query-token", traceparent } });
  await response.text();
}

describe("a call when OpenTelemetry is set up", () => {
  it("is a span below its caller's, with one child span for each phase", async () => {
    tracing.start();
    await call("/api/endpoints/query/cached?project=secret");
    await test.app.close();
    const [request, ...phases] = tracing.spans;
    expect(request).toMatchObject({
      name: "GET /api/endpoints/query/:name",
      kind: SpanKind.SERVER,
      parent: "b".repeat(16),
      attributes: { "http.response.status_code": 200, "logweir.endpoint": "cached", "logweir.cache": "miss" },
    });
    expect(phases.map(({ name }) => name)).toEqual(["auth", "parse", "queue", "engine"]);
    expect(phases.every(({ parent }) => parent === request?.id)).toBe(true);
    expect(tracing.spans.every(({ isEnded }) => isEnded)).toBe(true);
    expect(JSON.stringify(tracing.spans)).not.toContain("secret");
  });

  it("is a span too when it is answered from the cache", async () => {
    for (let calls = 0; calls < 2; calls++) await call("/api/endpoints/query/cached");
    tracing.start();
    await call("/api/endpoints/query/cached");
    await test.app.close();
    expect(tracing.spans.map(({ name }) => name)).toEqual(["GET /api/endpoints/query/:name", "auth"]);
    expect(tracing.spans[0]?.attributes).toMatchObject({ "logweir.cache": "hit" });
  });
});

it("a call without OpenTelemetry makes no span", async () => {
  await call("/api/endpoints/query/cached");
  await test.app.close();
  expect(tracing.spans).toEqual([]);
});
