import { existsSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import type { Plugin } from "esbuild";
import { bundle } from "../../bin/bundle.mjs";
import type { Release } from "./find-release.ts";

/** Libraries that builders compute with; any other import is replaced by one that does nothing. */
export const libraries = ["common-tags", "dayjs", "lodash"];

/** Calls that a builder makes to its API: the address, then what it sends. */
export type Send = (...call: readonly unknown[]) => unknown;

export interface LoadOptions {
  /** Has the `libraries` installed. */
  readonly modules: string;
  /** Whether it is built for the hosted product. */
  readonly isHosted: boolean;
  readonly send: Send;
}

/** A component's file: `Name.tsx`, where `Name.constants.tsx` is none. */
const isComponent = /\/[A-Z][A-Za-z]*\.tsx$/;

/** A console whose lines go nowhere. */
const silent = new Proxy({}, { get: () => () => undefined });

/** Begins the text of an import that was replaced, so that it is seen when it gets into a query. */
export const replaced = "replaced import ";

/**
 * Stands for anything: it can be called, made, spread and read at any depth. A module's unknown names are looked up in
 * its prototype, which esbuild keeps.
 */
const replacement = (name: string, own: string) => `
const anything = new Proxy(function () {}, {
  get: (_, key) => key === "then" ? undefined
    : key === Symbol.toPrimitive ? () => ${JSON.stringify(`${replaced}${name} `)}
    : key === Symbol.iterator ? function* () {} : anything,
  apply: () => anything,
  construct: () => anything,
});
module.exports = Object.assign(Object.create(anything), ${own});`;

/** Bundles one builder with what it imports of Studio's own, runs it, and returns its exports. */
export async function loadBuilder(release: Release, builder: string, options: LoadOptions) {
  const built = await bundle({
    entryPoints: [join(release.root, builder)],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20",
    jsx: "automatic",
    tsconfigRaw: {},
    logLevel: "silent",
    define: {
      "process.env.NEXT_PUBLIC_IS_PLATFORM": JSON.stringify(String(options.isHosted)),
      "import.meta.env": "{}",
    },
    plugins: [replaceImports(release, options)],
  });
  const module = { exports: {} as Record<string, unknown> };
  const names = ["module", "exports", "require", "send", "fetch", "console"];
  const run = compileFunction(built.outputFiles?.[0]?.text ?? "", names);
  run(module, module.exports, (name: string) => ({ name }), options.send, options.send, silent);
  return module.exports;
}

function replaceImports(release: Release, { modules, isHosted }: LoadOptions): Plugin {
  const isBuilder = new Set(release.builders.map((file) => join(release.root, file)));
  const findOwn = (path: string) =>
    [".ts", ".tsx", "/index.ts", "/index.tsx", ""]
      .map((end) => `${path}${end}`)
      .find((file) => /\.tsx?$/.test(file) && existsSync(file));
  return {
    name: "replace-imports",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, resolveDir, kind, pluginData }) => {
        if (kind === "entry-point" || pluginData === "library" || resolveDir.startsWith(modules)) return undefined;
        if (libraries.some((library) => path === library || path.startsWith(`${library}/`))) {
          if (path === "dayjs") return { path, namespace: "dayjs" };
          return build.resolve(path, { kind, resolveDir: modules, pluginData: "library" });
        }
        const own = findOwn(
          path.startsWith(".") ? join(resolveDir, path) : join(release.root, path.replace(/^@\//, "")),
        );
        if (/(?:^|\/)data\/fetchers$/.test(path)) return { path, namespace: "fetchers" };
        if (own === undefined || (isComponent.test(own) && !isBuilder.has(own))) return { path, namespace: "replaced" };
        return { path: own };
      });
      const load = (namespace: string, contents: (path: string) => string) =>
        build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contents(path), resolveDir: modules }));
      load("replaced", (path) => replacement(path, `{ IS_PLATFORM: ${isHosted} }`));
      load("fetchers", (path) => replacement(path, "{ get: send, post: send, fetchGet: send, fetchPost: send }"));
      load(
        "dayjs",
        () =>
          'const dayjs = require("dayjs/dayjs.min.js"); dayjs.extend(require("dayjs/plugin/utc")); module.exports = dayjs;',
      );
    },
  };
}
