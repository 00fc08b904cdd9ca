import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { openPage, press, until, waitForIdle } from "./browser.ts";
import type { DemoService } from "./service.ts";

const wide = { width: 1440, scheme: "light" } as const;

/** Each link of the navigation leads to its page, and back leads back; a saved view brings back what was shown. */
export async function checkLinks(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  for (const title of ["Endpoints", "Usage", "Sources", "Access", "Audit", "Store", "Explore"]) {
    await press(page, `.nav a[title="${title}"]`);
    await until(page, `document.title.startsWith("${title}")`);
  }
  await page.goBack();
  await until(page, 'document.title.startsWith("Store")');
  await page.goto(`${service.url}/#/explore?s=source:edge&r=2d&q=m.request.method%3APOST`);
  await page.waitForSelector(".grid-row");
  await press(page, '[title="Saved views"]');
  await page.fill('[aria-label="Name of the view"]', "posts");
  await page.keyboard.press("Enter");
  await page.waitForSelector('.views .menu-item:has-text("posts")');
  await page.keyboard.press("Escape");
  await page.goto(`${service.url}/#/explore?s=logs.all&p.project=default`);
  await until(page, "!location.hash.includes('source') && document.querySelector('.grid-row') !== null");
  await press(page, '[title="Saved views"]');
  await press(page, '.views .menu-item:has-text("posts")');
  await until(page, "location.hash.includes('POST') && document.querySelector('.grid-row') !== null");
  await waitForIdle(page);
  if ((await page.locator(".notice.danger").count()) > 0) findings.push("a saved view of another endpoint fails");
  await close();
  return findings.map((text) => `links: ${text}`);
}

/** Below a path of a proxy everything works as it does at the top. */
export async function checkPrefix(browser: Browser, service: DemoService): Promise<string[]> {
  const proxy = await openProxy(service.url, "/tools/logs");
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { page, findings, close } = await openPage(browser, `${origin}/tools/logs/`, wide);
  try {
    await page.goto(`${origin}/tools/logs/#token=${service.token}&project=default`);
    await page.waitForSelector(".grid-row");
    await press(page, "text=Live");
    await page.waitForSelector("text=Pause");
    for (const title of ["Endpoints", "Sources", "Explore"]) {
      await press(page, `.nav a[title="${title}"]`);
      await until(page, `document.title.startsWith("${title}")`);
      await waitForIdle(page);
    }
    if (!page.url().startsWith(`${origin}/tools/logs/#/explore`)) findings.push(`it leads to ${page.url()}`);
    await page.reload();
    await page.waitForSelector(".grid-row");
  } finally {
    await close();
    proxy.closeAllConnections();
    proxy.close();
  }
  return findings.map((text) => `prefix: ${text}`);
}

/** Passes requests below a path on, and refuses all others. */
function openProxy(target: string, prefix: string): Promise<Server> {
  const proxy = createServer((request, response) => {
    const path = request.url ?? "";
    if (!path.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const { method = "GET", headers } = request;
    const passed = ask(target + path.slice(prefix.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  return new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(proxy)));
}

/** A page that nobody touches shows nothing of a token that was revoked, from when it is asked about, or seen again. */
export async function checkRevocation(browser: Browser, service: DemoService): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  const made = await service.post("/api/access-tokens", { scopes: ["query"] });
  const { id, token } = made as { readonly id: string; readonly token: string };
  await page.goto(`${service.url}/#token=${token}&project=default`);
  await page.waitForSelector(".grid-row");
  const headers = { "x-api-key": service.token };
  await fetch(`${service.url}/api/access-tokens/${id}`, { method: "DELETE", headers });
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await page.waitForSelector("text=The token expired or was revoked");
  if ((await page.locator(".grid-row").count()) > 0) findings.push("rows of a revoked token stay");
  await close();
  // The browser tells of the refusal.
  return findings.filter((text) => !text.includes("401")).map((text) => `revocation: ${text}`);
}

/** A service that crashes, or stops, is told of, and its return too: what is on the screen stays, and live rows come. */
export async function checkOutage(browser: Browser, service: DemoService, pictures: string): Promise<string[]> {
  const { page, findings, close } = await openPage(browser, service.url, wide);
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  await press(page, "text=Live");
  await page.waitForSelector("text=Pause");
  for (const how of ["SIGKILL", "SIGTERM"] as const) {
    await service.end(how);
    await page.waitForSelector(".outage");
    await page.screenshot({ path: `${pictures}/service-gone.png` });
    if ((await page.locator(".grid-row").count()) === 0) findings.push("the rows went with the service");
    await service.restart();
    await service.post("/api/logs?source=edge", { project: "default", event_message: `sent behind ${how}` });
    await page.waitForSelector(".outage", { state: "detached" });
    await page.waitForSelector(`.grid-row:has-text("sent behind ${how}")`);
  }
  await press(page, ".editor-row .primary");
  await waitForIdle(page);
  if ((await page.locator(".notice.danger").count()) > 0) findings.push("an error is left when the service is back");
  await close();
  // The browser tells of connections that were refused.
  return findings.filter((text) => !text.includes("ERR_")).map((text) => `outage: ${text}`);
}
