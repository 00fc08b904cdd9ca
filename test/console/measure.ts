import type { Browser } from "playwright-core";
import { openPage } from "./browser.ts";
import type { DemoService } from "./service.ts";

const runs = 5;

/** Times and frames, for people to read: from the link to rows, and a scroll of five seconds. */
export async function measure(browser: Browser, service: DemoService): Promise<string> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { page, close } = await openPage(browser, service.url, { width: 1440, scheme: "light" });
    const started = performance.now();
    await page.goto(`${service.url}/#token=${service.token}&project=default`);
    await page.waitForSelector(".grid-row");
    times.push(performance.now() - started);
    await close();
  }
  const { page, close } = await openPage(browser, service.url, { width: 1440, scheme: "light" });
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  const sql = encodeURIComponent("SELECT * FROM edge ORDER BY timestamp DESC");
  await page.goto(`${service.url}/#/explore?s=source:edge&l=sql&r=2d&q=${sql}`);
  await page.waitForTimeout(2_000);
  const scrolled = (await page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector(".grid");
    const frames = [];
    let last = performance.now();
    const end = last + 5000;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      grid.scrollTop += 120;
      if (now < end) requestAnimationFrame(step);
      else resolve({ longest: Math.max(...frames.slice(1)), count: frames.length, rows: grid.getAttribute("aria-rowcount"),
        heap: performance.memory ? performance.memory.usedJSHeapSize : 0 });
    };
    requestAnimationFrame(step);
  })`)) as { readonly longest: number; readonly count: number; readonly rows: string; readonly heap: number };
  await close();
  const median = times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
  const lines = [
    `from the link to rows: ${Math.round(median)} ms (median of ${runs}; at most 1000)`,
    `scroll of 5 s over ${scrolled.rows} rows: longest frame ${Math.round(scrolled.longest)} ms of 50, heap ${Math.round(scrolled.heap / 1e6)} MB of 150`,
  ];
  return `${lines.join("\n")}\n`;
}
