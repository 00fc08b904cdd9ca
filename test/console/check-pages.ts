import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { openPage, tell, waitForIdle, within } from "./browser.ts";
import { type Scene, scenes } from "./scenes.ts";
import type { DemoService } from "./service.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const height = 900;
const schemes = ["light", "dark"] as const;
const colours = ["color-contrast", "link-in-text-block"];
/**
 * Where pages are opened, and what axe looks at in each scheme; each is narrowed to the other widths, where the same
 * elements stand. Colours, which take most of its time, are the same at every width, and all else in both schemes.
 */
const layouts = [
  { width: 1440, narrower: [1024], rules: { light: {}, dark: { runOnly: { type: "rule", values: colours } } } },
  {
    width: 390,
    narrower: [],
    rules: { light: { rules: Object.fromEntries(colours.map((rule) => [rule, { enabled: false }])) }, dark: undefined },
  },
] as const;
type Layout = (typeof layouts)[number];
/** Pictures are for people who look at them: CI has those of what failed alone. */
const takesPictures = process.env.CI !== "true";

/**
 * Every page and state, at every width and in both colour schemes: a picture, what axe finds, and a page no wider
 * than its window, which does not depend on the scheme.
 */
export async function checkPages(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const found = await Promise.all(layouts.map((layout) => checkLayout(browser, service, pictures, layout)));
  return found.flat();
}

async function checkLayout(
  browser: Browser,
  service: DemoService,
  pictures: string,
  layout: Layout,
): Promise<string[]> {
  const { width } = layout;
  const findings: string[] = [];
  // Some states are refusals: of a query with an error, of a page that nobody may open.
  const opened = await openPage(browser, service.url, { width, scheme: "light" }, (status) =>
    [400, 404, 422].includes(status),
  );
  const { page } = opened;
  await page.goto(service.url);
  await page.waitForSelector("form");
  findings.push(...(await look(page, "sign-in", layout, pictures)));
  await page.goto("about:blank");
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  for (const scene of scenes) findings.push(...(await checkScene(page, scene, layout, pictures)));
  findings.push(...opened.findings);
  await opened.close();
  return findings.map((text) => `${width}: ${text}`);
}

async function checkScene(
  page: Page,
  { name, path, waitFor, act }: Scene,
  layout: Layout,
  pictures: string,
): Promise<string[]> {
  try {
    const project = path.startsWith("explore") ? `${path.includes("?") ? "&" : "?"}p.project=default` : "";
    await reloadAt(page, `#/${path}${project}`);
    await page.waitForSelector(waitFor);
    await act?.(page);
    return await look(page, name, layout, pictures);
  } catch (error) {
    await page.screenshot({ path: `${pictures}/${name}-${layout.width}-failed.png` }).catch(() => undefined);
    return [`${name}: ${tell(error)}`];
  } finally {
    await page.emulateMedia({ colorScheme: "light" });
  }
}

/** Loads another page of the console anew, but in the same process of the browser: a new one takes a third of the time. */
async function reloadAt(page: Page, hash: string): Promise<void> {
  // No event tells the console of it, which would show the page and then load it.
  await page.evaluate(`history.replaceState(null, "", ${JSON.stringify(hash)})`);
  await page.reload();
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The names of those links and buttons of the navigation that are not whole in the window. */
const cutOffNames = `[...document.querySelectorAll(".nav a, .nav button")]
  .filter((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return left < 0 || right > innerWidth || top < 0 || bottom > innerHeight;
  })
  .map((each) => each.title)
  .join(", ")`;

/** Looks at what is shown, at each width of the layout. */
async function look(page: Page, name: string, { width, narrower, rules }: Layout, pictures: string): Promise<string[]> {
  // The policy lets no script of a page's text run; the debugger's may.
  await page.evaluate(axeSource);
  const findings: string[] = [];
  for (const scheme of schemes) {
    if (rules[scheme] === undefined && !takesPictures) continue;
    const title = `${name}-${width}-${scheme}`;
    findings.push(...(await lookAtShape(page, title, scheme, pictures)));
    if (rules[scheme] !== undefined) findings.push(...(await askAxe(page, title, rules[scheme])));
  }
  for (const other of narrower) {
    await page.setViewportSize({ width: other, height });
    for (const scheme of takesPictures ? schemes : schemes.slice(0, 1)) {
      findings.push(...(await lookAtShape(page, `${name}-${other}-${scheme}`, scheme, pictures)));
    }
    await page.setViewportSize({ width, height });
  }
  return findings;
}

/** A page no wider than its window, and a navigation that is whole. */
async function lookAtShape(page: Page, title: string, scheme: "light" | "dark", pictures: string): Promise<string[]> {
  const findings: string[] = [];
  await page.emulateMedia({ colorScheme: scheme });
  await waitForIdle(page);
  if (takesPictures) await page.screenshot({ path: `${pictures}/${title}.png` });
  const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
  if (overflow > 0) findings.push(`${title}: the page is ${overflow} pixels wider than its window`);
  const cutOff = await page.evaluate(cutOffNames);
  if (cutOff !== "") findings.push(`${title}: the window cuts off ${cutOff} of the navigation`);
  return findings;
}

async function askAxe(page: Page, title: string, rules: object): Promise<string[]> {
  const options = JSON.stringify({ ...rules, resultTypes: ["violations"] });
  const { violations } = (await within("axe", page.evaluate(`axe.run(${options})`))) as AxeResult;
  return violations.map(({ id, nodes }) => {
    const [first] = nodes;
    const summary = first?.failureSummary?.split("\n")[1] ?? "";
    return `${title}: axe ${id} (${nodes.length}): ${first?.html.slice(0, 140)} ${summary}`;
  });
}
