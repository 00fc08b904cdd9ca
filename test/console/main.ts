/** `npm run console:test`: the console in Chromium, on a real service with sample and hostile events. Pictures go to `dist/console-pictures`. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { hasChromium, openBrowser } from "./browser.ts";
import { checkPages } from "./check-pages.ts";
import { checkSafety } from "./check-safety.ts";
import { measure } from "./measure.ts";
import { startDemo } from "./service.ts";

const pictures = "dist/console-pictures";

/** Gzipped bytes of what the page loads at first, and of what the editor brings. */
function readSizes(): { readonly first: number; readonly editor: number } {
  const sizes = readdirSync("dist/console").map((name) => ({
    name,
    bytes: gzipSync(readFileSync(join("dist/console", name))).length,
  }));
  const sum = (isIn: (name: string) => boolean) =>
    sizes.filter(({ name }) => isIn(name)).reduce((total, { bytes }) => total + bytes, 0);
  const isEditor = (name: string) => name.startsWith("open-editor");
  return { first: sum((name) => !isEditor(name)), editor: sum(isEditor) };
}

async function run(): Promise<number> {
  if (!hasChromium()) {
    process.stdout.write(
      "There is no Chromium: the console's browser tests are passed by (apt-get install chromium)\n",
    );
    return process.env.CI === "true" ? 1 : 0;
  }
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const findings: string[] = [];
  const { first, editor } = readSizes();
  process.stdout.write(
    `first load ${Math.round(first / 1000)} KB of 120, editor ${Math.round(editor / 1000)} KB of 220, gzipped\n`,
  );
  if (first > 120_000) findings.push(`the first load has ${first} bytes`);
  if (editor > 220_000) findings.push(`the editor has ${editor} bytes`);
  const service = await startDemo();
  const browser = await openBrowser();
  try {
    process.stdout.write(await measure(browser, service));
    findings.push(...(await checkSafety(browser, service, pictures)));
    findings.push(...(await checkPages(browser, service, pictures)));
  } finally {
    await browser.close();
    await service.stop();
  }
  for (const finding of findings) process.stdout.write(`FINDING ${finding}\n`);
  process.stdout.write(`${findings.length} findings; pictures in ${pictures}\n`);
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await run();
