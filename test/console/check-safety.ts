import type { Browser, Page } from "playwright-core";
import { openPage } from "./browser.ts";
import type { DemoService } from "./service.ts";

/** What strangers' texts must not do, what a pinned token must not see, and where a token must not be. */
export async function checkSafety(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  return [
    ...(await checkHostile(browser, service, pictures)),
    ...(await checkPinned(browser, service, pictures)),
    ...(await checkLinks(browser, service)),
    ...(await checkToken(browser, service)),
  ];
}

async function isHacked(page: Page): Promise<boolean> {
  return (await page.evaluate("window.hacked !== undefined || location.protocol !== 'http:'")) === true;
}

async function checkHostile(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, { width: 1440, scheme: "light" });
  await page.goto(`${service.url}/#token=${service.token}&project=hostile`);
  await page.waitForSelector(".grid-row");
  const shown = await page.locator(".grid-row").allInnerTexts();
  if (!shown.some((text) => text.includes("<script>"))) findings.push("hostile: the texts are not shown as text");
  const count = await page.locator(".grid-row").count();
  for (let index = 0; index < count; index++) {
    await page
      .locator(".grid-row")
      .nth(index)
      .click({ position: { x: 60, y: 10 } });
    await page.waitForSelector(".record .leaf");
    if (index === 2) await page.screenshot({ path: `${pictures}/hostile-record.png` });
  }
  await page.click("text=Patterns");
  await page.screenshot({ path: `${pictures}/hostile-patterns.png` });
  for (const path of ["access", "audit", "sources/edge"]) {
    await page.goto(`${service.url}/#/${path}`);
    await page.waitForSelector("tbody tr");
  }
  for (const name of ["<img src=x onerror=window.hacked=1>", "javascript:window.hacked=1"]) {
    await page.goto(`${service.url}/#/endpoints/${encodeURIComponent(name)}`);
    await page.waitForSelector(".notice.danger");
    await page.goto(
      `${service.url}/#/explore?q=${encodeURIComponent(name)}&c=${encodeURIComponent(name)}&s=${encodeURIComponent(name)}`,
    );
    await page.waitForTimeout(300);
  }
  if (await isHacked(page)) findings.push("hostile: a script ran");
  await close();
  return findings.filter((text) => !/status of 4\d\d/.test(text)).map((text) => `hostile: ${text}`);
}

async function checkPinned(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, { width: 1440, scheme: "light" });
  await page.goto(`${service.url}/#token=${service.pinnedToken}`);
  await page.waitForSelector(".grid-row");
  await page.screenshot({ path: `${pictures}/pinned.png` });
  const links = await page.locator(".nav a").allInnerTexts();
  if (links.join() !== "Explore") findings.push(`a pinned token sees ${links.join()}`);
  if ((await page.locator("#parameter-project").count()) > 0) findings.push("a pinned token may type a project");
  await close();
  return findings.map((text) => `pinned: ${text}`);
}

/** Each link of the navigation leads to its page, and back leads back. */
async function checkLinks(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, { width: 1440, scheme: "light" });
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  for (const title of ["Endpoints", "Usage", "Sources", "Access", "Audit", "Store", "Explore"]) {
    await page.click(`.nav a[title="${title}"]`);
    await page.waitForTimeout(300);
    if (!(await page.title()).startsWith(title)) findings.push(`the link ${title} leads to ${await page.title()}`);
  }
  await page.goBack();
  await page.waitForTimeout(300);
  if (!(await page.title()).startsWith("Store")) findings.push(`back leads to ${await page.title()}`);
  await close();
  return findings.map((text) => `links: ${text}`);
}

async function checkToken(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, { width: 1440, scheme: "light" });
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  if (page.url().includes(service.token)) findings.push("the token stays in the address");
  const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])");
  if (String(kept).includes(service.token)) findings.push("the token is kept beyond the tab");
  await page.click('[title="Sign out"]');
  await page.waitForSelector("form");
  const left = await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])");
  if (String(left).includes(service.token)) findings.push("the token is kept after signing out");
  await page.goBack().catch(() => undefined);
  if (page.url().includes(service.token)) findings.push("the token is in the history");
  await close();
  return findings.map((text) => `token: ${text}`);
}
