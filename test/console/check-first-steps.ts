import { writeFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { startDestination } from "../support/destination.ts";
import { connectMcp, modern } from "../support/mcp/connect.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openPage, patienceMs, press, until, waitForIdle } from "./browser.ts";
import { startFresh } from "./service.ts";
import { shrinkPicture } from "./shrink-picture.ts";

const width = 1280;
const failing = "/rest/v1/orders";
/** The endpoint's query, as `docs/first-steps.md` has it. */
const sql = `SELECT metadata.request.path AS path, COUNT(*) AS failures, MIN(timestamp) AS since
FROM edge
WHERE project = 'shopfront' AND metadata.response.status_code >= 500
GROUP BY path ORDER BY failures DESC`;
const agentSql = `select r.path, count(*) as failures from edge_logs cross join unnest(metadata) m
cross join unnest(m.request) r cross join unnest(m.response) s where s.status_code >= 500
group by r.path order by failures desc limit 3`;
const alert = {
  name: "failing paths",
  every: "5m",
  sql:
    "SELECT project, metadata.request.path AS path, COUNT(*) AS n FROM edge WHERE timestamp BETWEEN " +
    "TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 HOUR) AND CURRENT_TIMESTAMP() AND " +
    "metadata.response.status_code >= 500 GROUP BY project, path",
  when: { column: "n", op: ">=", value: 10 },
  group_by: ["project", "path"],
  message: "{{n}} failures of {{path}} in {{project}}",
};

interface Walk {
  readonly page: Page;
  readonly origin: string;
  readonly token: string;
  readonly findings: string[];
  /** Takes a picture of what is shown, so many pixels high, or of a part of it. */
  picture(name: string, height: number, part?: Locator): Promise<void>;
}

/**
 * The walks of `docs/first-steps.md` after `npm start`, in the browser where they are there: what fails, an agent that
 * is asked for it, an alert that reaches a webhook, and an endpoint that is made in Explore and called over HTTP. On
 * the way it takes the pictures of the documentation, into the folder.
 */
export async function checkFirstSteps(browser: Browser, folder: string): Promise<string[]> {
  const service = await startFresh({ LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" });
  try {
    const { origin, hash } = new URL(service.link);
    const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
    const { page, findings, close } = await openPage(
      browser,
      origin,
      { width, scheme: "light" },
      // A query of its own columns has no counts over time.
      (status) => status === 400,
    );
    const picture: Walk["picture"] = async (name, height, part) => {
      await page.setViewportSize({ width, height });
      await waitForIdle(page);
      writeFileSync(`${folder}/${name}.png`, shrinkPicture(await (part ?? page).screenshot()));
    };
    await page.goto(service.link);
    const walk: Walk = { page, origin, token, findings, picture };
    await explore(walk);
    await askByAgent(walk);
    await alertWebhook(walk);
    await makeEndpoint(walk);
    await close();
    return findings.map((text) => `first-steps: ${text}`);
  } finally {
    await service.stop();
  }
}

async function explore({ page, origin, picture }: Walk): Promise<void> {
  await page.waitForSelector(".grid-row");
  await picture("explore", 760);
  await press(page, ".grid-row >> nth=2");
  await page.waitForSelector(".record .leaf");
  await picture("record", 760);
  const failures = new URLSearchParams({ s: "logs.all", q: "m.response.status_code:>=500", r: "1d" });
  await page.goto(`${origin}/#/explore?${failures}&p.project=shopfront`);
  await page.waitForSelector(`.facet-value:has-text("${failing}")`);
  await picture("failures", 640);
  await page.goto(`${origin}/#/endpoints/usage.api-counts`);
  await page.waitForSelector("#run-project");
  await page.selectOption("#run-interval", "hourly");
  await page.fill("#run-project", "default");
  await press(page, 'form button:has-text("Run")');
  await page.waitForSelector("text=total_rest_requests");
  await picture("endpoint", 760);
}

/** The snippet of the console, with a token for the agent alone, in a client that anybody may use. */
async function askByAgent({ page, origin, token, findings, picture }: Walk): Promise<void> {
  const made = await post(origin, token, "/api/access-tokens", {
    scopes: ["query:endpoint:logs.all"],
    pins: { project: "shopfront" },
    redaction: "required",
  });
  await page.goto(`${origin}/#/endpoints/logs.all`);
  const mcp = page.locator(".code", { hasText: "mcpServers" });
  await mcp.waitFor();
  const snippet = ((await mcp.textContent()) ?? "").replace("TOKEN", String(made.token));
  const { url, headers } = JSON.parse(snippet).mcpServers.logweir as {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  const client = await connectMcp(url.replace(/\/mcp$/, ""), headers, modern);
  const { text } = await client.call("query", { endpoint: "logs.all", sql: agentSql });
  await client.close();
  if (!text.includes(`\n${failing},`)) findings.push(`the agent is told ${text.slice(0, 300)}`);
  await picture("agent", 760, mcp.locator(".."));
}

async function alertWebhook({ page, origin, token, findings, picture }: Walk): Promise<void> {
  const hook = await startDestination();
  const made = await post(origin, token, "/api/alerts", { ...alert, notify: [{ type: "webhook", url: hook.url }] });
  await waitUntil(() => hook.taken.length > 0, patienceMs, "the notice of the alert");
  const notice = JSON.parse(hook.taken[0]?.body ?? "") as { readonly labels: { readonly path: string } };
  if (notice.labels.path !== failing) findings.push(`the webhook is told ${hook.taken[0]?.body.slice(0, 300)}`);
  await page.goto(`${origin}/#/alerts/${made.id}`);
  await press(page, 'button:text-is("Dry run")');
  await page.waitForSelector('.lane span, [aria-label="Notices of the dry run"]');
  await picture("alert", 900);
  await hook.close();
}

async function makeEndpoint({ page, origin, token, findings, picture }: Walk): Promise<void> {
  await page.goto(`${origin}/#/explore`);
  await page.waitForSelector(".query-bar select");
  await page.selectOption(".query-bar select >> nth=0", "source:edge");
  await press(page, 'button:text-is("SQL")');
  await press(page, ".editor .cm-content");
  await page.keyboard.press("Control+A");
  // As readers of the page do.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(sql)})`);
  await page.keyboard.press("Control+V");
  await press(page, '.editor-row button:has-text("Run")');
  await page.waitForSelector(`.grid-row:has-text("${failing}")`);
  await press(page, '[title="Save as endpoint"]');
  await press(page, 'button:has-text("→ @project")');
  await page.fill("form .field input >> nth=0", "failing-paths");
  await press(page, 'button:has-text("Test run")');
  await page.waitForSelector(`td:text-is("${failing}")`);
  await picture("new-endpoint", 760);
  await press(page, 'button:text-is("Create endpoint")');
  await until(page, "location.hash === '#/endpoints/failing-paths'");
  const called = await fetch(`${origin}/api/endpoints/query/failing-paths?project=default`, {
    headers: { "x-api-key": token },
  });
  const { result = [] } = (await called.json()) as { readonly result?: readonly { readonly path: string }[] };
  if (result[0]?.path !== "/rest/v1/products") findings.push(`the call answers ${called.status}`);
}

async function post(origin: string, token: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(origin + path, {
    method: "POST",
    headers: { "x-api-key": token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
