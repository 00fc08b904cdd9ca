/** `npm run docs:pictures`: takes the pictures of the documentation anew, on the walks of `docs/first-steps.md`. */
import { openBrowser } from "./browser.ts";
import { checkFirstSteps } from "./check-first-steps.ts";

const browser = await openBrowser();
const findings = await checkFirstSteps(browser, "docs/pictures");
await browser.close();
for (const finding of findings) process.stdout.write(`FINDING ${finding}\n`);
process.exit(findings.length === 0 ? 0 : 1);
