/** `npm run conformance -- FOLDER`: runs the case files of a folder and prints what fails. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { printQueryConformance, runQueryConformance } from "./queries.ts";
import { printSyntaxConformance, runSyntaxConformance } from "./syntax.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: npm run conformance -- FOLDER");
  process.exit(2);
}
const path = resolve(folder);
if (existsSync(join(path, "syntax.json"))) console.log(printSyntaxConformance(runSyntaxConformance(path)));
if (existsSync(join(path, "queries.json"))) console.log(printQueryConformance(await runQueryConformance(path)));
