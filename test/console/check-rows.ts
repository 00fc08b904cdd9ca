import type { Browser, Page } from "playwright-core";
import { openPage, press, until } from "./browser.ts";
import type { DemoService } from "./service.ts";

const wide = { width: 1440, scheme: "light" } as const;
/** Refused once, as a service that is short of memory does. */
const refusal = { error: { code: "memory_exceeded", message: "The query needs more memory", status: 422 } };

const countRows = "Number(document.querySelector('.grid').getAttribute('aria-rowcount')) - 1";

async function scrollToEnd(page: Page, before = ""): Promise<void> {
  await page.evaluate(
    `{ ${before}; const grid = document.querySelector(".grid"); grid.scrollTop = grid.scrollHeight; }`,
  );
}

/** Pages of rows: the next comes to who waits at the end, and one that fails takes nothing away. */
export async function checkRows(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide, (status) => status === 422);
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  await page.goto(`${service.url}/#/explore?s=source:edge&r=2d`);
  await until(page, "location.hash.includes('edge') && document.querySelector('.spinner') === null");
  // The rows of the query before stand there while it runs again: its next page is asked for once it is there.
  const shown = Number(await page.evaluate(countRows));
  await scrollToEnd(page, 'document.querySelector(".editor-row .primary").click()');
  await until(page, `${countRows} > ${shown}`);
  await until(page, "document.querySelector('.spinner') === null");

  const loaded = Number(await page.evaluate(countRows));
  await page.route("**/api/endpoints/query/source*", (route) => route.fulfill({ status: 422, json: refusal }), {
    times: 1,
  });
  await scrollToEnd(page);
  await page.waitForSelector(".rows-bar button:has-text('try again')");
  const left = Number(await page.evaluate(countRows));
  if (left !== loaded) findings.push(`a page that failed left ${left} of ${loaded} rows`);
  await press(page, ".rows-bar button:has-text('try again')");
  await until(page, `${countRows} > ${loaded}`);
  await close();
  return findings.map((text) => `rows: ${text}`);
}
