import type { Protocol } from "../protocol.ts";
import { answerAs, answerFailure } from "./answers.ts";
import { readLogs } from "./read-logs.ts";
import { readMetrics } from "./read-metrics.ts";
import { readTraces } from "./read-traces.ts";

/** OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export const otlpLogs: Protocol = {
  name: "otlp_logs",
  read: readLogs,
  answer: answerAs("rejectedLogRecords"),
  answerFailure,
};

export const otlpTraces: Protocol = {
  name: "otlp_traces",
  read: readTraces,
  answer: answerAs("rejectedSpans"),
  answerFailure,
};

export const otlpMetrics: Protocol = {
  name: "otlp_metrics",
  read: readMetrics,
  answer: answerAs("rejectedDataPoints"),
  answerFailure,
};
