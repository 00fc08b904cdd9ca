/** Random queries with a pinned token: no answer may depend on other tenants' events. */
import { Random } from "../../conformance/random/random.ts";
import { writeQuery } from "../../judge/query-writer.ts";
import { type Answer, type Call, ownTenant, type Setups } from "./setups.ts";

/** The tables that the judge's queries name, over sources with tenants; `s` of the first two is the tenant. */
const table = (source: string, condition: string) =>
  `SELECT n AS id, MOD(n, 3) AS k, project AS s, n / 2 AS f, level = 'info' AS b, timestamp AS ts, [n, 2] AS arr FROM ${source}${condition}`;
const events = "SELECT metadata.n AS id, timestamp AS ts, metadata AS m FROM jobs";
const compared = " WHERE project = @s";

function preamble(edge: string, db: string): string {
  return `WITH t AS (${table("edge", edge)}), u AS (${table("db", db)}), e1 AS (${events}), e2 AS (${events})`;
}

const parameters = ["s", "n:int64", "nothing:int64"];
const sent = { n: "2" };
const pinned: Call = { pins: { s: ownTenant }, sent };

/** How a query is called. */
type QueryKind = "inferred" | "stated" | "consumer's";

export interface Outcome {
  /** Calls that were answered with rows. */
  answered: number;
  /** Among them, those that are answered otherwise where nothing confines the call. */
  telling: number;
  refused: number;
  /** Queries that cannot be saved or asked. */
  invalid: number;
  readonly differences: string[];
}

/** Asks that many queries of each kind in turn. */
export async function askRandomQueries(setups: Setups, seed: number, count: number): Promise<Outcome> {
  const random = new Random(seed);
  const outcome: Outcome = { answered: 0, telling: 0, refused: 0, invalid: 0, differences: [] };
  const kinds: readonly QueryKind[] = ["consumer's", "inferred", "stated"];
  for (const setup of [setups.alone, setups.shared]) {
    const query = `${preamble("", "")} SELECT id FROM t WHERE s = @s`;
    setup.save([{ name: "tables", query, isSandboxed: true, parameters }]);
    setup.save([{ name: "open", query, isSandboxed: true, parameters, tenantParameter: "none" }]);
  }
  for (let made = 0; made < count; made++) {
    const decisions = [...random.times(10 + random.below(60), () => random.below(1_000))];
    const kind = kinds[made % kinds.length] ?? "inferred";
    const query = writeQuery(decisions).replaceAll("@none", "@nothing");
    await askOne(setups, query, kind, random.below(3), outcome);
  }
  return outcome;
}

async function askOne(
  setups: Setups,
  query: string,
  kind: QueryKind,
  confined: number,
  outcome: Outcome,
): Promise<void> {
  const open = await setups.shared.ask("open", { sent: { ...sent, s: ownTenant, sql: query } });
  const ask = async (setup: Setups["alone"]): Promise<Answer> => {
    if (kind === "consumer's") return setup.ask("tables", { ...pinned, sent: { ...sent, sql: query } });
    const [edge, db] = [confined === 1 ? compared : "", confined === 2 ? compared : ""];
    const saved = `${preamble(edge, db)} SELECT * FROM (${query})`;
    setup.save([{ name: "asked", query: saved, parameters, ...(kind === "stated" ? { tenantParameter: "s" } : {}) }]);
    return setup.ask("asked", pinned);
  };
  const answers = await Promise.all([ask(setups.alone), ask(setups.shared)]).catch((error: Error) => error);
  if (answers instanceof Error || ("error" in open && open.error !== "query_failed")) {
    outcome.invalid++;
    return;
  }
  const [alone, shared] = answers.map((answer) => JSON.stringify(answer));
  if (alone !== shared) outcome.differences.push(`${kind}: ${query}\nalone:  ${alone}\nshared: ${shared}`);
  else if ("error" in answers[1]) outcome.refused++;
  else {
    outcome.answered++;
    if (JSON.stringify(open) !== shared) outcome.telling++;
  }
}
