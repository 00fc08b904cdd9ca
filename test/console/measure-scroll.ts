import type { Page } from "playwright-core";
import { patienceMs, until, within } from "./browser.ts";

const runs = 5;
const scrolledRows = 100_000;
/** Milliseconds of a scroll through all rows and back. */
const scrollMs = 5_000;
/** So long pages of rows are asked for before the scroll: enough for all of them on a machine at rest. */
const loadingMs = 40_000;

/** The cost of scrolling through the rows. */
export interface ScrollCost {
  readonly rowCount: number;
  /** The longest time between two frames, as the median of the runs. */
  readonly frameMs: number;
  /** Processor time of the frame that took the page most of it: what else the machine does is not in it. */
  readonly workMs: number;
  readonly heapBytes: number;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Loads the rows of the largest source and scrolls through them. Throws where one of their pages fails. */
export async function measureScroll(page: Page, url: string): Promise<ScrollCost> {
  await page.goto(`${url}/#/explore?s=source:edge&r=2d`);
  await until(page, "location.hash.includes('edge') && document.querySelector('.grid-row') !== null");
  await loadRows(page);
  const frames: number[] = [];
  for (let run = 0; run < runs; run++) frames.push(await scroll(page));
  const heapBytes = Number(await page.evaluate("performance.memory?.usedJSHeapSize ?? 0"));
  const rowCount = Number(await page.getAttribute(".grid", "aria-rowcount")) - 1;
  return { rowCount, frameMs: median(frames), workMs: await traceScroll(page), heapBytes };
}

/** Goes to the end of the rows again and again, as far as that leads. */
async function loadRows(page: Page): Promise<void> {
  const work = page.evaluate(`new Promise((resolve) => {
    const start = performance.now();
    const step = () => {
      const grid = document.querySelector(".grid");
      grid.scrollTop = grid.scrollHeight;
      const isDone = Number(grid.getAttribute("aria-rowcount")) > ${scrolledRows};
      if (isDone || performance.now() - start > ${loadingMs}) resolve();
      else setTimeout(step, 20);
    };
    step();
  })`);
  await within("loading rows", work, patienceMs + loadingMs);
  const failed = page.locator(".rows-bar button", { hasText: "try again" });
  if ((await failed.count()) > 0) throw new Error(`A page of rows failed: ${await failed.getAttribute("title")}`);
}

/** Scrolls through all rows, there and back; milliseconds of the longest frame. */
async function scroll(page: Page): Promise<number> {
  const work = page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector(".grid");
    const frames = [];
    const start = performance.now();
    let last = start;
    const height = Math.min(grid.scrollHeight, ${scrolledRows} * 28) - grid.clientHeight;
    const step = (now) => {
      if (now > last) frames.push(now - last);
      last = now;
      const part = (now - start) / ${scrollMs};
      if (part >= 1) return resolve(Math.max(...frames.slice(2)));
      grid.scrollTop = height * (part < 0.5 ? part * 2 : 2 - part * 2);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  return Number(await within("scrolling", work, patienceMs));
}

interface TraceEvent {
  readonly name: string;
  /** Microseconds of the processor. */
  readonly tdur?: number;
}

/** The same while the browser notes what each frame costs the page's thread; milliseconds of the costliest. */
async function traceScroll(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const work: number[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, tdur = 0 } of value as unknown as readonly TraceEvent[])
      if (name === "ProxyMain::BeginMainFrame") work.push(tdur / 1_000);
  });
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["cc"] } });
  await scroll(page);
  const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await within("the trace's end", ended);
  await session.detach();
  return Math.max(0, ...work);
}
