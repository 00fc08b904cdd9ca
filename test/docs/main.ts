/** `npm run docs`: writes the pages that are generated. */
import { writeFileSync } from "node:fs";
import { printGoogleSqlPage } from "./googlesql-page.ts";

writeFileSync("docs/googlesql.md", printGoogleSqlPage());
