import type { Random } from "./random.ts";
import type { SampleEvent } from "./sample-event.ts";
import type { makeEdge } from "./sample-requests.ts";
import { makeDb } from "./sample-service-logs.ts";

/**
 * The day's incident: a deploy drops the function that a row policy of the table `orders` calls. From then on the
 * table's path fails in one project, for signed-in users alone, and its database says why.
 */
export const incident = {
  project: "shopfront",
  path: "/rest/v1/orders",
  role: "authenticated",
  /** Between the deploy and the end of the day, in milliseconds. */
  ageMs: 5 * 3_600_000,
} as const;

const reason = "function current_customer() does not exist";

/** The statement of the deploy, as the database logs it. */
export function makeDeploy(random: Random, timestamp: string): SampleEvent {
  const event = makeDb(random, timestamp);
  const query = "drop function current_customer() cascade";
  return {
    ...event,
    project: incident.project,
    event_message: `duration: 12.480 ms  statement: ${query}`,
    metadata: {
      ...event.metadata,
      parsed: {
        ...event.metadata.parsed,
        application_name: "deploy",
        command_tag: "DROP FUNCTION",
        error_severity: "LOG",
        query,
        sql_state_code: "00000",
        user_name: "postgres",
      },
    },
  };
}

/** A request as it is after the deploy. */
export function breakRequest(event: ReturnType<typeof makeEdge>): SampleEvent {
  const { request, response } = event.metadata;
  const role = request.sb.jwt.authorization?.payload.role;
  if (event.project !== incident.project || request.path !== incident.path || role !== incident.role) return event;
  const message = event.event_message.replace(`| ${response.status_code} |`, "| 500 |");
  return { ...event, event_message: message, metadata: { request, response: { ...response, status_code: 500 } } };
}

/** A statement as it is after the deploy. */
export function breakStatement(event: ReturnType<typeof makeDb>): SampleEvent {
  const { parsed } = event.metadata;
  const reads = parsed.query.includes(" from orders ") && parsed.user_name === "authenticator";
  if (event.project !== incident.project || !reads) return event;
  const failed = { ...parsed, error_severity: "ERROR", sql_state_code: "42883" };
  return { ...event, event_message: reason, metadata: { ...event.metadata, parsed: failed } };
}
