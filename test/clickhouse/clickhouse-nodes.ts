/** Nodes over one ClickHouse server: the program as it is shipped, in processes of their own. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { type NodeProcess, privateToken, startNode } from "../nodes/start-node.ts";

const database = "logweir_nodes";

export interface ClickHouseNodeOptions {
  /** Address of the server, or of the proxy in front of it. */
  readonly serverUrl: string;
  /** Holds the node's data folder. */
  readonly folder: string;
  /** Address of PostgreSQL; by default the metadata is a file in the folder. */
  readonly metadataUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function environmentOf({ serverUrl, folder, metadataUrl, environment }: ClickHouseNodeOptions): Record<string, string> {
  return {
    ...{ LOGWEIR_ENGINE: "clickhouse", LOGWEIR_CLICKHOUSE_URL: serverUrl, LOGWEIR_CLICKHOUSE_DATABASE: database },
    ...{ LOGWEIR_CLICKHOUSE_MIGRATE: "on", LOGWEIR_DATA_DIR: join(folder, "data") },
    ...(metadataUrl === undefined ? {} : { LOGWEIR_METADATA_URL: metadataUrl }),
    ...environment,
  };
}

/** Resolves once it listens. The program has to be built. */
export async function startClickHouseNode(options: ClickHouseNodeOptions): Promise<NodeProcess> {
  const environment = environmentOf(options);
  // Unset, the metadata are a file.
  return startNode(["dist/logweir.js", "serve"], "", { LOGWEIR_METADATA_URL: "", ...environment });
}

export interface CommandOutcome {
  readonly code: number;
  readonly output: string;
}

/** A command of the program, with the settings of such a node and its address. */
export function runCommand(
  args: readonly string[],
  options: ClickHouseNodeOptions,
  nodeUrl?: string,
): Promise<CommandOutcome> {
  const env = {
    ...{ PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LOGWEIR_TOKEN: privateToken },
    ...(nodeUrl === undefined ? {} : { LOGWEIR_URL: nodeUrl }),
    ...environmentOf(options),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ["dist/logweir.js", ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}
