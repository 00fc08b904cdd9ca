/**
 * `npm run docs:site [-- FOLDER]`: builds the documentation as a static site, in `dist/site` unless told otherwise. Fails
 * on a dead link.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundle } from "../../../bin/bundle.mjs";
import { buildSite } from "./build-site.ts";
import { readCheckout } from "./read-checkout.ts";

const folder = process.argv[2] ?? "dist/site";
const checkout = readCheckout();
const { texts, copies, problems } = buildSite(checkout);

if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true });
for (const [address, text] of texts) {
  mkdirSync(join(folder, dirname(address)), { recursive: true });
  writeFileSync(join(folder, address), text);
}
for (const [path, address] of copies) cpSync(path, join(folder, address));
cpSync("test/docs/site/browser/site.css", join(folder, "site.css"));
await bundle({
  entryPoints: ["test/docs/site/browser/site.js"],
  outfile: join(folder, "site.js"),
  bundle: true,
  minify: true,
  target: "es2022",
  logLevel: "error",
});
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`${folder}: ${checkout.pages.size} pages, ${problems.length} problems\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
