import type { Browser, Page } from "playwright-core";
import { openPage, until, waitForIdle } from "./browser.ts";
import type { DemoService } from "./service.ts";

const wide = { width: 1440, scheme: "light" } as const;

/**
 * The console without a pointer: every control is reached by Tab with a focus that is seen, and the keys of the help
 * do what it says.
 */
export async function checkKeyboard(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  const expect = async (what: string, isSo: Promise<boolean> | boolean) => {
    if (!(await isSo)) findings.push(what);
  };
  await page.goto(`${service.url}/`);
  await page.waitForSelector("form");
  await page.keyboard.press("Tab");
  await page.keyboard.type(service.token);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".explore");
  await page.waitForSelector("#parameter-project");
  await page.focus("#parameter-project");
  await page.keyboard.type("default");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".grid-row");
  findings.push(...(await tabThrough(page, "explore")));

  await page.focus(".grid");
  for (const key of ["ArrowDown", "j", "k", "ArrowDown", "PageDown", "PageUp"]) await page.keyboard.press(key);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".record .leaf");
  await expect(
    "the record takes the focus",
    page.evaluate("document.activeElement.closest('.record') !== null") as Promise<boolean>,
  );
  findings.push(...(await tabThrough(page, "record")));
  await page.focus(".record");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".record", { state: "detached" });
  await expect(
    "Escape gives the focus back to the rows",
    page.evaluate("document.activeElement.className === 'grid'") as Promise<boolean>,
  );

  await page.keyboard.press("/");
  await until(page, "document.activeElement.closest('.editor') !== null");
  await page.keyboard.type("m.response.status_code:200");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await until(page, "location.hash.includes('status_code')");
  await waitForIdle(page);
  for (const [key, page_] of [
    ["n", "endpoints"],
    ["s", "sources"],
    ["l", "alerts"],
    ["r", "drains"],
    ["a", "access"],
    ["d", "audit"],
    ["t", "store"],
    ["u", "usage"],
    ["e", "explore"],
  ] as const) {
    await page.focus("body");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await until(page, `location.hash.startsWith('#/${page_}')`);
    await waitForIdle(page);
    findings.push(...(await tabThrough(page, page_)));
  }
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog kbd");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await close();
  return findings.map((text) => `keyboard: ${text}`);
}

/** Presses of Tab after which a page must have come round. */
const maxPresses = 800;
/**
 * Controls not reached yet. Those that the page has meanwhile removed or hidden, such as the plain field that the
 * loaded editor replaces, do not count.
 */
const left =
  "[...window.unreached].filter((each) => each.isConnected && each.checkVisibility({ visibilityProperty: true }))";

/**
 * Presses Tab until it comes round: each control that can be pressed is reached, and each shows that it has the
 * focus.
 */
async function tabThrough(page: Page, where: string): Promise<string[]> {
  // Told by the page itself, so that a press is all that goes back and forth.
  await page.evaluate(`(() => {
      document.activeElement.blur();
      const all = [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [tabindex='0'], .cm-content")];
      const seen = all.filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.tabIndex >= 0);
      window.unreached = new Set(seen);
      window.unseen = new Set();
      const isSeen = (style) => style.outlineStyle !== "none" || style.boxShadow !== "none";
      document.addEventListener("focusin", window.onFocusIn ??= ({ target }) => {
        window.unreached.delete(target);
        const frame = target.closest(".editor");
        if (!isSeen(getComputedStyle(target)) && (frame === null || !isSeen(getComputedStyle(frame))))
          window.unseen.add(target.outerHTML.slice(0, 120));
      });
    })()`);
  // What is loaded meanwhile adds stops, and takes the place of others.
  for (let pressed = 0; pressed < maxPresses; pressed++) {
    await page.keyboard.press("Tab");
    if (pressed % 10 === 9 && (await page.evaluate(`${left}.length`)) === 0) break;
  }
  const { unreached, unseen } = (await page.evaluate(
    `({ unreached: ${left}.map((each) => each.outerHTML.slice(0, 120)), unseen: [...window.unseen] })`,
  )) as { readonly unreached: readonly string[]; readonly unseen: readonly string[] };
  return [
    ...unseen.map((each) => `${where}: the focus is not seen on ${each}`),
    ...unreached.slice(0, 5).map((each) => `${where}: Tab does not reach ${each}`),
  ];
}
