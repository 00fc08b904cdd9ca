/** Where the built scripts of other processes and threads are. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { EngineError } from "./errors.ts";

/** Path of a script beside this bundle, or in the checkout's `dist/`. Throws `EngineError` `unavailable`. */
export function findScript(name: string): string {
  for (const candidate of [`./${name}`, `../../../dist/${name}`]) {
    const path = fileURLToPath(new URL(candidate, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new EngineError("unavailable", `${name} is not built: run \`npm run build\``);
}
