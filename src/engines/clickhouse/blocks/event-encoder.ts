/** Events as columns of blocks, for the thread that reads bodies. */
import type { EventEncoder } from "../../encoder/protocol.ts";
import { walkEvents } from "../../schema/encode/event-walk.ts";
import { findNode } from "../../schema/field-tree.ts";
import type { EncodedRows } from "./encoded-rows.ts";
import { encodeRows, NativeRows } from "./native-rows.ts";

export const blockEncoder: EventEncoder<EncodedRows> = {
  encode({ tree, full, tenantField }, events) {
    const rows = new NativeRows();
    const walked = walkEvents(rows, tree, events, full);
    if (walked.missing !== undefined) return walked;
    const column = tenantField === null ? null : findNode(tree, tenantField)?.values.get("STRING")?.column;
    return { batch: encodeRows(rows, column ?? undefined), carried: walked.carried };
  },
  bytesOf: ({ bytes }) => bytes,
};
