/** The arithmetic of `docs/scale.md`: from events a second to nodes, shards, disks and money. */

/** Figures of `docs/benchmarks.md` and `docs/storage.md`, as they stand there; a test looks for each text. */
export const measured = {
  embeddedEventsPerSecond: { value: 13_992, text: "**13,992**", page: "benchmarks" },
  compactionEventsPerSecond: { value: 4_600, text: "about 4,600 rows a second", page: "benchmarks" },
  embeddedBytesPerEvent: { value: 464, text: "2,000,000 events: 930 MB", page: "storage" },
  jsonBytesPerEvent: { value: 2_100, text: "2.1 KB on average", page: "benchmarks" },
  serverCpuUs: { value: 127, text: "| 831 | 127 |", page: "benchmarks" },
  serverMegabytes: { value: 771, text: "| disk MB | 928 | | | 771 |", page: "benchmarks" },
  readingCpuUs: { value: 45, text: "takes 45 of them", page: "benchmarks" },
  /** A look-up of one random id in one part: of millions of rows, and of some ten thousand. */
  lookUpCpuUs: { value: 5.7, text: "5.7 us of processor\ntime in a part of 4,000,000 rows", page: "decisions/ids" },
  freshLookUpCpuUs: { value: 2.1, text: "2.1 us in one of 71,429", page: "decisions/ids" },
  /** The rest of a look-up, for each id. */
  lookUpStatementCpuUs: { value: 10, text: "the statement itself takes 10 us an id", page: "decisions/ids" },
  ownThreadCpuUs: { value: 7, text: "own thread has 7", page: "benchmarks" },
} as const;

/** Assumptions, none of them measured. Change them to your own, and run `npm run docs`. */
export const assumed = {
  /** Cores of a node, and of a server of ClickHouse. */
  nodeCores: 8,
  serverCores: 32,
  /** Disk of a server in terabytes; the shares of it and of its processors to be used. */
  serverTerabytes: 15,
  fullness: 0.7,
  load: 0.5,
  replicas: 2,
  /** The cost of each further copy of an event, as a share of the work on the first server. */
  copyCost: 0.5,
  /** Processor time of a node for writing an event as a block of columns, in microseconds. */
  blockCpuUs: 30,
  /** Bytes of an event on a server, merged, beside those of the benchmark's table: fields as columns and as JSON text. */
  layoutFactor: 1.3,
  retentionDays: 30,
  /** From a block's first byte to its acknowledgement, in milliseconds; a node has one block of a source at a time. */
  blockMs: 250,
  /** New parts a second that a server merges without falling behind, all tables together. */
  partsPerSecond: 20,
  /** Parts of a shard that were written within the window of 48 hours, three days' partitions, and in a minute. */
  windowParts: 25,
  freshParts: 10,
  /** US dollars a month: a core with its memory, and a terabyte of local disk. */
  coreDollars: 25,
  terabyteDollars: 80,
} as const;

const secondsPerDay = 86_400;

/** The requirements of a rate of events. */
export interface Scale {
  readonly eventsPerSecond: number;
  /** Rate of received JSON. */
  readonly inboundMegabitsPerSecond: number;
  readonly eventsKept: number;
  /** Disk for the events of one copy, and for all copies with the space that stays free. */
  readonly terabytesPerCopy: number;
  readonly terabytesBought: number;
  readonly nodes: number;
  readonly shardsByProcessor: number;
  readonly shardsByDisk: number;
  readonly shards: number;
  readonly servers: number;
  /** That each node sends a second, of one source; events of one. */
  readonly blocksPerSecond: number;
  readonly eventsPerBlock: number;
  /** New parts a second on each server: a block reaches every shard. */
  readonly partsPerSecond: number;
  /** How many servers are busy with nothing but looking ids up, where senders choose them. */
  readonly lookUpServers: number;
  readonly dollarsPerMonth: number;
}

const microsecondsPerSecond = 1e6;

/** Bytes of an event on a server, merged. */
export function serverBytesPerEvent(): number {
  return (measured.serverMegabytes.value / 2) * assumed.layoutFactor;
}

/** Processor time of a node for an event, in microseconds. */
export function nodeCpuUs(): number {
  return measured.readingCpuUs.value + measured.ownThreadCpuUs.value + assumed.blockCpuUs;
}

/** Events a second that a node takes in. */
export function eventsPerNode(): number {
  return (assumed.nodeCores * assumed.load * microsecondsPerSecond) / nodeCpuUs();
}

/** Events a second that a shard stores, on each of its replicas. */
export function eventsPerShard(): number {
  const cpuUs = measured.serverCpuUs.value * (1 + assumed.copyCost * (assumed.replicas - 1));
  return (assumed.serverCores * assumed.load * microsecondsPerSecond * assumed.replicas) / cpuUs;
}

/** One node more than are needed, and three of the Keeper beside the servers where there are several. */
export function planFor(eventsPerSecond: number): Scale {
  const eventsKept = eventsPerSecond * secondsPerDay * assumed.retentionDays;
  const terabytesPerCopy = (eventsKept * serverBytesPerEvent()) / 1e12;
  const shardsByProcessor = Math.ceil(eventsPerSecond / eventsPerShard());
  const shardsByDisk = Math.ceil(terabytesPerCopy / (assumed.serverTerabytes * assumed.fullness));
  const shards = Math.max(shardsByProcessor, shardsByDisk);
  const servers = shards * assumed.replicas;
  const nodes = Math.ceil(eventsPerSecond / eventsPerNode()) + 1;
  const blocksPerSecond = 1000 / assumed.blockMs;
  const eventsPerBlock = eventsPerSecond / nodes / blocksPerSecond;
  const terabytesBought = servers * assumed.serverTerabytes;
  return {
    eventsPerSecond,
    inboundMegabitsPerSecond: (eventsPerSecond * measured.jsonBytesPerEvent.value * 8) / 1e6,
    eventsKept,
    terabytesPerCopy,
    terabytesBought,
    nodes,
    shardsByProcessor,
    shardsByDisk,
    shards,
    servers,
    blocksPerSecond,
    eventsPerBlock,
    partsPerSecond: nodes * blocksPerSecond,
    lookUpServers: (eventsPerSecond * lookUpCpuUs()) / microsecondsPerSecond / assumed.serverCores,
    dollarsPerMonth:
      (nodes * assumed.nodeCores + servers * assumed.serverCores) * assumed.coreDollars +
      terabytesBought * assumed.terabyteDollars,
  };
}

/** Processor time of a shard for looking a random id up in the parts of the window, and after its block in new ones. */
export function lookUpCpuUs(
  inWindowPart: number = measured.lookUpCpuUs.value,
  inFreshPart: number = measured.freshLookUpCpuUs.value,
  statement: number = measured.lookUpStatementCpuUs.value,
): number {
  return assumed.windowParts * inWindowPart + assumed.freshParts * inFreshPart + 2 * statement;
}

/** Seconds of ingest at full speed until the embedded engine's tail has as many events as `doctor` warns of. */
export function secondsUntilTail(eventsPerSecond: number): number {
  const warned = 1_500_000;
  return warned / (eventsPerSecond - measured.compactionEventsPerSecond.value);
}

/** Days of events that fit on a disk of the embedded engine, half of which stays free for compaction and backups. */
export function embeddedDays(eventsPerSecond: number, diskBytes: number): number {
  return (diskBytes * 0.5) / measured.embeddedBytesPerEvent.value / (eventsPerSecond * secondsPerDay);
}
