/** `npm run docs`: writes the pages that are generated. */
import { writeFileSync } from "node:fs";
import { printConsoleOperations } from "./console-operations.ts";
import { printGoogleSqlPage } from "./googlesql-page.ts";
import { printScalePage } from "./scale-page.ts";

writeFileSync("docs/googlesql.md", printGoogleSqlPage());
writeFileSync("docs/scale.md", printScalePage());
writeFileSync("console/api/operations.generated.ts", printConsoleOperations());
