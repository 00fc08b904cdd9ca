import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, destination, pino } from "pino";

/**
 * The service's log: JSON lines on standard error, with the time as ISO 8601. Requests are logged by what routes note of
 * them (`addAccessLog`), never by their URLs, headers, addresses or bodies.
 */
export function createLogger(level: string, stream: DestinationStream = destination(2)): FastifyBaseLogger {
  const nothing = () => undefined;
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { req: nothing, res: nothing },
    },
    stream,
  );
}
