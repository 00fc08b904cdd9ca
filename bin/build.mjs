// Bundles src/ into dist/ with esbuild when a source is newer than the bundle.
// Dependencies are bundled too: loading their hundreds of small files one by one takes a third of the time of a start.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildConsole } from "./build-console.mjs";
import { bundle } from "./bundle.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const entryPoints = {
  logweir: "src/main.ts",
  "engine-host": "src/engines/duckdb/host/main.ts",
  "encoder-thread": "src/service/encoder-thread.ts",
  "planning-thread": "src/service/planning-thread.ts",
};

/** Packages that load a native library. */
const external = ["@duckdb/node-bindings", "libsql"];

/** Compilers of schemas that the framework would load where it is given none: it is, see `src/http/app.ts`. */
const unused = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler"];

/** Files that determine the bundle, besides its sources. */
const recipe = [
  join(root, "package.json"),
  ...["build.mjs", "build-console.mjs", "bundle.mjs"].map((file) => join(root, "bin", file)),
];

/** Newest modification time (ms) of any file below `folder`. */
function newestMtime(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestMtime(path) : statSync(path).mtimeMs);
  }
  return newest;
}

function mtimeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Builds in a checkout when a source is newer than the bundle. */
export async function buildIfStale() {
  const source = join(root, "src");
  const built = mtimeOf(join(root, "dist", "logweir.js"));
  const newest = Math.max(newestMtime(source), ...recipe.map(mtimeOf));
  const page = Math.max(newestMtime(join(root, "console")), ...recipe.map(mtimeOf));
  await Promise.all([built <= newest ? buildBundle() : undefined, buildConsole(root, page)]);
}

/** Builds from nothing, with the licences of what is bundled, for a package. */
async function buildRelease() {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const [{ metafile }, page] = await Promise.all([buildBundle(), buildConsole(root, Number.POSITIVE_INFINITY)]);
  const { writeNotices } = await import("./notices.mjs");
  writeNotices(
    root,
    [...Object.keys(metafile.inputs), ...Object.keys(page?.inputs ?? {})],
    join(root, "dist", "THIRD-PARTY-NOTICES.txt"),
  );
}

async function buildBundle() {
  const staging = join(root, "dist", `.staging-${process.pid}`);
  mkdirSync(staging, { recursive: true });
  try {
    const result = await bundle({
      absWorkingDir: root,
      entryPoints,
      outdir: staging,
      bundle: true,
      // A command loads what it needs and no more.
      splitting: true,
      chunkNames: "chunk-[hash]",
      external: [...external, ...unused],
      platform: "node",
      target: "node20",
      format: "esm",
      // CommonJS among them calls `require` for Node's own modules.
      banner: {
        js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
      },
      // The SDK of S3 would advise users of Node.js 20 about versions of itself that are not bundled.
      define: { "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": '"true"' },
      sourcemap: true,
      // A third less to read at each start; names stay, for the traces of errors.
      minifyWhitespace: true,
      minifySyntax: true,
      metafile: true,
      logLevel: "error",
    });
    // Renames are atomic, so that two builds at once leave a whole bundle; the entry point comes last.
    const files = readdirSync(staging).sort((a, b) => Number(a === "logweir.js") - Number(b === "logweir.js"));
    for (const file of files) renameSync(join(staging, file), join(root, "dist", file));
    for (const file of readdirSync(join(root, "dist"))) {
      if (file.startsWith("chunk-") && !files.includes(file)) rmSync(join(root, "dist", file), { force: true });
    }
    return result;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await (process.argv.includes("--release") ? buildRelease() : buildIfStale());
}
