import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { openPage, press, until } from "./browser.ts";
import { measureScroll, median } from "./measure-scroll.ts";
import type { DemoService } from "./service.ts";

/** A line of the design's table. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly atMost: number;
  readonly reached: number;
}

const runs = 5;
const wide = { width: 1440, scheme: "light" } as const;

/** Gzipped kilobytes of what the page loads at first, and of what the editor brings. */
export function readSizes(): readonly Measure[] {
  const sizes = readdirSync("dist/console").map((name) => ({
    name,
    bytes: gzipSync(readFileSync(join("dist/console", name))).length,
  }));
  const sum = (isIn: (name: string) => boolean) =>
    Math.ceil(sizes.filter(({ name }) => isIn(name)).reduce((total, { bytes }) => total + bytes, 0) / 100) / 10;
  const isEditor = (name: string) => name.startsWith("open-editor");
  return [
    {
      name: "first load, gzipped, without the editor",
      unit: "KB",
      atMost: 120,
      reached: sum((name) => !isEditor(name)),
    },
    { name: "the editor, gzipped", unit: "KB", atMost: 220, reached: sum(isEditor) },
  ];
}

/** Times and frames, medians of five: for people to read, since they depend on the machine and on what else it does. */
export async function measureTimes(browser: Browser, service: DemoService): Promise<readonly Measure[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { page, close } = await openPage(browser, service.url, wide);
    const started = performance.now();
    await page.goto(`${service.url}/#token=${service.token}&project=default`);
    await page.waitForSelector(".grid-row");
    times.push(performance.now() - started);
    await close();
  }
  const { page, close } = await openPage(browser, service.url, wide);
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  const delay = await measureDiagnostics(page);
  const { frameMs, workMs, heapBytes, rowCount } = await measureScroll(page, service.url);
  await close();
  const rows = `${rowCount.toLocaleString("en-US")} rows`;
  const events = `${service.eventCount.toLocaleString("en-US")} events`;
  return [
    { name: `from the link to rows, ${events} (median of ${runs})`, unit: "ms", atMost: 1_000, reached: median(times) },
    { name: `from the last key to what is wrong (median of ${runs})`, unit: "ms", atMost: 150, reached: delay },
    {
      name: `longest frame of a scroll of 5 s over ${rows} (median of ${runs})`,
      unit: "ms",
      atMost: 50,
      reached: frameMs,
    },
    { name: "the page's own work in its longest frame, as processor time", unit: "ms", atMost: 50, reached: workMs },
    { name: "the page's heap after it", unit: "MB", atMost: 150, reached: heapBytes / 1e6 },
  ];
}

/** From a key that makes a query wrong to the frame that shows the mark below it, as the page sees both. */
async function measureDiagnostics(page: Page): Promise<number> {
  const times: number[] = [];
  await page.waitForSelector(".editor .cm-content");
  for (let run = 0; run < runs; run++) {
    await press(page, ".editor .cm-content");
    await page.keyboard.type("m.request.method:");
    await page.keyboard.press("Escape");
    await page.evaluate(`{
      addEventListener("keydown", ({ timeStamp }) => {
        const look = () => {
          if (document.querySelector(".cm-lintRange-error") === null) requestAnimationFrame(look);
          else requestAnimationFrame((now) => { window.untilMarked = now - timeStamp; });
        };
        look();
      }, { once: true, capture: true });
    }`);
    await page.keyboard.type(">");
    await until(page, "window.untilMarked !== undefined");
    times.push(Number(await page.evaluate("window.untilMarked")));
    await page.evaluate("delete window.untilMarked");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await until(page, "document.querySelector('.cm-lintRange-error') === null");
  }
  return median(times);
}
