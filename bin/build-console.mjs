// Bundles console/ into dist/console: files named after their content, and the page that names them.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle } from "./bundle.mjs";

/**
 * Bundles the console where one of its files is newer than the bundle; the page is written last. Answers esbuild's
 * account of it.
 */
export async function buildConsole(root, newestMs) {
  const page = join(root, "dist", "console", "index.html");
  const built = statSync(page, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built > newestMs) return undefined;
  const folder = join(root, "dist", "console");
  const staging = join(root, "dist", `.console-${process.pid}`);
  mkdirSync(staging, { recursive: true });
  try {
    const { metafile } = await bundle({
      absWorkingDir: root,
      entryPoints: { main: "console/main.tsx", icon: "console/icon.svg" },
      outdir: staging,
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      jsxImportSource: "preact",
      loader: { ".svg": "copy" },
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      metafile: true,
      logLevel: "error",
    });
    const files = readdirSync(staging);
    const find = (start, end) => files.find((file) => file.startsWith(start) && file.endsWith(end)) ?? "";
    const html = readFileSync(join(root, "console", "index.html"), "utf8")
      .replace("%ICON%", find("icon-", ".svg"))
      .replace("%STYLE%", find("main-", ".css"))
      .replace("%SCRIPT%", find("main-", ".js"))
      .replace("%PRELOADS%", sharedChunks(metafile).map(preloadOf).join("\n    "));
    mkdirSync(folder, { recursive: true });
    for (const file of files) renameSync(join(staging, file), join(folder, file));
    const staged = join(staging, basename(page));
    writeFileSync(staged, html);
    renameSync(staged, page);
    for (const file of readdirSync(folder)) {
      if (file !== basename(page) && !files.includes(file)) rmSync(join(folder, file), { force: true });
    }
    return metafile;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Chunks without which the page does not start: asked for along with it, not once it was read. */
function sharedChunks({ outputs }) {
  const main = Object.values(outputs).find(({ entryPoint }) => entryPoint === "console/main.tsx");
  return main.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => basename(path));
}

function preloadOf(file) {
  return `<link rel="modulepreload" href="./console/${file}" />`;
}
