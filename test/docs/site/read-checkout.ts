import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Checkout } from "./build-site.ts";

/** Pages beside the folder `docs`. */
const outerPages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/** Reads the pages of the current folder. */
export function readCheckout(): Checkout {
  const docs = readdirSync("docs", { recursive: true, encoding: "utf8" }).sort();
  const paths = [...outerPages, ...docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name))];
  return {
    pages: new Map(paths.map((path) => [path, readFileSync(path, "utf8")])),
    hasFile: (path) => existsSync(path) && statSync(path).isFile(),
  };
}
