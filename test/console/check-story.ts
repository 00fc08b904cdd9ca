import type { Browser, Page } from "playwright-core";
import { openPage, press, until, waitForIdle } from "./browser.ts";
import { startFresh } from "./service.ts";

const wide = { width: 1440, scheme: "light" } as const;

/** Describes the visible state of a view: its link must show the same. */
async function describeView(page: Page): Promise<readonly unknown[]> {
  await waitForIdle(page);
  return (await page.evaluate(`[
    location.hash,
    document.querySelector(".histogram .summary").innerText,
    document.querySelector(".editor .cm-content").innerText,
    document.querySelector('[title="Time range"]').innerText,
    [...document.querySelectorAll(".grid-row")].slice(0, 5).map((row) => row.innerText),
    [...document.querySelectorAll(".facet-value")].map((value) => value.innerText),
  ]`)) as readonly unknown[];
}

/**
 * A newcomer's way: `npm start`, the link that it prints, a press on a value, a drag over the chart, and a link to
 * that. Another tab, and another browser, show the same once their reader has signed in.
 */
export async function checkStory(browser: Browser): Promise<string[]> {
  const service = await startFresh();
  try {
    const { origin, hash } = new URL(service.link);
    const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
    const { page, findings, close } = await openPage(browser, origin, wide);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    await page.goto(service.link);
    await page.waitForSelector(".facet-value");
    // A value that is drawn anew while it is pressed takes no click.
    await waitForIdle(page);
    await press(page, ".facet-value >> nth=0");
    await until(page, "location.hash.includes('q=')");
    await waitForIdle(page);
    await dragOverChart(page);
    await until(page, "/r=[^&]*\\.\\./.test(location.hash)");
    await page.waitForSelector(".editor .cm-content");
    const shown = await describeView(page);
    await press(page, '[title="Copy a link to this view"]');
    await page.waitForSelector(".toast");
    const link = String(await page.evaluate("navigator.clipboard.readText()"));
    if (link.includes(token)) findings.push("the link to a view holds the token");
    const tab = await page.context().newPage();
    findings.push(...(await compare(tab, "another tab", link, token, shown)));
    const other = await openPage(browser, origin, wide);
    findings.push(...(await compare(other.page, "another browser", link, token, shown)), ...other.findings);
    await other.close();
    await close();
    return findings.map((text) => `story: ${text}`);
  } finally {
    await service.stop();
  }
}

/** Over the middle third. */
async function dragOverChart(page: Page): Promise<void> {
  const box = await page.locator(".histogram .chart .u-over").boundingBox();
  if (box === null) throw new Error("There is no chart");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 3, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, y, { steps: 4 });
  await page.mouse.move(box.x + (box.width * 2) / 3, y, { steps: 4 });
  await page.mouse.up();
}

/** Signs in where the link leads, and looks for what differs. */
async function compare(
  page: Page,
  where: string,
  link: string,
  token: string,
  shown: readonly unknown[],
): Promise<string[]> {
  await page.goto(link);
  await page.waitForSelector("form");
  await page.fill("form input", token);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".grid-row");
  await page.waitForSelector(".editor .cm-content");
  const seen = await describeView(page);
  return shown.flatMap((part, index) => {
    const [one, other] = [JSON.stringify(part), JSON.stringify(seen[index])];
    return one === other ? [] : [`${where} shows ${other.slice(0, 150)} instead of ${one.slice(0, 150)}`];
  });
}
