import { writeSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, type Logger, pino } from "pino";
import { describeDefect } from "../../shared/message-of.ts";
import { createLogStream } from "./log-stream.ts";

/**
 * The service's log: JSON lines on standard error, with the time as ISO 8601. Requests are logged by what routes note
 * of them (`addAccessLog`), never by their URLs, headers, addresses or bodies.
 */
export function createLogger(
  level: string,
  stream: DestinationStream = openStream(level),
): FastifyBaseLogger & Pick<Logger, "flush"> {
  const nothing = () => undefined;
  let [lastMs, lastTime] = [0, ""];
  const readTime = () => {
    const now = Date.now();
    if (now !== lastMs) [lastMs, lastTime] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return lastTime;
  };
  return pino(
    {
      level,
      base: null,
      timestamp: readTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { req: nothing, res: nothing, err: describeDefect },
      hooks: { streamWrite: escapeControls },
    },
    stream,
  );
}

/** Escapes characters that a terminal obeys and JSON leaves as they are: controls beyond ASCII, changes of direction. */
function escapeControls(line: string): string {
  return line.replaceAll(/[\u007f-\u009f]|\p{Bidi_Control}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function openStream(level: string): DestinationStream {
  return level === "silent" ? { write: () => undefined } : openStandardError();
}

/**
 * Standard error, written to ten times a second and when the process ends: a busy service would spend much of its
 * time on single lines.
 */
function openStandardError(): DestinationStream {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const stream = createLogStream(
    (bytes) => writeSync(2, bytes),
    (ms) => void Atomics.wait(pause, 0, 0, ms),
  );
  setInterval(stream.flush, 100).unref();
  process.once("exit", stream.end);
  return stream;
}
