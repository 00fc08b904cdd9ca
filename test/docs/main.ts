/** `npm run docs`: writes the pages that are generated. */
import { readFileSync, writeFileSync } from "node:fs";
import { printCommandTable, printManualPage } from "./command-pages.ts";
import { printGoogleSqlPage } from "./googlesql-page.ts";
import { printScalePage } from "./scale-page.ts";
import { printSettings } from "./settings-page.ts";

writeFileSync("docs/googlesql.md", printGoogleSqlPage());
writeFileSync("docs/scale.md", printScalePage());

const derived = {
  "docs/cli.md": printCommandTable,
  "deploy/man/logweir.1": printManualPage,
  "docs/configuration.md": printSettings,
};
for (const [path, print] of Object.entries(derived)) writeFileSync(path, print(readFileSync(path, "utf8")));
