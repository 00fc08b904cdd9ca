import type { Browser } from "playwright-core";
import { openPage, until, type View, waitForIdle } from "./browser.ts";
import { startEmpty } from "./service.ts";

const views: readonly View[] = [
  { width: 1440, scheme: "light" },
  { width: 390, scheme: "dark" },
];

/** People sign in without a token, see who they are, and are told why they may not. */
export async function checkSignIn(browser: Browser, pictures: string): Promise<string[]> {
  const roles = { "ada@example.com": "private" };
  const service = await startEmpty({
    LOGWEIR_TRUSTED_PROXY: "127.0.0.1",
    LOGWEIR_PROXY_USER_HEADER: "X-Forwarded-User",
    LOGWEIR_OIDC_ROLES: JSON.stringify(roles),
  });
  const findings: string[] = [];
  try {
    for (const view of views) findings.push(...(await checkProxied(browser, service.link, view, pictures)));
  } finally {
    await service.stop();
  }
  return findings.map((text) => `sign-in: ${text}`);
}

async function checkProxied(browser: Browser, url: string, view: View, pictures: string): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, url, view);
  const picture = (name: string) => page.screenshot({ path: `${pictures}/sign-in-${name}-${view.scheme}.png` });
  await page.setExtraHTTPHeaders({ "x-forwarded-user": "eve" });
  await page.goto(`${url}/#/sources`);
  await page.waitForSelector("text=eve is signed in, but has no role");
  await picture("no-role");
  await page.setExtraHTTPHeaders({ "x-forwarded-user": "ada@example.com" });
  await page.reload();
  await page.waitForSelector("tbody tr");
  if (!page.url().endsWith("#/sources")) findings.push(`signing in leads to ${page.url()}`);
  await page.click('.nav a[title="Access"]');
  await page.click("text=New token");
  await page.click('button:text-is("Create token")');
  await page.waitForSelector("text=lw_");
  await page.reload();
  await page.waitForSelector("tbody tr");
  await until(page, "document.querySelector('.who').textContent === 'ada@example.com'");
  if ((await page.locator('[title="Sign out"]').count()) > 0) findings.push("a proxy's person is offered to sign out");
  await waitForIdle(page);
  await picture("proxied");
  await close();
  return findings;
}
