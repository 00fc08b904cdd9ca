import { parseEventLine } from "../../engines/contract/event-line.ts";
import { EngineError, type StoredEvents, type TimeRange } from "../../engines/contract/query-engine.ts";
import { readTextLines } from "../../shared/network/read-answer.ts";
import { askService, readBytes, type ServiceClient } from "../service-call.ts";

const linesPerBatch = 1_000;

/** Reads the events of a running service, by `GET /api/store/slices` and `GET /api/store/events`. Throws `CliError`. */
export function createServiceEvents(client: ServiceClient): StoredEvents {
  return {
    async slices(source, range, widthUs, signal, tenant) {
      const path = `/api/store/slices?${queryOf(source, range, tenant)}&width_us=${widthUs}`;
      const response = await askService(client, path, { signal });
      const { slices } = (await response.json()) as {
        readonly slices: readonly { start_us: string; events: number; fingerprint: string }[];
      };
      return slices.map(({ start_us, events, fingerprint }) => {
        return { startUs: BigInt(start_us), eventCount: events, fingerprint };
      });
    },
    async *read(source, range, signal, tenant) {
      const body = await readBytes(client, `/api/store/events?${queryOf(source, range, tenant)}`, { signal });
      let lines: string[] = [];
      let count = 0;
      let last: string | undefined;
      for await (const line of linesOf(body)) {
        if (last !== undefined) lines.push(last);
        last = line;
        if (lines.length < linesPerBatch) continue;
        count += lines.length;
        yield lines.map(parseEventLine);
        lines = [];
      }
      count += lines.length;
      if (lines.length > 0) yield lines.map(parseEventLine);
      if (last !== JSON.stringify({ events: count })) {
        throw new EngineError("unavailable", "The service ended its answer early; run the command again to go on");
      }
    },
  };
}

function queryOf(source: string, { fromUs, toUs }: TimeRange, tenant: string | undefined): string {
  const times = { from_us: String(fromUs), to_us: String(toUs) };
  return new URLSearchParams({ source, ...times, ...(tenant === undefined ? {} : { tenant }) }).toString();
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  for await (const lines of readTextLines(body)) yield* lines;
}
