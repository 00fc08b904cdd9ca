/**
 * `npm run console:test [NAME...]`: the console in Chromium, on a real service with sample and hostile events; all
 * checks, or those named. Pictures go to `dist/console-pictures`.
 */
import { mkdirSync, rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { hasChromium, openBrowser, tell, tellOpenPages, within } from "./browser.ts";
import { checkFirstSteps } from "./check-first-steps.ts";
import { checkKeyboard } from "./check-keyboard.ts";
import { checkMaking } from "./check-making.ts";
import { checkPages } from "./check-pages.ts";
import { checkRows } from "./check-rows.ts";
import { checkSafety } from "./check-safety.ts";
import { checkLinks, checkOutage, checkPrefix, checkRevocation } from "./check-service.ts";
import { checkSignIn } from "./check-sign-in.ts";
import { checkStory } from "./check-story.ts";
import { type Measure, measureTimes, readSizes } from "./measure.ts";
import { type DemoService, startDemo } from "./service.ts";

const pictures = "dist/console-pictures";
/** Beyond it something hangs: ended with what was found so far. */
const deadlineMs = 30 * 60_000;

/** The same of one check. */
const checkMs = 12 * 60_000;
const chosen = process.argv.slice(2);

const say = (line: string) => void process.stdout.write(`${line}\n`);

function printTable(measures: readonly Measure[]): readonly string[] {
  for (const { name, unit, atMost, reached } of measures) {
    const shown = `${unit === "ms" ? Math.round(reached) : reached.toFixed(1)} ${unit}`;
    say(`${name.padEnd(78)} ${shown.padStart(9)} of ${atMost}${reached > atMost ? "  OVER" : ""}`);
  }
  return [];
}

type Check = readonly [name: string, run: () => Promise<readonly string[]>];

/**
 * Each check by itself: one that breaks is a finding, and the others go on. The pages are looked at beside the checks
 * that press things, since both mostly wait for a browser that draws.
 */
async function check(browser: Browser, service: DemoService): Promise<string[]> {
  const findings: string[] = [];
  const row = async (checks: readonly Check[]) => {
    for (const [name, run] of checks) {
      if (!isChosen(name)) continue;
      const started = performance.now();
      try {
        findings.push(...(await within(name, run(), checkMs)));
      } catch (error) {
        const open = await tellOpenPages(pictures);
        findings.push(`${name}: ${tell(error)}`, ...open.map((line) => `${name}: ${line}`));
      }
      say(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
  };
  // First, while nothing else runs.
  await row([["times", () => measureTimes(browser, service).then(printTable)]]);
  const presses: readonly Check[] = [
    ["story", () => checkStory(browser)],
    ["first-steps", () => checkFirstSteps(browser, pictures)],
    ["making", () => checkMaking(browser, service)],
    ["sign-in", () => checkSignIn(browser, pictures)],
    ["links", () => checkLinks(browser, service)],
    ["revocation", () => checkRevocation(browser, service)],
    ["rows", () => checkRows(browser, service)],
    ["keyboard", () => checkKeyboard(browser, service)],
    ["safety", () => checkSafety(browser, service, pictures)],
    ["prefix", () => checkPrefix(browser, service)],
  ];
  await Promise.all([row(presses), row([["pages", () => checkPages(browser, service, pictures)]])]);
  // Last, since it ends the service in between.
  await row([["outage", () => checkOutage(browser, service, pictures)]]);
  return findings;
}

function isChosen(name: string): boolean {
  return chosen.length === 0 || chosen.includes(name);
}

async function run(): Promise<number> {
  const sizes = readSizes();
  printTable(sizes);
  const findings = sizes
    .filter(({ reached, atMost }) => reached > atMost)
    .map(({ name, reached }) => `${name}: ${reached}`);
  if (!hasChromium()) {
    say("There is no Chromium: the console's browser tests are passed by (apt-get install chromium, or set CHROMIUM)");
    return findings.length > 0 || process.env.CI === "true" ? 1 : 0;
  }
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const started = performance.now();
  const [service, browser] = await Promise.all([startDemo(isChosen("times") ? "large" : "small"), openBrowser()]);
  say(`start: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  try {
    const work = check(browser, service).then((found) => void findings.push(...found));
    await within("The console's tests", work, deadlineMs);
  } catch (error) {
    findings.push(tell(error));
  } finally {
    await within("The browser's end", browser.close(), 10_000).catch(() => undefined);
    await service.stop();
  }
  for (const finding of findings) say(`FINDING ${finding}`);
  say(`${findings.length} findings; pictures in ${pictures}`);
  return findings.length === 0 ? 0 : 1;
}

// Nothing that is left over keeps it from ending.
process.exit(await run());
