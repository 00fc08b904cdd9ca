import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { openPage, type View } from "./browser.ts";
import type { DemoService } from "./service.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Scene {
  readonly name: string;
  readonly path: string;
  /** What must be there before the picture is taken. */
  readonly waitFor: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

const scenes: readonly Scene[] = [
  { name: "explore", path: "explore", waitFor: ".grid-row" },
  { name: "record", path: "explore", waitFor: ".grid-row", act: (page) => page.click(".grid-row >> nth=2") },
  {
    name: "around",
    path: "explore",
    waitFor: ".grid-row",
    act: async (page) => {
      await page.click(".grid-row >> nth=2");
      await page.click("text=Show around");
      await page.waitForSelector(".record li");
    },
  },
  { name: "patterns", path: "explore", waitFor: ".grid-row", act: (page) => page.click("text=Patterns") },
  { name: "time", path: "explore", waitFor: ".grid-row", act: (page) => page.click('[title="Time range"]') },
  { name: "live", path: "explore", waitFor: ".grid-row", act: (page) => page.click("text=Live") },
  { name: "sql", path: "explore?l=sql&q=select+idd+from+edge_logs", waitFor: ".notice.danger" },
  { name: "empty", path: "explore?q=nothing-like-this", waitFor: "text=No rows in this time" },
  { name: "keys", path: "explore", waitFor: ".grid-row", act: (page) => page.click('[title="Keys"]') },
  { name: "endpoints", path: "endpoints", waitFor: "tbody tr" },
  { name: "endpoint", path: "endpoints/logs.all", waitFor: "text=Who calls it" },
  { name: "usage", path: "usage", waitFor: ".tile" },
  { name: "sources", path: "sources", waitFor: "tbody tr" },
  { name: "source", path: "sources/edge", waitFor: ".chart canvas" },
  { name: "access", path: "access", waitFor: "tbody tr" },
  { name: "new-token", path: "access", waitFor: "tbody tr", act: (page) => page.click("text=New token") },
  { name: "audit", path: "audit", waitFor: "tbody tr" },
  { name: "store", path: "store", waitFor: "tbody tr" },
];

const views: readonly View[] = [
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark" },
  { width: 1024, scheme: "light" },
  { width: 390, scheme: "dark" },
];

/** Every page and state at every width: a picture, what axe finds, and a page that is no wider than its window. */
export async function checkPages(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const findings: string[] = [];
  for (const view of views) {
    const label = `${view.width}-${view.scheme}`;
    const opened = await openPage(browser, service.url, view);
    const { page } = opened;
    await page.goto(service.url);
    await page.waitForSelector("form");
    findings.push(...(await look(page, `sign-in-${label}`, pictures)));
    await page.goto("about:blank");
    await page.goto(`${service.url}/#token=${service.token}&project=default`);
    await page.waitForSelector(".grid-row");
    for (const { name, path, waitFor, act } of scenes) {
      const title = `${name}-${label}`;
      try {
        const separator = path.includes("?") ? "&" : "?";
        await page.goto("about:blank");
        await page.goto(`${service.url}/#/${path}${path.startsWith("explore") ? `${separator}p.project=default` : ""}`);
        await page.waitForSelector(waitFor, { timeout: 10_000 });
        await act?.(page);
        findings.push(...(await look(page, title, pictures)));
      } catch (error) {
        findings.push(`${title}: ${String(error).slice(0, 200)}`);
        await page.screenshot({ path: `${pictures}/${title}.png` });
      }
    }
    // A query with an error is answered 400, which the browser's own console tells.
    findings.push(
      ...opened.findings.filter((text) => !text.includes("status of 400")).map((text) => `${label}: ${text}`),
    );
    await opened.close();
  }
  return findings;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

async function look(page: Page, title: string, pictures: string): Promise<string[]> {
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${pictures}/${title}.png` });
  const findings: string[] = [];
  const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  if (Number(overflow) > 0) findings.push(`${title}: the page is ${overflow} pixels wider than its window`);
  // What axe sees does not depend on the width, but for what is hidden: both schemes are looked at in one.
  if (!title.includes("1440")) return findings;
  // The policy lets no script of a page's text run; the debugger's may.
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate("axe.run()")) as AxeResult;
  for (const { id, nodes } of violations) {
    const [first] = nodes;
    findings.push(
      `${title}: axe ${id} (${nodes.length}): ${first?.html.slice(0, 140)} ${first?.failureSummary?.split("\n")[1] ?? ""}`,
    );
  }
  return findings;
}
