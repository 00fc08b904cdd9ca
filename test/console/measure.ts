import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { openPage, patienceMs, until, within } from "./browser.ts";
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
const scrolledRows = 100_000;

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
  await page.goto(`${service.url}/#/explore?s=source:edge&r=2d`);
  await page.waitForSelector(".grid-row");
  await loadRows(page);
  const scrolls: Scroll[] = [];
  for (let run = 0; run < runs; run++) scrolls.push(await scroll(page));
  await close();
  const events = `${service.eventCount.toLocaleString("en-US")} events`;
  return [
    { name: `from the link to rows, ${events} (median of ${runs})`, unit: "ms", atMost: 1_000, reached: median(times) },
    { name: `from the last key to what is wrong (median of ${runs})`, unit: "ms", atMost: 150, reached: delay },
    {
      name:
        `longest frame of a scroll of 5 s over ${scrolls[0]?.rows.toLocaleString("en-US")} rows (median of ` +
        `${runs})`,
      unit: "ms",
      atMost: 50,
      reached: median(scrolls.map(({ longestMs }) => longestMs)),
    },
    {
      name: "the page's heap after it",
      unit: "MB",
      atMost: 150,
      reached: Math.max(...scrolls.map(({ heap }) => heap)) / 1e6,
    },
  ];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** From a key that makes a query wrong to the mark below it. */
async function measureDiagnostics(page: Page): Promise<number> {
  const times: number[] = [];
  await page.waitForSelector(".editor .cm-content");
  for (let run = 0; run < runs; run++) {
    await page.click(".editor .cm-content");
    await page.keyboard.type("m.request.method:");
    await page.keyboard.press("Escape");
    const typed = performance.now();
    await page.keyboard.type(">");
    await page.waitForSelector(".cm-lintRange-error");
    times.push(performance.now() - typed);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await until(page, "document.querySelector('.cm-lintRange-error') === null");
  }
  return median(times);
}

/** So long pages of rows are asked for before the scroll, in milliseconds. */
const loadingMs = 20_000;

/** Goes to the end of the rows again and again, as far as that leads. */
async function loadRows(page: Page): Promise<void> {
  const work = page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector(".grid");
    const start = performance.now();
    const step = () => {
      grid.scrollTop = grid.scrollHeight;
      const isDone = Number(grid.getAttribute("aria-rowcount")) > ${scrolledRows};
      if (isDone || performance.now() - start > ${loadingMs}) resolve();
      else setTimeout(step, 20);
    };
    step();
  })`);
  await within("loading rows", work, patienceMs + loadingMs);
}

interface Scroll {
  readonly longestMs: number;
  readonly rows: number;
  readonly heap: number;
}

/** Scrolls through all rows in five seconds, there and back. */
async function scroll(page: Page): Promise<Scroll> {
  const work = page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector(".grid");
    const frames = [];
    const start = performance.now();
    let last = start;
    const height = Math.min(grid.scrollHeight, ${scrolledRows} * 28) - grid.clientHeight;
    const step = (now) => {
      if (now > last) frames.push(now - last);
      last = now;
      const part = (now - start) / 5000;
      if (part < 1) {
        grid.scrollTop = height * (part < 0.5 ? part * 2 : 2 - part * 2);
        requestAnimationFrame(step);
      } else resolve({ longestMs: Math.max(...frames.slice(2)), rows: Number(grid.getAttribute("aria-rowcount")) - 1,
        heap: performance.memory ? performance.memory.usedJSHeapSize : 0 });
    };
    requestAnimationFrame(step);
  })`);
  return (await within("scrolling", work, patienceMs)) as Scroll;
}
