import {
  assumed,
  embeddedDays,
  eventsPerNode,
  eventsPerShard,
  lookUpCpuUs,
  measured,
  nodeCpuUs,
  planFor,
  type Scale,
  secondsUntilTail,
  serverBytesPerEvent,
} from "./scale-plan.ts";

const rates = [5_000, 50_000, 250_000, 1_000_000];

/** To two or three digits, as plans deserve. */
function round(value: number, digits = 3): string {
  return Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|---|${"--:|".repeat(heads.length - 1)}`, ...rows.map(line)].join("\n");
}

function planTable(): string {
  const plans = rates.map(planFor);
  const row = (label: string, show: (plan: Scale) => string) => [label, ...plans.map(show)];
  return table(
    ["events/s", ...rates.map((rate) => rate.toLocaleString("en"))],
    [
      row("incoming JSON, Mbit/s", (plan) => round(plan.inboundMegabitsPerSecond)),
      row(`events stored, ${assumed.retentionDays} days, billions`, (plan) => round(plan.eventsKept / 1e9)),
      row("TB of one copy", (plan) => round(plan.terabytesPerCopy)),
      row(`nodes of ${assumed.nodeCores} cores, one of them spare`, (plan) => round(plan.nodes)),
      row("shards, by processors", (plan) => round(plan.shardsByProcessor)),
      row("shards, by disks", (plan) => round(plan.shardsByDisk)),
      row(`servers of ${assumed.serverCores} cores and ${assumed.serverTerabytes} TB`, (plan) => round(plan.servers)),
      row("partitions of a source", () => String(assumed.retentionDays + 1)),
      row("events per block", (plan) => round(plan.eventsPerBlock)),
      row("new parts/s on each server", (plan) => round(plan.partsPerSecond)),
      row("rows read for a block of random ids", (plan) => round(plan.eventsPerBlock)),
      row("servers busy with looking ids up alone", (plan) => round(plan.lookUpServers, 2)),
      row("US$ per month, thousands", (plan) => round(plan.dollarsPerMonth / 1000)),
      row("US$ per million events over the retention period", (plan) => {
        return round(plan.dollarsPerMonth / ((plan.eventsPerSecond * 86_400 * 30) / 1e6), 2);
      }),
    ],
  );
}

function assumptionTable(): string {
  const share = (value: number) => `${Math.round(value * 100)}%`;
  return table(
    ["assumed", "value"],
    [
      ["a node, a server", `${assumed.nodeCores} cores; ${assumed.serverCores} cores, ${assumed.serverTerabytes} TB`],
      ["maximum use of disks, of processors", `${share(assumed.fullness)}, ${share(assumed.load)}`],
      ["copies; cost of each further copy, relative to the first", `${assumed.replicas}; ${share(assumed.copyCost)}`],
      ["processor time for writing an event as columns", `${assumed.blockCpuUs} us`],
      ["bytes of an event, relative to the benchmark's table", `x ${assumed.layoutFactor}`],
      ["days of retention", String(assumed.retentionDays)],
      ["a block, from its first byte to its acknowledgement", `${assumed.blockMs} ms`],
      ["new parts/s that a server merges", String(assumed.partsPerSecond)],
      [
        "parts of a shard that were written within 48 hours; within a minute",
        `${assumed.windowParts}; ${assumed.freshParts}`,
      ],
      ["US$ per month for a core with memory; for a terabyte", `${assumed.coreDollars}; ${assumed.terabyteDollars}`],
    ],
  );
}

/** Whatever figure stands on the page comes from the plan. */
export function printScalePage(): string {
  const [small, , quarter, large] = rates.map(planFor) as [Scale, Scale, Scale, Scale];
  const { embeddedEventsPerSecond: most, compactionEventsPerSecond: steady } = measured;
  return `# A plan from one machine to a million events a second

\`npm run docs\` generates this page; the arithmetic is in \`test/docs/scale-plan.ts\`, and a test compares the two. Every input is marked as measured ([benchmarks.md](benchmarks.md),
[storage.md](storage.md), [ids](decisions/ids.md#on-clickhouse): events of 2.1 KB, 2 cores) or assumed. **Nothing beyond one machine was measured**, and no cluster was run at all.

## One machine

The embedded engine took ${round(most.value, 5)} durable events/s on 2 cores, while compacting ${round(steady.value)} a second. It can sustain ingest up to that rate indefinitely. At full speed \`doctor\` warns after
${round(secondsUntilTail(most.value), 2)} s, and the rest is compacted when ingest slows down. An event takes ${measured.embeddedBytesPerEvent.value} bytes, and half of the disk stays free:

${table(
  ["events/s, all day", "days on 1 TB", "days on 4 TB"],
  [100, 1_000, steady.value].map((rate) => [
    round(rate),
    round(embeddedDays(rate, 1e12)),
    round(embeddedDays(rate, 4e12)),
  ]),
)}

Memory does not depend on how many events are stored ([storage.md](storage.md#repeats)). **What breaks first**: compaction time, long before HTTP or queries. More cores speed up reading
and compaction, but a single writer commits. Move on when the tail does not shrink at night, or when you need a second machine for fail-over.

## Nodes and a cluster

[Moving](migrate-data.md) needs no downtime. Afterwards nodes ingest events and answer queries, ClickHouse stores the events, and PostgreSQL the state.

${planTable()}

How the figures are computed:

- **A node** spends ${nodeCpuUs()} us per event: ${measured.readingCpuUs.value} for reading and ${measured.ownThreadCpuUs.value} on its own thread (measured), ${assumed.blockCpuUs} for writing columns (assumed): ${round(eventsPerNode())} events/s. One process uses two to three
  cores, so a machine of ${assumed.nodeCores} runs several, each of which is a node to the others. Queries are not included: measure yours.
- **A shard** of ${assumed.replicas} servers stores ${round(eventsPerShard())} events/s: ${measured.serverCpuUs.value} us of processor time for the first copy, including merges and JSON parsing (measured in one process that read JSON; blocks of columns should cost less).
  Looking ids up comes on top.
- **An event** on a server takes ${round(serverBytesPerEvent())} bytes: ${measured.serverMegabytes.value} MB for 2,000,000 in the benchmark's table (measured), times ${assumed.layoutFactor} (assumed).
- **Partitions** are days of a source. Retention drops whole partitions; queries over a few hours open one or two.
- **A block** holds the events of a source that a node has received by the time the previous block is acknowledged. On a cluster each block reaches every shard, and creates a part on each.

${assumptionTable()}

PostgreSQL remains small: ${round(large.nodes)} nodes use ${round(large.nodes * 6)} connections and each read two rows twice a second. Give it a standby, not cores. One node sends the drains of all sources: at these
rates, use other means to forward events.

## What breaks first

1. **Id look-ups.** Ids chosen by senders are looked up in the parts that were written within \`LOGWEIR_REPEAT_WINDOW_HOURS\`, before and after their block, whatever the size of the table ([ids](decisions/ids.md#on-clickhouse)). New ids are found
   to be new without a row; only the block itself is read (\`EXPLAIN ESTIMATE\`). The index costs ${measured.lookUpCpuUs.value} us for a random id and large part, and ${measured.freshLookUpCpuUs.value} for a small one, each of the two statements ${measured.lookUpStatementCpuUs.value} (measured), together ${round(lookUpCpuUs())} us an event: ${round(small.lookUpServers, 2)} of ${small.servers} servers
   at ${round(small.eventsPerSecond)} events/s, ${round(quarter.lookUpServers, 2)} of ${quarter.servers} at ${round(quarter.eventsPerSecond)}, and ${round(large.lookUpServers, 2)} of ${large.servers} at a million. A shorter window has fewer parts.
   Late events of many days bring the parts of those days into the window. Events without an id are not looked up at all, and are duplicated if they are retried after a lost answer.
2. **Parts.** ${round(large.nodes)} nodes create ${round(large.partsPerSecond)} parts a second on every server, where ${assumed.partsPerSecond} are sustainable; ClickHouse refuses inserts at 3,000 parts per day (senders get 503 with \`Retry-After\`). Beyond ${Math.floor((assumed.partsPerSecond * assumed.blockMs) / 1000)}
   nodes for a source, send each source to only a few of them (by a hash of its name or tenant at the load balancer), so that blocks are few and large.
3. **Disk**, not processors, then determines the number of servers. Keep fewer days, or configure a tier of slower disks in ClickHouse.
4. **Fields.** Every node holds the fields of every source, and the tenants that carried them, in memory, and all nodes add columns in one agreed order: a constant stream of new fields slows down all nodes.

## What is not known

- Look-ups on several shards. Each is asked for all ids of a block now, so that shards may be added; the figures are for asking the shard of an id alone.
- Whether a cluster behaves like this: statements with Replicated and Distributed tables were only checked by ClickHouse's parser ([clickhouse.md](clickhouse.md#clusters)).
- The rate of a node over ClickHouse, the duration of a block under load, the size of an event in this layout after merges, the cost of a replica: these are assumptions.
- Queries at these sizes. Those for one tenant and a few hours read a few granules of one partition, whatever the total; those over all tenants and days read everything.
- Prices: list prices differ by a factor of three. Put your own into the script.
`;
}
