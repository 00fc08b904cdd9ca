import { context, ProxyTracerProvider, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { TimedPhase } from "../observe/timings.ts";
import { type LogNotes, whenAnswered } from "./access-log.ts";

const tracerName = "logweir";

/** A call that was answered, or whose caller is gone. Times are milliseconds since 1970. */
interface TracedCall {
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  readonly status: number;
  readonly notes: Pick<LogNotes, "endpoint" | "cache">;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly phases: readonly TimedPhase[];
}

/**
 * True when an SDK of OpenTelemetry was set up in this process; without one nothing is traced, and nothing is spent.
 */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(tracerName) !== undefined;
}

/**
 * Reports a call to OpenTelemetry, once it is over: a span of the request below the one that its headers name, and
 * below it one for each phase. Like the log, it shows patterns of routes and names of endpoints, never a URL, a
 * parameter or a token.
 */
export function traceCall(call: TracedCall): void {
  const tracer = trace.getTracer(tracerName);
  const caller = propagation.extract(context.active(), call.headers);
  const { method, route, status, notes, startedAt, endedAt } = call;
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "http.response.status_code": status,
    ...(notes.endpoint === undefined ? {} : { "logweir.endpoint": notes.endpoint }),
    ...(notes.cache === undefined ? {} : { "logweir.cache": notes.cache }),
  };
  const options = { kind: SpanKind.SERVER, startTime: startedAt, attributes };
  const span = tracer.startSpan(`${method} ${route}`, options, caller);
  const inside = trace.setSpan(caller, span);
  for (const { phase, startMs, endMs } of call.phases) {
    tracer.startSpan(phase, { startTime: startMs }, inside).end(endMs);
  }
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endedAt);
}

/** Traces every call of the framework's routes. */
export function addTraces(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    if (!isTracing()) return;
    whenAnswered(reply, (status) => {
      const endedAt = performance.timeOrigin + performance.now();
      traceCall({
        method: request.method,
        route: request.routeOptions.url ?? "none",
        status,
        notes: request.logNotes,
        headers: request.headers,
        startedAt: endedAt - reply.elapsedTime,
        endedAt,
        phases: request.timings?.phases() ?? [],
      });
    });
  });
}
