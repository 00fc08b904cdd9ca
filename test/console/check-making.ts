import type { Browser, Page } from "playwright-core";
import { openPage, press, until } from "./browser.ts";
import type { DemoService } from "./service.ts";

const wide = { width: 1440, scheme: "light" } as const;

/**
 * An endpoint made where its query was tried: from Explore's SQL, with a literal as a parameter, run on its page, and
 * called over HTTP.
 */
export async function checkMaking(browser: Browser, service: DemoService): Promise<string[]> {
  // A query of its own columns has no counts over time; wrong settings are refused.
  const opened = await openPage(browser, service.url, wide, (status) => status === 400 || status === 422);
  const { page, findings, close } = opened;
  await page.goto(`${service.url}/#token=${service.token}&project=default`);
  await page.waitForSelector(".grid-row");
  const sql =
    "select r.method, count(*) as requests from edge_logs t cross join unnest(t.metadata) m " +
    "cross join unnest(m.request) r where r.method = 'GET' group by r.method";
  const state = new URLSearchParams({ s: "logs.all", l: "sql", q: sql, r: "2d", "p.project": "default" });
  await page.goto(`${service.url}/#/explore?${state}`);
  await page.waitForSelector(".grid-row");
  await press(page, '[title="Save as endpoint"]');
  await press(page, 'button:has-text("@method")');
  await page.fill("form .field input >> nth=0", "made.requests");
  await page.fill("#run-project", "default");
  await page.fill("#run-method", "PATCH");
  await press(page, 'button:has-text("Test run")');
  await page.waitForSelector('td:text-is("PATCH")');
  await press(page, 'button:text-is("Show as a file")');
  const file = (await page.textContent("form pre.code")) ?? "";
  if (!(file.includes('"method":{"type":"string","default":"GET"}') && file.includes("r.method = @method"))) {
    findings.push(`the file is ${file.slice(0, 300)}`);
  }
  await press(page, 'button:text-is("Create endpoint")');
  await until(page, "location.hash === '#/endpoints/made.requests'");
  await page.waitForSelector("#run-method");
  await page.fill("#run-project", "default");
  await page.fill("#run-method", "POST");
  await press(page, 'form button:has-text("Run")');
  await page.waitForSelector('td:text-is("POST")');
  const answer = await fetch(`${service.url}/api/endpoints/query/made.requests?project=default`, {
    headers: { "x-api-key": service.token },
  });
  const { result } = (await answer.json()) as { readonly result?: readonly { readonly method: string }[] };
  if (result?.[0]?.method !== "GET") findings.push(`a call answers ${answer.status} ${JSON.stringify(result)}`);
  await changeEndpoint(page, findings);
  await makeSource(page);
  await changeRule(page);
  await close();
  return findings.map((text) => `making: ${text}`);
}

/** A source of its own, which shows an event that is sent from its page, and is gone once it is deleted. */
async function makeSource(page: Page): Promise<void> {
  await press(page, 'nav a:has-text("Sources")');
  await press(page, "text=New source");
  await page.fill("form .field input >> nth=0", "made");
  await press(page, 'button:text-is("Create source")');
  await until(page, "location.hash === '#/sources/made'");
  await press(page, 'button:has-text("Send a test event")');
  await page.waitForSelector('.figures dd:text-is("1")');
  await press(page, 'button:text-is("Edit")');
  await page.fill("form .field input >> nth=2", "7");
  await press(page, 'button:text-is("Save")');
  await page.waitForSelector('.figures dd:text-is("7 days")');
  await press(page, 'button:text-is("Delete")');
  await press(page, 'dialog button:text-is("Delete")');
  await until(page, "location.hash === '#/sources'");
  await page.waitForSelector("tbody tr");
  await page.waitForSelector('tbody a:text-is("made")', { state: "detached" });
}

/** The settings of the endpoint whose page is open: refused where they are wrong, saved, and removed with it. */
async function changeEndpoint(page: Page, findings: string[]): Promise<void> {
  await press(page, 'button:text-is("Edit")');
  await page.fill("dialog textarea", '{"project": {"type": "text"}}');
  await press(page, 'dialog button:text-is("Save")');
  const problem = (await page.textContent("dialog .notice.danger")) ?? "";
  if (!problem.includes("parameters")) findings.push(`wrong parameters are answered by ${problem.slice(0, 300)}`);
  await page.fill(
    "dialog textarea",
    '{"project": {"type": "string", "required": true}, "method": {"allowed": ["GET", "POST"], "default": "POST"}}',
  );
  await page.fill("dialog .field input >> nth=0", "requests by method");
  await press(page, 'dialog button:text-is("Save")');
  await page.waitForSelector('p:text-is("requests by method")');
  await page.waitForSelector('select#run-method option:text-is("POST")', { state: "attached" });
  await press(page, 'button:text-is("Delete")');
  await press(page, 'dialog button:text-is("Delete")');
  await until(page, "location.hash === '#/endpoints'");
  await page.waitForSelector("tbody tr");
  await page.waitForSelector('tbody a:text-is("made.requests")', { state: "detached" });
}

/** Another selection of a rule of a drain. */
async function changeRule(page: Page): Promise<void> {
  await press(page, 'nav a:has-text("Drains")');
  await press(page, "tbody a >> nth=0");
  await press(page, '[aria-label="Edit the rule of edge"]');
  await page.fill('[aria-label="Rules"] form input', "m.response.status_code:>=998");
  await press(page, 'button:text-is("Save the rule")');
  await page.waitForSelector('td:has-text("m.response.status_code:>=998")');
}
