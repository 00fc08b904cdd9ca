/** The service's planning with every mistake of the guards in it. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "../../../../bin/bundle.mjs";
import type * as cases from "./cases.ts";
import { findSites, instrument } from "./find-sites.ts";

const room = "src/endpoints/tenants";

/** The files whose branches are guards: the room, and the filter that the resolver puts above a scan. */
const guardFiles: readonly string[] = [
  ...readdirSync(room)
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => `${room}/${name}`),
  "src/googlesql/resolver/from/tenant-filter.ts",
];

/** Every branch of these files, and the mistakes that could be made there. */
export function findBranches(): ReadonlyMap<string, readonly string[]> {
  const branches = guardFiles.flatMap((file) =>
    findSites(readFileSync(file, "utf8")).map(({ key, mistakes }) => {
      const branch = `${basename(file)} ${key}`;
      return [branch, mistakes.map((_, index) => `${branch} #${index}`)] as const;
    }),
  );
  return new Map(branches);
}

/** The cases, over code in which `globalThis.mistake` chooses the mistake. */
export async function importCases(): Promise<typeof cases> {
  const outfile = resolve("node_modules/.cache/logweir-guards/cases.mjs");
  const paths = new Set(guardFiles.map((file) => resolve(file)));
  await bundle({
    entryPoints: ["test/security/pins/guards/cases.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
    plugins: [
      {
        name: "mistakes",
        setup(build) {
          build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
            paths.has(path)
              ? { contents: instrument(basename(path), readFileSync(path, "utf8")), loader: "ts" }
              : undefined,
          );
        },
      },
    ],
  });
  return (await import(/* @vite-ignore */ `${pathToFileURL(outfile).href}?${Date.now()}`)) as typeof cases;
}
