import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

/** A copy of Studio, and those of its files that contain SQL over logs. */
export interface Release {
  readonly name: string;
  /** The folder that Studio's own imports begin at. */
  readonly root: string;
  /** Paths below the root. */
  readonly builders: readonly string[];
  hasFile(path: string): boolean;
}

/** Signs of SQL over logs: one of its tables behind FROM, its nested records, or the map of its fields. */
const readsLogs = /\bfrom\s+[`"]?(?:[a-z]+_)*logs\b|unnest\(\s*(?:t\.)?metadata\s*\)|log_attributes\[/i;
const isNoSource = /(?:^|\/)(?:node_modules|packages|tests?|__mocks__|__tests__|public)\/|\.(?:test|stories|d)\.tsx?$/;

/**
 * Finds Studio's root in a folder, given as `FOLDER` or `NAME=FOLDER`, and its builders. A comment that happens to read
 * "from logs" makes a file a builder too: it is then reported as one that gave no query, and never left out.
 */
export function findRelease(given: string): Release {
  const [, name, folder = given] = /^([^=/]+)=(.+)$/.exec(given) ?? [];
  const places = ["apps/studio", "studio", "frontend", "."].map((place) => resolve(folder, place));
  const root = places.find((place) => existsSync(join(place, "components")) || existsSync(join(place, "data")));
  if (root === undefined) {
    throw new Error(`${folder} has no Studio: neither apps/studio nor the folder itself has components or data.`);
  }
  const builders = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !isNoSource.test(file))
    .filter((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return /\bselect\b/i.test(text) && readsLogs.test(text);
    });
  if (builders.length === 0) throw new Error(`${folder} has no file with SQL over logs.`);
  const hasFile = (path: string) => existsSync(join(root, path));
  return { name: name ?? basename(resolve(folder)), root, builders: builders.sort(), hasFile };
}
