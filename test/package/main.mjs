/**
 * Looks at what would be published: the parts and licences of the bill of materials, a dry run of `npm publish`, and
 * the package itself, installed into an empty folder and run there; also on each other Node whose folder is named.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const maxInstalledMegabytes = 110;
const licences = new Set(["MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD"]);
const folder = mkdtempSync(join(tmpdir(), "logweir-package-"));
const npm = (words, options = {}) =>
  execFileSync("npm", words, { encoding: "utf8", maxBuffer: 1e9, stdio: ["ignore", "pipe", "pipe"], ...options });

let failed = 0;
function check(title, isRight, detail) {
  if (!isRight) failed++;
  console.log(`${isRight ? "ok  " : "FAIL"} ${title}: ${detail}`);
}

function megabytesOf(path) {
  let bytes = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return Math.round(bytes / 1e6);
}

/** A copy of the project as it is, because packing builds `dist` from nothing, from which others may run. */
function copyProject() {
  const copy = join(folder, "project");
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const paths = execFileSync("git", words, { encoding: "utf8", maxBuffer: 1e9 }).split("\0");
  for (const path of paths.filter((each) => existsSync(each))) cpSync(path, join(copy, path));
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs a command by npx in an empty folder. What it installs for that goes with the folder; downloads are cached. */
function runByNpx(tarball, words) {
  const [home, cache] = [join(folder, "npx"), join(folder, "cache")];
  for (const each of [home, cache]) mkdirSync(each);
  symlinkSync(join(npm(["config", "get", "cache"]).trim(), "_cacache"), join(cache, "_cacache"));
  const env = { ...process.env, npm_config_cache: cache };
  return execFileSync("npx", ["--yes", `--package=${tarball}`, ...words], { encoding: "utf8", cwd: home, env });
}

/** Starts a service of the installed package; `told` has its address, and the token that it shows once. */
function serve(program, cwd, env) {
  const child = spawn(program, ["serve"], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const told = new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      const url = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
      const token = /Access token, shown this once:\s+(\S+)\s/.exec(output)?.[1];
      if (url !== undefined && token !== undefined) resolve({ url, token });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}:\n${output}`)));
  });
  return { told, child };
}

/** Runs the installed program on the Node of a folder. */
async function tryProgram(program, nodeFolder) {
  const env = { PATH: `${nodeFolder}:${process.env.PATH}`, HOME: folder, LOGWEIR_PORT: "0" };
  const cwd = mkdtempSync(join(folder, "empty-"));
  const node = execFileSync("node", ["--version"], { encoding: "utf8", env }).trim();
  const help = execFileSync(program, ["--help"], { encoding: "utf8", cwd, env });
  check(`logweir --help, on Node ${node}`, help.includes("serve"), `${help.split("\n").length} lines`);
  const { told, child } = serve(program, cwd, env);
  try {
    const { url, token } = await told;
    const health = await fetch(`${url}/health`);
    check("logweir serve, in an empty folder", health.status === 200, `/health answers ${health.status}`);
    const headers = { "X-API-KEY": token, "Content-Type": "application/json" };
    const event = JSON.stringify({ event_message: "packed", project: "default" });
    const stored = await fetch(`${url}/api/logs?source_name=edge`, { method: "POST", headers, body: event });
    check("stores an event", stored.status === 200, await stored.text());
    const answer = await fetch(`${url}/api/endpoints/query/logs.all?project=default`, { headers });
    const text = await answer.text();
    check("and finds it", answer.status === 200 && text.includes('"event_message":"packed"'), text.slice(0, 200));
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
}

try {
  const answer = npm(["pack", "--json", "--pack-destination", folder], { cwd: copyProject() });
  const [packed] = JSON.parse(answer.replace(/^[\s\S]*?(?=^\[)/m, ""));
  const paths = packed.files.map(({ path }) => path);
  const missing = [
    "bin/logweir.mjs",
    "dist/logweir.js",
    "endpoints/logs.all.sql",
    "sources/edge.yaml",
    "docs/api.md",
    "LICENSE",
    "README.md",
  ].filter((path) => !paths.includes(path));
  check(
    "the package holds what it needs",
    missing.length === 0,
    missing.length === 0 ? `${paths.length} files` : missing.join(", "),
  );
  const extra = paths.filter((path) => /^(?:src|test|bench|console|node_modules)\/|\.map$/.test(path));
  check(
    "and nothing else",
    extra.length === 0,
    extra.slice(0, 5).join(", ") || `${Math.round(packed.size / 1e5) / 10} MB packed`,
  );
  const tarball = join(folder, packed.filename);
  npm(["publish", tarball, "--dry-run", "--loglevel=error"]);
  check("npm would publish it", true, packed.filename);

  writeFileSync(join(folder, "package.json"), '{"name":"installed","version":"0.0.0","private":true}');
  npm([
    "install",
    "--prefix",
    folder,
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    tarball,
  ]);
  // Of the installed package: in a checkout, what is needed for work on it too hides some of what is installed along.
  const { bomFormat, components } = JSON.parse(npm(["sbom", "--sbom-format", "cyclonedx"], { cwd: folder }));
  const wanted = ["logweir", "libsql", "@duckdb/node-bindings"];
  const names = components.map(({ name, version }) => `${name}@${version}`);
  check(
    "the bill of materials lists what is installed along",
    bomFormat === "CycloneDX" && wanted.every((name) => names.some((each) => each.startsWith(`${name}@`))),
    names.join(", "),
  );
  const odd = components.filter(({ licenses = [] }) => {
    return licenses.length === 0 || !licenses.every(({ license }) => licences.has(license?.id));
  });
  check("its licences are those that are allowed", odd.length === 0, odd.map(({ name }) => name).join(", ") || "all");

  const size = megabytesOf(join(folder, "node_modules"));
  check(`it takes ${maxInstalledMegabytes} MB at most`, size <= maxInstalledMegabytes, `${size} MB`);
  const version = runByNpx(tarball, ["logweir", "--version"]).trim();
  check("npx logweir, in an empty folder", version.includes(packed.version), version);
  const program = join(folder, "node_modules", ".bin", "logweir");
  for (const nodeFolder of [dirname(process.execPath), ...process.argv.slice(2)]) await tryProgram(program, nodeFolder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
