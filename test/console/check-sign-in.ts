import type { Browser } from "playwright-core";
import { type OidcIssuer, startOidcIssuer } from "../support/oidc-issuer.ts";
import { openPage, press, until, type View, waitForIdle } from "./browser.ts";
import { startEmpty } from "./service.ts";

const views: readonly View[] = [
  { width: 1440, scheme: "light" },
  { width: 390, scheme: "dark" },
];

/** People sign in without a token, see who they are, are told why they may not, and sign out. */
export async function checkSignIn(browser: Browser, pictures: string): Promise<string[]> {
  const issuer = await startOidcIssuer();
  const roles = { "ada@example.com": "private", owners: "private" };
  const service = await startEmpty({
    LOGWEIR_TRUSTED_PROXY: "127.0.0.1",
    LOGWEIR_PROXY_USER_HEADER: "X-Forwarded-User",
    LOGWEIR_OIDC_ROLES: JSON.stringify(roles),
    LOGWEIR_OIDC_ISSUER: issuer.url,
    LOGWEIR_OIDC_CLIENT_ID: issuer.clientId,
    LOGWEIR_OIDC_CLIENT_SECRET: issuer.clientSecret,
  });
  issuer.serve(service.link);
  issuer.people.claims.ada = { email: "ada@example.com", email_verified: true, groups: ["owners"] };
  const findings: string[] = [];
  try {
    for (const view of views) {
      findings.push(...(await checkProxied(browser, service.link, view, pictures)));
      findings.push(...(await checkIssuer(browser, service.link, issuer, view, pictures)));
    }
  } finally {
    await service.stop();
    await issuer.close();
  }
  return findings.map((text) => `sign-in: ${text}`);
}

/** The issuer is on another site, from which a browser sends no cookies that are `SameSite=Strict`. */
async function checkIssuer(
  browser: Browser,
  url: string,
  issuer: OidcIssuer,
  view: View,
  pictures: string,
): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, url, view, (status) => status === 401);
  const picture = (name: string) => page.screenshot({ path: `${pictures}/sign-in-${name}-${view.scheme}.png` });
  const enter = `a:text-is("Sign in with ${new URL(issuer.url).host}")`;
  issuer.people.current = "eve";
  await page.goto(`${url}/#/sources`);
  await page.waitForSelector(enter);
  await picture("issuer");
  await press(page, enter);
  await page.waitForSelector("text=eve is signed in, but has no role");
  await page.context().clearCookies();
  issuer.people.current = "ada";
  await page.reload();
  await press(page, enter);
  await page.waitForSelector("tbody tr");
  if (page.url() !== `${url}/#/sources`) findings.push(`signing in leads to ${page.url()}`);
  const script = "document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage)";
  if (/lw_/.test(String(await page.evaluate(script)))) findings.push("a script can read the session");
  await press(page, '.nav a[title="Access"]');
  await page.waitForSelector("text=this one");
  await picture("person");
  await press(page, '[title="Sign out"]');
  await page.waitForSelector("text=You are signed out here");
  await picture("signed-out");
  await page.reload();
  await page.waitForSelector(enter);
  await close();
  return findings.filter((text) => !text.startsWith(`leak: ${issuer.url}`));
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
  await press(page, '.nav a[title="Access"]');
  await press(page, "text=New token");
  await press(page, 'button:text-is("Create token")');
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
