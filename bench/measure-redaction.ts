/** Measures the cost of redaction: the same 100 rows of `logs.all`, plain and redacted, in turns. */
import type { LogweirPeer } from "./peers/logweir.ts";
import { clientRows, type QueryContext } from "./queries.ts";
import { quantileOf } from "./statistics.ts";

/** One way to ask for the rows. */
export interface RedactionCost {
  readonly key: string;
  /** Medians, in milliseconds. */
  readonly plainMs: number;
  readonly redactedMs: number;
  /** The median of the ratios of neighbouring calls: what else the machine does meets both. */
  readonly ratio: number;
  readonly rowCount: number;
  /** Places in the redacted answer. */
  readonly redactedCount: number;
}

const rounds = 60;
const warmUps = 20;

/** Asks for the newest rows by the endpoint's own query, and by a client's, which reads redacted rows. */
export async function measureRedaction(
  peer: LogweirPeer,
  { project }: QueryContext,
  count = rounds,
): Promise<readonly RedactionCost[]> {
  const ways: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["logs.all, 100 rows", { project }],
    ["logs.all, 100 rows by SQL", { project, sql: `${clientRows} order by timestamp desc limit 100` }],
  ];
  const costs: RedactionCost[] = [];
  for (const [key, parameters] of ways) {
    const path = `/api/endpoints/query/logs.all?${new URLSearchParams(parameters).toString()}`;
    const ask = async (redacts: boolean) => {
      const headers = { "lf-endpoint-redact-pii": String(redacts) };
      const { status, body, elapsedMs } = await peer.client.send({ method: "GET", path, headers });
      if (status !== 200) throw new Error(`${key}: ${status} ${body.toString().slice(0, 1_000)}`);
      return { body: body.toString(), elapsedMs };
    };
    const plain: number[] = [];
    const redacted: number[] = [];
    for (let round = -warmUps; round < count; round++) {
      // Whoever goes second finds warmer caches: turns change.
      const first = await ask(round % 2 === 0);
      const second = await ask(round % 2 !== 0);
      if (round < 0) continue;
      redacted.push((round % 2 === 0 ? first : second).elapsedMs);
      plain.push((round % 2 === 0 ? second : first).elapsedMs);
    }
    const { body } = await ask(true);
    costs.push({
      key,
      plainMs: quantileOf(plain, 0.5),
      redactedMs: quantileOf(redacted, 0.5),
      ratio: quantileOf(
        redacted.map((ms, index) => ms / (plain[index] ?? Number.NaN)),
        0.5,
      ),
      rowCount: (JSON.parse(body) as { readonly result: readonly unknown[] }).result.length,
      redactedCount: body.split("REDACTED").length - 1,
    });
  }
  return costs;
}
