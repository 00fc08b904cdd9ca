/**
 * `npm run studio -- [NAME=]FOLDER ...`: builds the queries of each copy of Studio by its own code, asks a service of
 * them, and prints a table. The code of the folders runs, so give only copies that you would run. The libraries that
 * they compute with are no dependencies of ours: they are installed in a folder of their own.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askAll } from "./ask-all.ts";
import { collectQueries } from "./collect-queries.ts";
import { findRelease, type Release } from "./find-release.ts";
import { libraries } from "./load-builder.ts";
import { printMatrix } from "./print-matrix.ts";

const usage =
  "Usage: npm run studio -- [NAME=]FOLDER ...\nEach is a checkout that has apps/studio, or apps/studio itself.";

function findReleases(): readonly Release[] {
  try {
    const releases = process.argv.slice(2).map(findRelease);
    if (releases.length > 0) return releases;
    console.error(usage);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
  process.exit(2);
}

const releases = findReleases();
const modules = mkdtempSync(join(tmpdir(), "logweir-studio-"));
try {
  writeFileSync(join(modules, "package.json"), '{"private":true}');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", "--prefix", modules, ...flags, ...libraries], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const rows = [];
  for (const release of releases) {
    const collected = await collectQueries(release, modules);
    rows.push({ release, collected, refused: await askAll(collected.queries) });
  }
  process.stdout.write(printMatrix(rows));
  process.exitCode = rows.some(({ collected }) => collected.queries.length === 0) ? 1 : 0;
} finally {
  rmSync(modules, { recursive: true, force: true });
}
