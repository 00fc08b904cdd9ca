import { splitList } from "../shared/network/private-networks.ts";
import { omitUndefined } from "../shared/omit-undefined.ts";
import { maskServerUrls } from "./mask-database-url.ts";
import { integer, nameSettings, type ValuesOf, variableOf } from "./setting-definition.ts";

const text = { kind: "text" } as const;

/** Masks a password completely: only whether it is set is printed. */
const maskAll = () => "(set)";

/** The settings of where events are kept. */
export const engineSettings = nameSettings({
  engine: {
    type: { kind: "choice", choices: ["duckdb", "clickhouse"] },
    default: "duckdb",
    description:
      "Where events are stored: `duckdb` in the data folder, `clickhouse` on a server or cluster, see " +
      "[clickhouse.md](clickhouse.md).",
  },
  clickhouseUrl: {
    type: text,
    default: undefined,
    mask: maskServerUrls,
    description:
      "Addresses of the server's HTTP interface, `http://HOST:8123` or `https://HOST:8443`, separated by commas.",
  },
  clickhouseUser: {
    type: text,
    default: "default",
    description: "User that creates tables and stores events.",
  },
  clickhousePassword: {
    type: text,
    default: undefined,
    mask: maskAll,
    description: "Its password.",
  },
  clickhouseReaderUser: {
    type: text,
    default: undefined,
    description: "User that runs queries and may only read the sources' tables; defaults to the other user.",
  },
  clickhouseReaderPassword: {
    type: text,
    default: undefined,
    mask: maskAll,
    description: "Its password.",
  },
  clickhouseDatabase: {
    type: text,
    default: "logweir",
    description: "Database for the tables, used by Logweir alone.",
  },
  clickhouseCluster: {
    type: text,
    default: undefined,
    description:
      "Cluster in the server's configuration over which tables are replicated and sharded; unset for a single " +
      "server.",
  },
  clickhouseCaFile: {
    type: text,
    default: undefined,
    description:
      "CA certificates (PEM) that verify the server's certificate, in addition to those that Node.js trusts.",
  },
  clickhouseCertFile: {
    type: text,
    default: undefined,
    description: "Client certificate (PEM) that is presented to the server; requires a CA file and a key file.",
  },
  clickhouseKeyFile: {
    type: text,
    default: undefined,
    description: "Its key (PEM).",
  },
  clickhouseMigrate: {
    type: { kind: "choice", choices: ["on", "off"] },
    default: "off",
    description: "`on` creates what is missing on the server at startup, as `logweir engine migrate --yes` does.",
  },
  clickhouseSpoolMb: {
    type: integer(0, 1_000_000),
    default: 0,
    description:
      "Disk space in megabytes, in the data folder, for events that are acknowledged while the server is " +
      "unreachable; with 0 they are refused with 503.",
  },
});

/** A server that keeps the events. */
export interface EngineServer {
  readonly urls: readonly string[];
  readonly user: string;
  readonly password: string;
  readonly reader?: { readonly user: string; readonly password: string };
  readonly database: string;
  readonly cluster?: string;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** True if missing tables are created at the start. */
  readonly migrates: boolean;
}

/** Names that need no quoting, so that statements in the documentation can be copied. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

type EngineValues = ValuesOf<typeof engineSettings>;

/** The problems of the values; empty for an engine without a server. */
export function findServerProblems(values: EngineValues): readonly string[] {
  if (values.engine !== "clickhouse") return [];
  const problems: string[] = [];
  const urls = splitList(values.clickhouseUrl ?? "");
  if (urls.length === 0) problems.push("LOGWEIR_CLICKHOUSE_URL: must be set where LOGWEIR_ENGINE is clickhouse");
  for (const [index, url] of urls.entries()) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const isServer = parsed !== undefined && /^https?:$/.test(parsed.protocol);
    if (!isServer) problems.push(`LOGWEIR_CLICKHOUSE_URL: address ${index + 1} is no http:// or https:// address`);
    else if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "") {
      problems.push(
        `LOGWEIR_CLICKHOUSE_URL: address ${index + 1} must hold neither user nor password nor settings: ` +
          "LOGWEIR_CLICKHOUSE_USER and LOGWEIR_CLICKHOUSE_PASSWORD do",
      );
    }
  }
  for (const key of ["clickhouseDatabase", "clickhouseCluster"] as const) {
    const value = values[key];
    if (value === undefined || NAME.test(value)) continue;
    const variable = variableOf(engineSettings[key]);
    problems.push(`${variable}: must be a name of letters, digits and _, not ${JSON.stringify(value)}`);
  }
  const { clickhouseCaFile: ca, clickhouseCertFile: cert, clickhouseKeyFile: key } = values;
  if ((cert !== undefined || key !== undefined) && (ca === undefined || cert === undefined || key === undefined)) {
    problems.push("LOGWEIR_CLICKHOUSE_CERT_FILE: goes with LOGWEIR_CLICKHOUSE_KEY_FILE and LOGWEIR_CLICKHOUSE_CA_FILE");
  }
  return problems;
}

/** The server; undefined for an engine that keeps its events in the data folder. */
export function readServer(values: EngineValues): EngineServer | undefined {
  if (values.engine !== "clickhouse") return undefined;
  const { clickhouseReaderUser: readerUser, clickhouseCluster: cluster } = values;
  const { clickhouseCaFile: caFile, clickhouseCertFile: certFile, clickhouseKeyFile: keyFile } = values;
  const tls = omitUndefined({ caFile, certFile, keyFile });
  return {
    urls: splitList(values.clickhouseUrl ?? ""),
    user: values.clickhouseUser,
    password: values.clickhousePassword ?? "",
    ...(readerUser === undefined
      ? {}
      : { reader: { user: readerUser, password: values.clickhouseReaderPassword ?? "" } }),
    database: values.clickhouseDatabase,
    ...omitUndefined({ cluster }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
    migrates: values.clickhouseMigrate === "on",
  };
}
