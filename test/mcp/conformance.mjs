// Runs the published conformance suite of the Model Context Protocol against a service, by the requirements of two
// revisions: `npm run mcp:conformance`. The suite needs Node 22.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../../bin/build.mjs";

/** The first versions that know 2026-07-28 are those before 0.2.0. */
const version = "0.2.0-alpha.12";
const revisions = ["2025-11-25", "2026-07-28"];
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
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
  ],
  "no progress: an answer comes whole": ["tools-call-with-progress"],
  "no tasks: an answer comes at once": [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ],
  "rows only: no pictures, sounds or files": [
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ],
  "no subscriptions: nothing is kept between two messages": ["resources-subscribe", "resources-unsubscribe"],
  "resources, schemas and headers of tools of the suite's own": [
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "json-schema-2020-12",
    "http-custom-header-server-validation",
  ],
};

/** Single checks of other scenarios, for the same reasons. */
const foreignChecks = {
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2575-server-sends-subscription-ack",
    "sep-2575-server-tags-subscription-id",
  ],
  caching: ["sep-2549-prompts-list-caching-hints"],
};

/** Endpoints with the names of tools that the suite calls. */
const endpoints = {
  test_simple_text: "SELECT 'a simple text' AS text",
  test_error_handling: "SELECT ERROR('an error') AS text",
};

function provideSuite() {
  const folder = join("node_modules", ".cache", `logweir-mcp-conformance-${version}`);
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

/** Stands in front of the service and gives each request the token: some scenarios make their own addresses. */
async function startFront(url) {
  const front = createServer((asked, answer) => {
    const headers = [...asked.rawHeaders, "X-API-KEY", token];
    const onward = request(url + asked.url, { method: asked.method, headers }, (told) => {
      answer.writeHead(told.statusCode, told.rawHeaders);
      told.pipe(answer);
    });
    asked.pipe(onward);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  return front;
}

/** Differences from the tables above: what fails although it should not, and what passes although it cannot. */
function findDifferences(folder) {
  const whole = new Set(Object.values(foreign).flat());
  const differences = [];
  for (const entry of readdirSync(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry) ?? [];
    if (scenario === undefined) continue;
    const checks = JSON.parse(readFileSync(join(folder, entry, "checks.json"), "utf8"));
    const failed = checks.filter(({ status }) => status === "FAILURE");
    const failedIds = new Set(failed.map(({ id }) => id));
    const foreignIds = foreignChecks[scenario] ?? [];
    if (whole.has(scenario)) {
      if (failed.length === 0) differences.push(`${scenario} passes`);
      continue;
    }
    for (const { id, errorMessage } of failed) {
      if (!foreignIds.includes(id)) differences.push(`${scenario}: ${id}: ${errorMessage}`);
    }
    for (const id of foreignIds) if (!failedIds.has(id)) differences.push(`${scenario}: ${id} passes`);
  }
  return differences;
}

if (Number(process.versions.node.split(".")[0]) < 22) {
  throw new Error(`The suite needs Node 22 or later; this is ${process.version}`);
}
await buildIfStale();
const suite = provideSuite();
const folder = mkdtempSync(join(tmpdir(), "logweir-mcp-"));
const { service, url } = await startService(folder);
const front = await startFront(url);
const differences = [];
for (const revision of revisions) {
  const results = join(folder, revision);
  const args = ["--url", `http://127.0.0.1:${front.address().port}/mcp`, "--requirements", revision, "-o", results];
  // Its own status counts what is foreign too.
  await once(spawn(process.execPath, [suite, "server", ...args], { stdio: ["ignore", "inherit", "inherit"] }), "exit");
  differences.push(...findDifferences(results).map((each) => `${revision}: ${each}`));
}
front.close();
const ended = once(service, "exit");
service.kill("SIGTERM");
await ended;
rmSync(folder, { recursive: true, force: true });
console.log(differences.length === 0 ? "\nAll that fails asks for what there is not." : `\n${differences.join("\n")}`);
process.exitCode = differences.length === 0 ? 0 : 1;
