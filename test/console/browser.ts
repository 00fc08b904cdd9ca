import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** True where there is a Chromium to test with. */
export function hasChromium(): boolean {
  return existsSync(executablePath);
}

/** A Chromium that talks to nobody but the page's service. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export interface View {
  readonly width: number;
  readonly scheme: "light" | "dark";
}

/** A page, and what it must not do: errors, calls of other hosts, windows, and what a script of a log line would set. */
export interface WatchedPage {
  readonly page: Page;
  readonly findings: string[];
  close(): Promise<void>;
}

export async function openPage(browser: Browser, origin: string, { width, scheme }: View): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 900 },
    colorScheme: scheme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  const findings: string[] = [];
  page.on("pageerror", (error) => void findings.push(`error: ${error.message.slice(0, 300)}`));
  page.on("console", (message) => {
    if (message.type() === "error") findings.push(`console: ${message.text().slice(0, 300)}`);
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
  return { page, findings, close: () => context.close() };
}
