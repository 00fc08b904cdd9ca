import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { IngestGate } from "./ingest-quotas.ts";
import { measureEvents } from "./measure-events.ts";

/** Has the gate admit one event; where it does not, the reason. */
export function whyNotAdmitted({ measure, admit }: IngestGate, event: LogEvent): string | undefined {
  try {
    admit(measureEvents([event], measure));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
