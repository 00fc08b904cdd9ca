/** Events as columns of blocks. */
import type { LogEvent } from "../../contract/query-engine.ts";
import type { EncodeOutcome, EncodingSchema, EventEncoder } from "../../encoder/protocol.ts";
import { walkEvents } from "../../schema/encode/event-walk.ts";
import { findNode } from "../../schema/field-tree.ts";
import type { EncodedRows } from "./encoded-rows.ts";
import { encodeRows, NativeRows } from "./native-rows.ts";

export function collectRows(
  { tree, full }: Omit<EncodingSchema, "tenantField">,
  events: readonly LogEvent[],
): EncodeOutcome<NativeRows> {
  const batch = new NativeRows();
  const walked = walkEvents(batch, tree, events, full);
  return walked.missing === undefined ? { batch, carried: walked.carried } : walked;
}

/** For the thread that reads bodies. */
export const blockEncoder: EventEncoder<EncodedRows> = {
  encode(schema, events) {
    const { tree, tenantField } = schema;
    const outcome = collectRows(schema, events);
    if (outcome.missing !== undefined) return outcome;
    const column = tenantField === null ? null : findNode(tree, tenantField)?.values.get("STRING")?.column;
    return { ...outcome, batch: encodeRows(outcome.batch, column ?? undefined) };
  },
  bytesOf: ({ bytes }) => bytes,
};
