/** Attempts that show the effect of settings of a server that stores the events: the server sees it. */
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Attempt, Elsewhere } from "./attempt.ts";
import { makeCertificates, type Recorded, startRecordingServer } from "./recording-server.ts";

type Environment = Readonly<Record<string, string>>;

/**
 * Returns the requests that a server receives from services started in turn with these settings; they may fail to
 * start.
 */
async function askedWith(
  start: Parameters<Attempt>[0],
  settings: readonly Environment[],
  tlsFolder?: string,
): Promise<readonly (readonly Recorded[])[]> {
  const asked: (readonly Recorded[])[] = [];
  for (const env of settings) {
    const server = await startRecordingServer(tlsFolder);
    try {
      const own = { LOGWEIR_ENGINE: "clickhouse", LOGWEIR_CLICKHOUSE_URL: server.url, ...env };
      const service = await start(own).catch(() => undefined);
      if (service !== undefined) await fetch(`${service.url}/health`);
      asked.push([...server.requests]);
    } finally {
      await server.close();
    }
  }
  return asked;
}

const migrating = { LOGWEIR_CLICKHOUSE_MIGRATE: "on" };
const made = (requests: readonly Recorded[]) =>
  requests.map(({ statement }) => statement).filter((statement) => statement.startsWith("CREATE"));
const usersOf = (requests: readonly Recorded[]) => [
  ...new Set(requests.map(({ user, password }) => `${user}:${password}`)),
];

/** Everything that a start asks for is of the other user; what looks at both is `engine check`. */
const readerCounts: Attempt = async () => {
  const server = await startRecordingServer();
  const env = {
    ...{ LOGWEIR_ENGINE: "clickhouse", LOGWEIR_CLICKHOUSE_URL: server.url },
    ...{ LOGWEIR_CLICKHOUSE_READER_USER: "asker", LOGWEIR_CLICKHOUSE_READER_PASSWORD: "q" },
  };
  await promisify(execFile)(process.execPath, ["dist/logweir.js", "engine", "check"], { env }).catch(() => undefined);
  await server.close();
  expect(usersOf(server.requests)).toEqual(["default:", "asker:q"]);
};

/** Attempts for the settings in `src/config/engine-settings.ts`. */
export const serverAttempts = {
  engine: async (start) => {
    const [asked, without] = await askedWith(start, [{}, { LOGWEIR_ENGINE: "duckdb" }]);
    expect(asked?.length).toBeGreaterThan(0);
    expect(without).toEqual([]);
  },
  clickhouseUrl: async (start) => {
    const [first, second] = [await startRecordingServer(), await startRecordingServer()];
    await first.close();
    const LOGWEIR_CLICKHOUSE_URL = `${first.url},${second.url}`;
    await start({ LOGWEIR_ENGINE: "clickhouse", LOGWEIR_CLICKHOUSE_URL }).catch(() => undefined);
    await second.close();
    expect(second.requests.length).toBeGreaterThan(0);
  },
  clickhouseUser: async (start) => {
    const [named, unnamed] = await askedWith(start, [{ LOGWEIR_CLICKHOUSE_USER: "weir" }, {}]);
    expect([named, unnamed].map((requests) => usersOf(requests ?? []))).toEqual([["weir:"], ["default:"]]);
  },
  clickhousePassword: async (start) => {
    const [requests = []] = await askedWith(start, [{ LOGWEIR_CLICKHOUSE_PASSWORD: "p4ss" }]);
    expect(usersOf(requests)).toEqual(["default:p4ss"]);
  },
  clickhouseReaderUser: readerCounts,
  clickhouseReaderPassword: readerCounts,
  clickhouseDatabase: async (start) => {
    const [requests = []] = await askedWith(start, [{ ...migrating, LOGWEIR_CLICKHOUSE_DATABASE: "weir" }]);
    expect(made(requests).length).toBeGreaterThan(0);
    for (const statement of made(requests)) expect(statement).toMatch(/\bweir\b/);
  },
  clickhouseCluster: async (start) => {
    const one = { ...migrating, LOGWEIR_CLICKHOUSE_CLUSTER: "brook" };
    const [clustered = [], single = []] = await askedWith(start, [one, migrating]);
    for (const statement of made(clustered)) expect(statement).toMatch(/ON CLUSTER `?brook/);
    for (const statement of made(single)) expect(statement).not.toMatch(/ON CLUSTER/);
    expect(made(single).length).toBeGreaterThan(0);
  },
  clickhouseMigrate: async (start) => {
    const [on = [], off = []] = await askedWith(start, [migrating, {}]);
    expect(made(on).length).toBeGreaterThan(0);
    expect(off.length).toBeGreaterThan(0);
    expect(made(off)).toEqual([]);
  },
  clickhouseSpoolMb: { file: "test/clickhouse/service.long.ts", title: "is spooled to the node's disk" },
  ...tlsAttempts(),
} as const satisfies Readonly<Record<string, Attempt | Elsewhere>>;

async function certificateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "logweir-composition-"));
  makeCertificates(folder);
  return folder;
}

function tlsAttempts() {
  const files = (folder: string) => ({
    ca: { LOGWEIR_CLICKHOUSE_CA_FILE: join(folder, "ca.pem") },
    own: {
      LOGWEIR_CLICKHOUSE_CERT_FILE: join(folder, "client.pem"),
      LOGWEIR_CLICKHOUSE_KEY_FILE: join(folder, "client.key"),
    },
  });
  const shows: Attempt = async (start) => {
    const folder = await certificateFolder();
    const { ca, own } = files(folder);
    const [shown = [], hidden = []] = await askedWith(start, [{ ...ca, ...own }, ca], folder);
    expect(shown[0]?.shown).toBe("client");
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden[0]?.shown).toBeUndefined();
  };
  const trusts: Attempt = async (start) => {
    const folder = await certificateFolder();
    const [trusted = [], distrusted] = await askedWith(start, [files(folder).ca, {}], folder);
    expect(trusted.length).toBeGreaterThan(0);
    expect(distrusted).toEqual([]);
  };
  return { clickhouseCaFile: trusts, clickhouseCertFile: shows, clickhouseKeyFile: shows };
}
