import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { waitUntil } from "../support/wait-until.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** The deadline of a page's reaction in milliseconds: far more than it needs, so that a busy machine fails nothing. */
export const patienceMs = 120_000;

/** True where there is a Chromium to test with. */
export function hasChromium(): boolean {
  return existsSync(executablePath);
}

/** A Chromium that talks to nobody but the page's service. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: patienceMs,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      // It ends the browser's drawing process, and in the end the browser, where the machine is slow.
      "--disable-gpu-watchdog",
      "--disable-quic",
      "--no-first-run",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** The same promise, given up after `patienceMs`: a page that hangs answers no question about itself. */
export async function within<Value>(what: string, work: Promise<Value>, limitMs = patienceMs): Promise<Value> {
  const timer: { handle?: NodeJS.Timeout } = {};
  const late = new Promise<never>((_, reject) => {
    timer.handle = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer.handle);
  }
}

export interface View {
  readonly width: number;
  readonly scheme: "light" | "dark";
}

/** A page, and what it must not do: errors, refused calls, calls of other hosts, windows, a token in a URL. */
export interface WatchedPage {
  readonly page: Page;
  readonly findings: string[];
  close(): Promise<void>;
}

/** Those that are open: what they show may tell why a check broke. */
const openPages = new Set<Pick<WatchedPage, "page" | "findings">>();

/** Problems of the open pages so far, and what each shows; pictures of them are `broken-*.png`. */
export async function tellOpenPages(pictures: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { page, findings } of openPages) {
    const number = lines.length;
    await page.screenshot({ path: `${pictures}/broken-${number}.png`, timeout: 10_000 }).catch(() => undefined);
    const read = page.evaluate("document.body.innerText") as Promise<string>;
    const text = await within("reading a page", read, 10_000).catch(tell);
    lines.push(`${page.url()} shows ${JSON.stringify(text.slice(0, 1_000))}`, ...findings);
  }
  return lines;
}

/** `isExpected` tells which answers of status 400 and above a test asks for. */
export async function openPage(
  browser: Browser,
  origin: string,
  { width, scheme }: View,
  isExpected: (status: number, url: string) => boolean = () => false,
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 900 },
    colorScheme: scheme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const findings: string[] = [];
  page.on("pageerror", (error) => void findings.push(`error: ${error.message.slice(0, 300)}`));
  page.on("crash", () => void findings.push("the page crashed"));
  page.on("console", (message) => {
    // Refused calls are looked at below, where their address is known.
    const isOfCall = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isOfCall) findings.push(`console: ${message.text().slice(0, 300)}`);
  });
  page.on("dialog", (dialog) => {
    findings.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("blob:") && !url.startsWith("data:")) findings.push(`leak: ${url}`);
    if (/token=|lw_[0-9a-f]{16}/.test(url.replace(/#.*/, ""))) findings.push(`token in a URL: ${url}`);
  });
  page.on("response", (response) => {
    const [status, url] = [response.status(), response.url()];
    if (status >= 400 && !isExpected(status, url)) findings.push(`status ${status}: ${url.slice(0, 200)}`);
  });
  const open = { page, findings };
  openPages.add(open);
  const close = () => {
    openPages.delete(open);
    return within("closing a page", context.close());
  };
  return { ...open, close };
}

/**
 * Until an expression is true in the page. The driver's own way to wait makes scripts of texts, which the page's
 * policy forbids.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const isTrue = async () => (await within(expression, page.evaluate(expression))) === true;
  await waitUntil(isTrue, patienceMs, expression);
}

/** Waits until nothing is loading and the last drawing is on the screen. */
export async function waitForIdle(page: Page): Promise<void> {
  await until(page, "document.querySelector('.spinner') === null");
  await within(
    "drawing",
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"),
  );
}

/**
 * Clicks an element once the page around it has loaded. What loads moves what stands below it, and a button that moves
 * between press and release takes no click.
 */
export async function press(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector);
  await waitForIdle(page);
  await page.click(selector);
}

/** `text` as what went wrong, without the colours and call logs of the driver. */
export function tell(error: unknown): string {
  return stripVTControlCharacters(String(error)).replaceAll(/\s+/g, " ").slice(0, 300);
}
