import {
  assumed,
  embeddedDays,
  eventsPerNode,
  eventsPerShard,
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
      row("JSON that comes in, Mbit/s", (plan) => round(plan.inboundMegabitsPerSecond)),
      row(`events kept, ${assumed.retentionDays} days, billions`, (plan) => round(plan.eventsKept / 1e9)),
      row("TB of one copy", (plan) => round(plan.terabytesPerCopy)),
      row(`nodes of ${assumed.nodeCores} cores, one of them spare`, (plan) => round(plan.nodes)),
      row("shards, by processors", (plan) => round(plan.shardsByProcessor)),
      row("shards, by disks", (plan) => round(plan.shardsByDisk)),
      row(`servers of ${assumed.serverCores} cores and ${assumed.serverTerabytes} TB`, (plan) => round(plan.servers)),
      row("partitions of a source", () => String(assumed.retentionDays + 1)),
      row("events of a block", (plan) => round(plan.eventsPerBlock)),
      row("new parts/s on each server", (plan) => round(plan.partsPerSecond)),
      row("rows read for a block of random ids, millions", (plan) => round(plan.lookUpRows / 1e6)),
      row("servers that this alone keeps busy", (plan) => round(plan.lookUpServers, 2)),
      row("US$ a month, thousands", (plan) => round(plan.dollarsPerMonth / 1000)),
      row("US$ a million events kept for the time", (plan) => {
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
      ["disks full, processors busy, at most", `${share(assumed.fullness)}, ${share(assumed.load)}`],
      ["copies; what a further one costs of the first one's work", `${assumed.replicas}; ${share(assumed.copyCost)}`],
      ["processor time for writing an event as columns", `${assumed.blockCpuUs} us`],
      ["bytes of an event beside those of the benchmark's table", `x ${assumed.layoutFactor}`],
      ["days that are kept", String(assumed.retentionDays)],
      ["a block, from its first byte to its acknowledgement", `${assumed.blockMs} ms`],
      ["new parts/s that a server merges", String(assumed.partsPerSecond)],
      ["parts of a day once merged; ids of a granule", `${assumed.partsPerDay}; ${assumed.granuleIds}`],
      ["rows/s that a server reads for look-ups", round(assumed.lookUpRowsPerSecond)],
      ["US$ a month for a core with memory; for a terabyte", `${assumed.coreDollars}; ${assumed.terabyteDollars}`],
    ],
  );
}

/** Whatever figure stands on the page comes from the plan. */
export function printScalePage(): string {
  const [small, , , large] = rates.map(planFor) as [Scale, Scale, Scale, Scale];
  const { embeddedEventsPerSecond: most, compactionEventsPerSecond: steady } = measured;
  return `# A plan from one machine to a million events a second

\`npm run docs\` prints this page; the arithmetic is in \`test/docs/scale-plan.ts\`, and a test holds the page to it. What it rests on is either measured ([benchmarks.md](benchmarks.md),
[storage.md](storage.md): events of 2.1 KB, 2 cores) or assumed, and the two are told apart. **Nothing beyond one machine was measured**, and no cluster was run at all.

## One machine

The embedded engine took ${round(most.value, 5)} durable events/s on 2 cores, and put ${round(steady.value)} a second in order meanwhile. Up to that rate it goes on for good; at full speed \`doctor\` warns after
${round(secondsUntilTail(most.value), 2)} s, and what is left is put in order when less comes in. An event takes ${measured.embeddedBytesPerEvent.value} bytes, and half of the disk stays free:

${table(
  ["events/s, all day", "days on 1 TB", "days on 4 TB"],
  [100, 1_000, steady.value].map((rate) => [
    round(rate),
    round(embeddedDays(rate, 1e12)),
    round(embeddedDays(rate, 4e12)),
  ]),
)}

Each event in the store also takes 12 to 23 bytes of memory, by which repeated ids are known: 100 million events are ${round((100e6 * 12) / 1e9)} to ${round((100e6 * 23) / 1e9)} GB. **What breaks first**: memory for ids and the time of compaction, long
before HTTP or queries do. More cores help reading and compaction; one writer commits. Move on when the tail does not get shorter at night, or when a second machine has to be able to take over.

## Nodes and a cluster

[Moving](migrate-data.md) needs no pause. From then on nodes take events in and answer queries, ClickHouse keeps them, PostgreSQL has the state.

${planTable()}

How it is counted:

- **A node** spends ${nodeCpuUs()} us on an event: ${measured.readingCpuUs.value} for reading it and ${measured.ownThreadCpuUs.value} on its own thread (measured), ${assumed.blockCpuUs} for writing columns (assumed): ${round(eventsPerNode())} events/s. One process uses two to three
  cores, so a node of ${assumed.nodeCores} runs several, each a node to all others. Queries come on top: measure yours.
- **A shard** of ${assumed.replicas} servers stores ${round(eventsPerShard())} events/s: ${measured.serverCpuUs.value} us of processor time on the first copy, merges and the reading of JSON included (measured in one process, which read JSON; blocks of columns should cost less).
- **An event** on a server takes ${round(serverBytesPerEvent())} bytes: ${measured.serverMegabytes.value} MB for 2,000,000 in the benchmark's table (measured), times ${assumed.layoutFactor} (assumed).
- **Partitions** are days of a source. Retention drops them whole, queries of some hours open one or two.
- **A block** is what a node has of a source when its last one was acknowledged. On a cluster each reaches every shard, and makes a part on each.

${assumptionTable()}

PostgreSQL stays small: ${round(large.nodes)} nodes take ${round(large.nodes * 6)} connections and read two rows each twice a second. Give it a standby, not cores. Drains of all sources are sent by one node: at these
rates send from somewhere else.

## What breaks first

1. **Looking ids up.** An id that a sender chose is looked for in every part of its source, twice a block. An id of random digits costs a granule of each: with 2,100,000 rows in 20 parts ClickHouse 26.7 read 181,920
   rows for one, and all for a hundred (\`EXPLAIN ESTIMATE\`). So random ids keep ${round(small.lookUpServers, 2)} servers busy at ${round(small.eventsPerSecond)} events/s, and ${round(large.lookUpServers, 2)} at a million, which is out of the question. **Ids that begin with the time** (UUID v7, ULID) lie together:
   a thousand of them took 3,392 rows of one part in the same table. Events that come without an id are not looked up at all, and are there twice where they are sent again because an answer was lost.
2. **Parts.** ${round(large.nodes)} nodes make ${round(large.partsPerSecond)} parts a second on every server where ${assumed.partsPerSecond} are sound; ClickHouse refuses inserts at 3,000 parts of a day (senders get 503 with \`Retry-After\`). Beyond ${Math.floor((assumed.partsPerSecond * assumed.blockMs) / 1000)}
   nodes for a source, send each source to few of them (by a hash of its name or tenant at the load balancer), so that blocks are few and large.
3. **Disk** decides on the number of servers from there on, not processors: fewer days, or a tier of slow disks below, which is ClickHouse's own affair.
4. **Fields.** Every node keeps the fields of every source and the tenants that carried them in memory, and widens tables under one order of decisions: fields that are new all the time hold up all nodes.

## What is not known

- Whether a cluster does any of this: Replicated and Distributed tables were read by ClickHouse's parser, no more ([clickhouse.md](clickhouse.md#clusters)).
- The rate of a node over ClickHouse, a block's time under load, the size of an event in this layout after merges, the cost of a replica: the assumptions above.
- Queries at these sizes. Those that name a tenant and some hours read one partition's few granules whatever the total; those over all tenants and all days read everything.
- Prices: list prices differ by a factor of three. Put your own into the script.
`;
}
