import type { Browser, Page } from "playwright-core";
import { openPage, press, waitForIdle, within } from "./browser.ts";
import { hostileTexts } from "./hostile.ts";
import type { DemoService } from "./service.ts";

/** Pages that a token bound to a project and an endpoint may not open. */
const ownerPages = ["endpoints", "usage", "sources", "sources/new", "alerts", "drains", "access", "audit", "store"];
/** Pages that show texts of strangers. */
const hostilePages = ["sources/edge", "sources/hostile", "endpoints/hostile.1", ...ownerPages];

const wide = { width: 1440, scheme: "light" } as const;

/**
 * Checks that strangers' texts do no harm, that a pinned token sees only its rows, and that no token appears where it
 * must not.
 */
export async function checkSafety(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  return [
    ...(await checkHostile(browser, service, pictures)),
    ...(await checkHostileAddresses(browser, service)),
    ...(await checkPinned(browser, service, pictures)),
    ...(await checkToken(browser, service)),
    ...(await checkHeaders(service)),
  ];
}

/**
 * Finds what a text did that became more than a text: a script that ran, an element or a style that it brought along.
 */
async function findDamage(page: Page): Promise<readonly string[]> {
  return (await within(
    "looking for damage",
    page.evaluate(`(() => {
      const found = [];
      if (window.hacked !== undefined || ({}).hacked !== undefined) found.push("a script ran");
      const strange = "#app script, #app style, #app link, #app iframe, #app object, #app embed, #app base, #app meta," +
        "#app img:not(.cm-widgetBuffer), #app video, #app audio, #app picture, #app math, #app template, #app [onload], #app [onerror]," +
        "#app a[href^='javascript' i], #app a[href^='vbscript' i], #app a[href^='data:' i], #app [formaction], #app foreignObject";
      for (const element of document.querySelectorAll(strange)) found.push("an element " + element.outerHTML.slice(0, 100));
      for (const link of document.querySelectorAll("#app a[href]"))
        if (link.origin !== location.origin) found.push("a link to " + link.href.slice(0, 100));
      // The editor shows them as marks, and a field holds what is typed.
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const text = walker.currentNode.data;
        if (/[\u202a-\u202e\u2066-\u2069]/.test(text) && walker.currentNode.parentElement.closest("textarea") === null)
          found.push("a text that changes the direction of what follows: " + JSON.stringify(text.slice(0, 80)));
      }
      const nav = document.querySelector(".nav");
      if (nav !== null && getComputedStyle(nav).display === "none") found.push("a style counts");
      return found;
    })()`),
  )) as readonly string[];
}

async function checkHostile(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  const look = async (where: string) => {
    for (const damage of await findDamage(page)) findings.push(`${where}: ${damage}`);
  };
  await page.goto(`${service.url}/#token=${service.token}&project=hostile`);
  await page.waitForSelector(".grid-row");
  const total = Number(await page.getAttribute(".grid", "aria-rowcount")) - 1;
  if (total < hostileTexts.length) findings.push(`only ${total} rows of hostile texts are shown`);
  const shown = await page.locator(".grid-row").allInnerTexts();
  if (!shown.some((text) => text.includes("<slot onslotchange"))) findings.push("the texts are not shown as text");
  await page.focus(".grid");
  for (let index = 0; index < total; index++) {
    await page.keyboard.press(index === 0 ? "Home" : "j");
    if (index === 0) await page.keyboard.press("Enter");
    await page.waitForSelector(".record .leaf");
    if (index === 0) await page.focus(".grid");
    if (index === 5) await page.screenshot({ path: `${pictures}/hostile-record.png` });
    if (index % 10 === 0) await look(`record ${index}`);
  }
  await press(page, "text=Patterns");
  await waitForIdle(page);
  await page.screenshot({ path: `${pictures}/hostile-patterns.png` });
  await look("patterns");
  await press(page, '[title="Saved views"]');
  await page.waitForSelector(".views .menu-item");
  await look("saved views");
  await page.keyboard.press("Escape");
  const linked: string[] = [];
  for (const list of ["alerts", "drains"]) {
    await page.goto(`${service.url}/#/${list}`);
    await page.waitForSelector(".page h1");
    await waitForIdle(page);
    const links = await page.locator(`a[href^="#/${list}/"]`).evaluateAll((all) => {
      return all.map((link) => link.getAttribute("href") ?? "");
    });
    linked.push(...links.map((href) => href.slice("#/".length)).filter((href) => !href.endsWith("/new")));
  }
  for (const path of [...hostilePages, ...linked]) {
    await page.goto(`${service.url}/#/${path}`);
    await page.waitForSelector(".page h1");
    await waitForIdle(page);
    await look(path);
  }
  await close();
  return findings.map((text) => `hostile: ${text}`);
}

/** The same texts as names in addresses, and in errors that the service answers. */
async function checkHostileAddresses(browser: Browser, service: DemoService): Promise<string[]> {
  const isExpected = (status: number) => status === 400 || status === 404;
  const { page, findings, close } = await openPage(browser, service.url, wide, isExpected);
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  for (const [index, text] of hostileTexts.entries()) {
    const part = encodeURIComponent(text.slice(0, 1_000));
    if (index % 3 === 0) {
      await page.goto(`${service.url}/#/endpoints/${part}`);
      await page.waitForSelector(".notice.danger");
    } else if (index % 3 === 1) {
      await page.goto(`${service.url}/#/explore?q=${part}&c=${part}&s=${part}&f=${part}&r=${part}&p.project=${part}`);
      await page.waitForSelector(".explore");
    } else {
      const sql = encodeURIComponent(`SELECT ${JSON.stringify(text.slice(0, 1_000))} + 1 AS a FROM edge_logs`);
      await page.goto(`${service.url}/#/explore?l=sql&q=${sql}&p.project=default`);
      await page.waitForSelector(".explore");
    }
    await waitForIdle(page);
    for (const damage of await findDamage(page)) findings.push(`address ${index}: ${damage}`);
  }
  await close();
  return findings.map((text) => `hostile: ${text}`);
}

/**
 * A token that is bound to a project and an endpoint sees nothing that it may not use, and asks for nothing that is
 * refused.
 */
async function checkPinned(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  await page.goto(`${service.url}/#token=${service.pinnedToken}`);
  await page.waitForSelector(".grid-row");
  await waitForIdle(page);
  await page.screenshot({ path: `${pictures}/pinned.png` });
  const links = await page.locator(".nav a").allInnerTexts();
  if (links.join() !== "Explore") findings.push(`it sees ${links.join()}`);
  if ((await page.locator("#parameter-project").count()) > 0) findings.push("it may type a project");
  await pressEverything(page, findings);
  for (const path of ownerPages) {
    await page.goto(`${service.url}/#/${path}`);
    await page.waitForSelector(".explore");
    await waitForIdle(page);
  }
  await close();
  return findings.map((text) => `pinned: ${text}`);
}

/** Every button of Explore: none is dead, and none asks for what is refused, which `openPage` would tell. */
async function pressEverything(page: Page, findings: string[]): Promise<void> {
  const disabled = await page.locator(".explore button:disabled").allInnerTexts();
  if (disabled.length > 0) findings.push(`dead buttons: ${disabled.join()}`);
  const presses = [
    ".grid-row >> nth=1",
    "text=Show around",
    '.record [aria-label="Close"]',
    "text=Patterns",
    "text=Rows",
    "text=Live",
    "text=Stop",
  ];
  for (const place of [...presses, ".facet-value >> nth=0", 'fieldset >> text="SQL"', ".editor-row .primary"]) {
    await press(page, place);
    await waitForIdle(page);
  }
  for (const title of ["Saved views", "Export", "Time range"]) {
    await press(page, `[title="${title}"]`);
    await page.waitForSelector(".popover");
    await page.keyboard.press("Escape");
  }
}

async function checkToken(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  if (page.url().includes(service.token)) findings.push("it stays in the address");
  const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])");
  if (String(kept).includes(service.token)) findings.push("it is kept beyond the tab");
  await press(page, '[title="Sign out"]');
  await page.waitForSelector("form");
  const left = await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])");
  if (String(left).includes(service.token)) findings.push("it is kept after signing out");
  await page.goBack().catch(() => undefined);
  if (page.url().includes(service.token)) findings.push("it is in the history");
  await page.goto(`${service.url}/`);
  await page.waitForSelector("form");
  await close();
  return findings.map((text) => `token: ${text}`);
}

/** No page of others may frame ours, or read it. */
async function checkHeaders({ url }: DemoService): Promise<string[]> {
  const findings: string[] = [];
  const { headers } = await fetch(url, { headers: { accept: "text/html" } });
  const policy = headers.get("content-security-policy") ?? "";
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]) {
    if (!policy.split("; ").includes(directive)) findings.push(`the policy lacks ${directive}`);
  }
  for (const [name, value] of [
    ["x-frame-options", "DENY"],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-opener-policy", "same-origin"],
  ] as const) {
    if (headers.get(name) !== value) findings.push(`${name} is ${headers.get(name)}`);
  }
  return findings.map((text) => `headers: ${text}`);
}
