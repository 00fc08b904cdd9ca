// Runs the published conformance suite of the Model Context Protocol against a service: `npm run mcp:conformance`. It
// needs Node 22, and speaks the revisions before 2026-07-28; the published client covers that one.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../../bin/build.mjs";

const version = "0.1.16";
const token = "conformance-private-token-0123456789";

/** Scenarios that ask for what a service of logs has not. All others have to pass, and none of these may. */
const foreign = {
  "no prompts": [
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
  "no log messages to clients, which 2026-07-28 deprecates": ["logging-set-level", "tools-call-with-logging"],
  "no completion of arguments": ["completion-complete"],
  "no questions to a client or its model": [
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  "no progress: an answer comes whole": ["tools-call-with-progress"],
  "rows only: no pictures, sounds or files": [
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ],
  "no subscriptions: nothing is kept between two messages": ["resources-subscribe", "resources-unsubscribe"],
  "no sessions: both scenarios end with a warning where there are none": [
    "server-sse-polling",
    "server-sse-multiple-streams",
  ],
  "resources and schemas with names of the suite": [
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "json-schema-2020-12",
  ],
};

/** Endpoints with the names of tools that the suite calls. */
const endpoints = {
  test_simple_text: "SELECT 'a simple text' AS text",
  test_error_handling: "SELECT ERROR('an error') AS text",
};

function provideSuite() {
  const folder = join("node_modules", ".cache", "logweir-mcp-conformance");
  const suite = join(folder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
  if (!existsSync(suite)) {
    mkdirSync(folder, { recursive: true });
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
    execFileSync("npm", ["install", "--prefix", folder, ...quiet, `@modelcontextprotocol/conformance@${version}`]);
  }
  return suite;
}

/** Starts a service on the endpoints, and resolves with its process and its address. */
function startService(folder) {
  const endpointsDir = join(folder, "endpoints");
  mkdirSync(endpointsDir);
  for (const [index, [name, query]] of Object.entries(endpoints).entries()) {
    const id = `00000000-0000-4000-8000-00000000000${index}`;
    writeFileSync(join(endpointsDir, `${name}.sql`), `/*---\nid: ${id}\nname: ${name}\n---*/\n${query}\n`);
  }
  const settings = { PORT: "0", DATA_DIR: join(folder, "data"), ENDPOINTS_DIR: endpointsDir, PRIVATE_TOKEN: token };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`LOGWEIR_${name}`, value]));
  const service = spawn(process.execPath, ["dist/logweir.js", "serve"], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let output = "";
    service.stdout.on("data", (chunk) => {
      output += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url !== undefined) resolve({ service, url });
    });
    service.once("exit", (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
  });
}

await buildIfStale();
const suite = provideSuite();
const folder = mkdtempSync(join(tmpdir(), "logweir-mcp-"));
const baseline = join(folder, "expected-failures.yml");
writeFileSync(
  baseline,
  `server:\n${Object.values(foreign)
    .flat()
    .map((name) => `  - ${name}\n`)
    .join("")}`,
);
const { service, url } = await startService(folder);
const args = ["--url", `${url}/mcp?api_key=${token}`, "--suite", "all", "--expected-failures", baseline, "-o", folder];
const { status } = spawnSync(process.execPath, [suite, "server", ...args], { stdio: "inherit" });
const ended = new Promise((resolve) => service.once("exit", resolve));
service.kill("SIGTERM");
await ended;
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
