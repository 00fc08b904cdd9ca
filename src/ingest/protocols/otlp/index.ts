import type { Protocol } from "../protocol.ts";
import { answerAs, answerFailure } from "./answers.ts";
import { readLogs } from "./read-logs.ts";
import { readMetrics } from "./read-metrics.ts";
import { otlpTypes } from "./read-request.ts";
import { readTraces } from "./read-traces.ts";

/** OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export const otlpLogs: Protocol = {
  name: "otlp_logs",
  mediaTypes: otlpTypes,
  read: readLogs,
  answer: answerAs("rejectedLogRecords"),
  answerFailure,
};

export const otlpTraces: Protocol = {
  name: "otlp_traces",
  mediaTypes: otlpTypes,
  read: readTraces,
  answer: answerAs("rejectedSpans"),
  answerFailure,
};

export const otlpMetrics: Protocol = {
  name: "otlp_metrics",
  mediaTypes: otlpTypes,
  read: readMetrics,
  answer: answerAs("rejectedDataPoints"),
  answerFailure,
};
