/** The events of an append, which are encoded again whenever the schema changes before they are sent. */
import type { LogEvent } from "../../contract/query-engine.ts";
import type { BodyReaders } from "../../encoder/body-readers.ts";
import type { EncodeOutcome } from "../../encoder/protocol.ts";
import { walkEvents } from "../../schema/encode/event-walk.ts";
import type { Tenant } from "../../schema/field-requests.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { EncodedRows } from "../blocks/encoded-rows.ts";
import type { AppendRows } from "../blocks/insert-body.ts";
import { NativeRows } from "../blocks/native-rows.ts";

/** Reads long bodies in a thread of its own. */
export type BodyEncoder = Pick<BodyReaders<EncodedRows>, "read">;

/** Events that are encoded where they lie: here, or in the thread that read them. */
export interface EncodableEvents {
  readonly count: number;
  /** Whose they are; undefined for those of nobody in particular. */
  readonly sender?: string | undefined;
  /** By the schema of now. `full`: tenants that may bring no further fields, beside those of the state. */
  encode(state: SourceState, full: ReadonlySet<Tenant>): Promise<EncodeOutcome<AppendRows>>;
}

/** Events that lie here. */
export function encodable(events: readonly LogEvent[]): EncodableEvents {
  return {
    count: events.length,
    async encode({ tree, full }, alsoFull) {
      const batch = new NativeRows();
      const walked = walkEvents(batch, tree, events, new Set([...full, ...alsoFull]));
      return walked.missing === undefined ? { batch, carried: walked.carried } : walked;
    },
  };
}
