/** Stores events by a schema that grows for them, and changes for others, before they are sent: for every store. */
import type { AppendResult } from "../contract/query-engine.ts";
import type { Carried } from "../schema/carried-entries.ts";
import type { Tenant, TenantRequests } from "../schema/field-requests.ts";
import { grantEntries } from "../schema/grant-entries.ts";
import type { SchemaEntry } from "../schema/schema-entry.ts";
import { appendResult } from "../schema/source/first-carried.ts";
import { changeSource, type SourceState } from "../schema/source/source-state.ts";
import type { EncodeOutcome } from "./protocol.ts";

/** How often events may meet a schema that changed since they were encoded: other requests' fields change it too. */
const MAX_ROUNDS = 1_000;

/** Done, or in want of fields with nothing stored, or encoded by a schema that has changed since. */
export type StoreAttempt<Result = AppendResult> =
  | { readonly result: Result; readonly missing?: undefined }
  | { readonly missing: readonly TenantRequests[] }
  | "outdated";

/** Events of one append. `full`: tenants that may bring no further fields, beside those that the state knows. */
export interface StorableEvents<Result = AppendResult> {
  /** Tries to store them. */
  store(full: ReadonlySet<Tenant>): Promise<StoreAttempt<Result>>;
  /** Fields that the schema lacks for them now. */
  findMissing(full: ReadonlySet<Tenant>): Promise<readonly TenantRequests[] | undefined>;
}

/** Stores entries and adds them to the state; false where others were first, and the state is what they made of it. */
type AddEntries = (state: SourceState, entries: readonly SchemaEntry[]) => Promise<boolean>;

/** Encodes events where they lie, by the schema of now: here, or in the thread that read them. */
export type Encode<Batch> = (state: SourceState, full: ReadonlySet<Tenant>) => Promise<EncodeOutcome<Batch>>;

export function storable<Batch>(
  state: SourceState,
  encode: Encode<Batch>,
  send: (batch: Batch, carried: Carried) => Promise<AppendResult>,
): StorableEvents {
  return {
    async store(full) {
      const { version } = state;
      const outcome = await encode(state, full);
      if (outcome.missing !== undefined) return outcome;
      if (state.version !== version || state.openChanges > 0) return "outdated";
      const result = await send(outcome.batch, outcome.carried);
      return { result: appendResult(state, result, outcome.carried) };
    },
    findMissing: async (full) => (await encode(state, full)).missing,
  };
}

export async function storeEvents<Result>(
  state: SourceState,
  { store, findMissing }: StorableEvents<Result>,
  addEntries: AddEntries,
): Promise<Result> {
  let full: ReadonlySet<Tenant> = new Set();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const attempt = await store(full);
    if (attempt === "outdated") await state.changes;
    else if (attempt.missing === undefined) return attempt.result;
    else full = new Set([...full, ...(await grow(state, () => findMissing(full), addEntries))]);
  }
  throw new Error(`The schema of ${state.name} still lacks fields of events after ${MAX_ROUNDS} changes`);
}

/** Adds what is granted of what is missing. Answers the tenants that were refused some. */
async function grow(
  state: SourceState,
  findMissing: () => ReturnType<StorableEvents["findMissing"]>,
  addEntries: AddEntries,
): Promise<readonly Tenant[]> {
  let refused: readonly Tenant[] = [];
  await changeSource(state, async () => {
    for (;;) {
      const { version } = state;
      // Looked at again when it is its turn: another request, or another node, may have brought the same fields.
      const { entries, full } = grantEntries(state, (await findMissing()) ?? []);
      refused = full;
      // An engine that was started again meanwhile may know more fields, under the next columns' names.
      if (state.version !== version) continue;
      if (entries.length === 0 || (await addEntries(state, entries))) return;
    }
  });
  return refused;
}
