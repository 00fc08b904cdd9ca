/**
 * Sends messages by `logger`, straight and through rsyslog and syslog-ng as Debian has them, over TCP and UDP, and
 * looks for them afterwards. The daemons run with the lines of docs/senders.md. With CI=true root installs what is
 * missing; what is missing all the same is left out, and said.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apt, endAfter, findProgram, provideProgram } from "../../bin/debian.mjs";

const token = "syslog-private-token-0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "logweir-syslog-"));
const children = [];

/** syslog-ng cannot be installed beside rsyslog: it is unpacked into a folder. */
function unpackSyslogNg() {
  const own = findProgram("syslog-ng");
  if (own !== undefined) return { program: own, env: {}, modules: undefined };
  if (findProgram("apt-get") === undefined || findProgram("dpkg") === undefined) return undefined;
  try {
    apt(["download", "syslog-ng-core"], folder);
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".deb"));
    const needs = execFileSync("dpkg-deb", ["-f", join(folder, file), "Depends"], { encoding: "utf8" });
    const libraries = needs.split(",").map((need) => need.trim().split(/[ (]/)[0] ?? "");
    apt(["download", ...libraries.filter((name) => name.startsWith("lib") && name !== "libc6")], folder);
  } catch {
    return undefined;
  }
  const root = join(folder, "root");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb"))) {
    execFileSync("dpkg", ["-x", join(folder, file), root]);
  }
  const base = join(root, "usr/lib/syslog-ng");
  const modules = readdirSync(base)
    .filter((name) => /^\d+\.\d+$/.test(name))
    .map((name) => join(base, name));
  const libraries = [
    base,
    ...modules,
    ...execFileSync("find", [root, "-name", "*-linux-gnu*", "-type", "d"], { encoding: "utf8" }).split("\n"),
  ];
  return {
    program: join(root, "usr/sbin/syslog-ng"),
    env: { LD_LIBRARY_PATH: libraries.filter((each) => each !== "").join(":") },
    modules: modules[0],
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts something that runs until the end; `isReady` looks at what it has written. */
function run(program, words, { env = {}, isReady }) {
  const child = spawn(program, words, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let output = "";
  return new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      if (isReady?.(output)) resolve({ child, output });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}:\n${output}`)));
    if (isReady === undefined) resolve({ child, output: "" });
  });
}

/** The lines of a block of docs/senders.md, for the port of this run. */
function linesOfPage(language, port) {
  const page = readFileSync("docs/senders.md", "utf8");
  const [, block] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page) ?? [];
  if (block === undefined) throw new Error(`docs/senders.md has no block for ${language}`);
  return block.replaceAll("5514", String(port));
}

const protocols = ["tcp", "udp"];

async function startRsyslog(program, port) {
  const own = await freePort();
  const file = join(folder, "rsyslog.conf");
  writeFileSync(
    file,
    `global(workDirectory="${folder}")
module(load="imtcp") input(type="imtcp" address="127.0.0.1" port="${own}")
module(load="imudp") input(type="imudp" address="127.0.0.1" port="${own}")
${linesOfPage("rsyslog", port)}`,
  );
  await run(program, ["-n", "-f", file, "-i", join(folder, "rsyslog.pid")], {});
  return { rfc3164: own, rfc5424: own };
}

async function startSyslogNg({ program, env, modules }, port) {
  const own = { rfc3164: await freePort(), rfc5424: await freePort() };
  const state = join(folder, "syslog-ng");
  mkdirSync(state);
  const file = join(state, "syslog-ng.conf");
  writeFileSync(
    file,
    `@version: current
source s {
  network(ip("127.0.0.1") port(${own.rfc3164}) transport("tcp")); network(ip("127.0.0.1") port(${own.rfc3164}) transport("udp"));
  network(ip("127.0.0.1") port(${own.rfc5424}) transport("tcp") flags(syslog-protocol));
  network(ip("127.0.0.1") port(${own.rfc5424}) transport("udp") flags(syslog-protocol));
};
${linesOfPage("syslog-ng", port)}
`,
  );
  const words = [
    "-F",
    "--no-caps",
    "-f",
    file,
    "-R",
    join(state, "persist"),
    "-c",
    join(state, "control"),
    "-p",
    join(state, "pid"),
  ];
  await run(program, modules === undefined ? words : [...words, "--module-path", modules], { env });
  return own;
}

async function until(isTrue, what) {
  const deadline = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`It did not come to pass: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const endAll = () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
};
endAfter(150, endAll);
let failed = 0;
try {
  const logger = provideProgram("logger", "bsdutils");
  const syslogPort = await freePort();
  const { output } = await run(process.execPath, ["bin/logweir.mjs", "serve"], {
    env: {
      LOGWEIR_PORT: "0",
      LOGWEIR_SYSLOG_PORT: String(syslogPort),
      LOGWEIR_DATA_DIR: join(folder, "data"),
      LOGWEIR_PRIVATE_TOKEN: token,
    },
    isReady: (text) => /http:\/\/127\.0\.0\.1:\d+/.test(text),
  });
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)[0];
  const query = async (sql) => {
    const response = await fetch(`${url}/api/query?sql=${encodeURIComponent(sql)}`, {
      headers: { "x-api-key": token },
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()).result;
  };
  const ways = new Map([["logger", logger === undefined ? undefined : { rfc3164: syslogPort, rfc5424: syslogPort }]]);
  const rsyslog = provideProgram("rsyslogd", "rsyslog");
  ways.set("rsyslog", rsyslog === undefined ? undefined : await startRsyslog(rsyslog, syslogPort));
  const syslogNg = unpackSyslogNg();
  ways.set("syslog-ng", syslogNg === undefined ? undefined : await startSyslogNg(syslogNg, syslogPort));

  for (const [way, ports] of ways) {
    if (ports === undefined || logger === undefined) {
      console.log(`left out  ${way}: it is not installed here, and cannot be without root and CI=true`);
      continue;
    }
    for (const protocol of protocols) {
      for (const format of ["rfc3164", "rfc5424"]) {
        const name = `${way} over ${protocol}, ${format}`;
        const text = `${way} ${protocol} ${format} says: it's "half" past nine`;
        const words = [
          "-n",
          "127.0.0.1",
          "-P",
          String(ports[format]),
          `--${protocol}`,
          `--${format}`,
          "-t",
          "probe",
          "-p",
          "user.err",
          "--id=4711",
          text,
        ];
        try {
          // A daemon that starts is not yet there; a datagram to nobody is lost.
          let row;
          await until(async () => {
            if (row === undefined) {
              try {
                execFileSync(logger, words, { stdio: "ignore", timeout: 5_000 });
              } catch {
                return false;
              }
              await new Promise((resolve) => setTimeout(resolve, 500));
            }
            [row] = await query(
              "SELECT event_message, metadata[0].app AS app, metadata[0].level AS level, metadata[0].process " +
                "AS process, metadata[0].host AS host, ABS(TIMESTAMP_DIFF(CURRENT_TIMESTAMP(), timestamp, " +
                `SECOND)) < 60 AS is_now FROM syslog WHERE STRPOS(event_message, '${way} ${protocol} ${format} ` +
                "') > 0 LIMIT 1",
            );
            return row !== undefined;
          }, "the message is there");
          const wanted = { event_message: text, app: "probe", level: "error", process: "4711", is_now: true };
          const wrong = Object.entries(wanted).filter(([field, value]) => String(row[field]) !== String(value));
          if (wrong.length > 0 || !row.host)
            throw new Error(`expected ${JSON.stringify(wanted)}, got ${JSON.stringify(row)}`);
          console.log(`ok        ${name}`);
        } catch (error) {
          failed++;
          console.log(`FAILED    ${name}: ${error.message}`);
        }
      }
    }
  }
} finally {
  endAll();
}
process.exitCode = failed === 0 ? 0 : 1;
process.exit();
