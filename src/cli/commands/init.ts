import { randomBytes, randomUUID } from "node:crypto";
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "../../shared/message-of.ts";
import { CliError, type CommandContext, print, printJson } from "../context.ts";

interface NewFile {
  /** Within the folder. */
  readonly path: string;
  readonly text: string;
  readonly mode?: number;
}

const compose = `# docker compose up -d; the token is in .env
services:
  logweir:
    image: logweir
    restart: unless-stopped
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    ports: ["127.0.0.1:4000:4000"]
    environment:
      LOGWEIR_PRIVATE_TOKEN: \${LOGWEIR_PRIVATE_TOKEN:?is missing in .env}
    volumes:
      - data:/data
      - ./endpoints:/etc/logweir/endpoints:ro
    tmpfs: [/tmp]
    stop_grace_period: 30s
    mem_limit: 1536m

volumes:
  data:
`;

const name = "requests.failed";

const endpoint = (id: string): string => `/*---
id: ${id}
name: ${name}
description: Failed requests of a project by path, the most frequent first
cache_seconds: 10
parameters:
  project:
    type: string
    required: true
    description: Reference of the project
  hours:
    type: int64
    default: 24
    allowed: [1, 6, 24, 168]
    description: "Time up to now, in hours"
tenant_parameter: project
---*/
WITH requests AS (
  SELECT t.timestamp, request.method, request.path, response.status_code
  FROM edge AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  CROSS JOIN UNNEST(m.request) AS request
  CROSS JOIN UNNEST(m.response) AS response
  WHERE t.project = @project
    AND t.timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @hours HOUR)
)
SELECT path, COUNT(*) AS failed, MIN(timestamp) AS first, MAX(timestamp) AS last
FROM requests
WHERE status_code >= 500
GROUP BY path
ORDER BY failed DESC, path
LIMIT 100
`;

const endpointTest = `now: 2026-01-02T12:00:00Z
given:
  edge:
    - timestamp: 2026-01-02T11:00:00Z
      project: abc
      metadata: { request: { path: /pay }, response: { status_code: 502 } }
    - timestamp: 2026-01-02T11:30:00Z
      project: abc
      metadata: { request: { path: /pay }, response: { status_code: 500 } }
    - timestamp: 2026-01-02T11:40:00Z
      project: abc
      metadata: { request: { path: /list }, response: { status_code: 200 } }
    - timestamp: 2026-01-02T11:50:00Z
      project: other
      metadata: { request: { path: /pay }, response: { status_code: 500 } }

cases:
  - name: counts what failed, of one project
    parameters: { project: abc }
    expect:
      rows: [{ path: /pay, failed: 2 }]
      ignore: [first, last]
`;

/**
 * Writes what a new installation begins with: a compose file, a token in `.env`, and an endpoint with its test. Writes
 * nothing where one of these files is there already.
 */
export async function initFolder(context: CommandContext, folder: string): Promise<void> {
  const directory = resolve(context.workingDir, folder);
  const token = randomBytes(24).toString("hex");
  const files: readonly NewFile[] = [
    { path: "compose.yaml", text: compose },
    { path: ".env", text: `LOGWEIR_PRIVATE_TOKEN=${token}\n`, mode: 0o600 },
    { path: ".gitignore", text: ".env\ndata/\n" },
    { path: `endpoints/${name}.sql`, text: endpoint(randomUUID()) },
    { path: `endpoints/${name}.test.yaml`, text: endpointTest },
  ];
  await refuseExisting(directory, files);
  await writeAll(directory, files);
  if (context.json === true) return printJson(context.output, { directory, files: files.map(({ path }) => path) });
  print(context.output, files.map(({ path }) => join(folder, path)).join("\n"));
  print(context.errors, `\n${nextSteps(folder)}`);
}

async function refuseExisting(directory: string, files: readonly NewFile[]): Promise<void> {
  const found: string[] = [];
  for (const { path } of files) {
    // A link that leads nowhere is there too.
    const isThere = await lstat(join(directory, path)).then(
      () => true,
      () => false,
    );
    if (isThere) found.push(path);
  }
  if (found.length === 0) return;
  throw new CliError(
    `${directory} already has ${found.join(", ")}; nothing was written. Name another folder, or remove these files`,
  );
}

/** Writes every file, or leaves none of them behind. */
async function writeAll(directory: string, files: readonly NewFile[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, "", { flag: "wx", ...(mode === undefined ? {} : { mode }) });
      written.push(file);
      await writeFile(file, text);
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    const reason = messageOf(error);
    throw new CliError(`Nothing was written to ${directory}: ${reason}`);
  }
}

function nextSteps(folder: string): string {
  const enter =
    folder === "." ? "" : `cd ${/^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`}\n`;
  return `Next:
${enter}logweir endpoint test
docker compose up -d        # or: set -a; . ./.env; logweir serve
. ./.env
curl -H "X-API-KEY: $LOGWEIR_PRIVATE_TOKEN" 'http://127.0.0.1:4000/api/logs?source=edge' --json \\
  '{"project":"shop","event_message":"POST /pay",
    "metadata":{"request":{"path":"/pay"},"response":{"status_code":502}}}'
curl -H "X-API-KEY: $LOGWEIR_PRIVATE_TOKEN" 'http://127.0.0.1:4000/api/endpoints/query/${name}?project=shop'`;
}
