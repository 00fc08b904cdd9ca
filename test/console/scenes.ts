import type { Page } from "playwright-core";
import { press } from "./browser.ts";

/** A page in a state that people see. */
export interface Scene {
  readonly name: string;
  readonly path: string;
  /** The text that must be visible before the picture is taken. */
  readonly waitFor: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

/** Presses something on the loaded Explore page, and waits for what comes of it. */
function exploring(name: string, place: string, waitFor: string): Scene {
  const act = async (page: Page) => {
    await press(page, place);
    await page.waitForSelector(waitFor);
  };
  return { name, path: "explore", waitFor: ".grid-row", act };
}

export const scenes: readonly Scene[] = [
  { name: "explore", path: "explore", waitFor: ".grid-row" },
  exploring("record", ".grid-row >> nth=2", ".record .leaf"),
  {
    name: "around",
    path: "explore",
    waitFor: ".grid-row",
    act: async (page) => {
      await press(page, ".grid-row >> nth=2");
      await press(page, "text=Show around");
      await page.waitForSelector(".record li");
    },
  },
  exploring("patterns", "text=Patterns", ".pattern-row"),
  exploring("time", '[title="Time range"]', ".popover"),
  exploring("export", '[title="Export"]', ".popover"),
  exploring("views", '[title="Saved views"]', ".views form"),
  exploring("live", "text=Live", "text=Pause"),
  exploring("keys", '[title="Keys"]', "dialog kbd"),
  { name: "sql-error", path: "explore?l=sql&q=select+idd+from+edge_logs", waitFor: ".notice.danger" },
  { name: "lql-error", path: "explore?q=m.request.method%3A%3E%3E", waitFor: ".notice.danger" },
  { name: "lql-warning", path: "explore?q=m.no_such_field%3A1", waitFor: ".cm-lintRange-warning" },
  { name: "empty", path: "explore?q=nothing-like-this", waitFor: "text=No row in this time range" },
  { name: "endpoints", path: "endpoints", waitFor: "tbody tr" },
  { name: "endpoint", path: "endpoints/logs.all", waitFor: "text=Callers" },
  {
    name: "endpoint-tests",
    path: "endpoints/usage.api-counts",
    waitFor: "text=Run the tests",
    act: async (page) => {
      await press(page, "text=Run the tests");
      await page.waitForSelector("text=passed");
    },
  },
  {
    name: "endpoint-edited",
    path: "endpoints/hostile.1",
    waitFor: ".query-text .cm-content",
    act: async (page) => {
      await press(page, ".query-text .cm-content");
      await page.keyboard.press("Control+End");
      await page.keyboard.type(", nope(1)");
      await page.keyboard.press("Escape");
      await page.waitForSelector(".cm-lintRange-error");
      await press(page, 'button:text-is("Compare")');
      await page.waitForSelector(".diff");
    },
  },
  {
    name: "endpoint-new",
    path: "endpoints/new?s=logs.all&q=SELECT+id%0AFROM+edge_logs%0AWHERE+event_message+LIKE+'%25POST%25'",
    waitFor: "text=Let callers choose",
    act: async (page) => {
      await page.fill("form .field input >> nth=0", "odd name");
      await press(page, 'button:has-text("→ @event_message")');
      await page.fill("#run-project", "default");
      await press(page, 'button:has-text("Test run")');
      await page.waitForSelector('[aria-label="Rows"]');
      await press(page, 'button:text-is("Show as a file")');
      await press(page, 'button:text-is("Create endpoint")');
      await page.waitForSelector(".notice.danger");
    },
  },
  {
    name: "endpoint-settings",
    path: "endpoints/hostile.1",
    waitFor: "text=Callers",
    act: async (page) => {
      await press(page, 'button:text-is("Edit")');
      await page.fill("dialog textarea", "{");
      await press(page, 'dialog button:text-is("Save")');
      await page.waitForSelector("dialog .notice.danger");
    },
  },
  { name: "endpoint-missing", path: "endpoints/no.such", waitFor: ".notice.danger" },
  { name: "usage-all", path: "usage", waitFor: "tbody tr" },
  {
    name: "usage",
    path: "usage",
    waitFor: "tbody tr",
    act: async (page) => {
      await press(page, 'tbody .link:has-text("default")');
      await page.waitForSelector(".tile");
    },
  },
  { name: "sources", path: "sources", waitFor: "tbody tr" },
  { name: "source", path: "sources/edge", waitFor: ".chart canvas" },
  {
    name: "source-edited",
    path: "sources/hostile",
    waitFor: "text=Edit",
    act: async (page) => {
      await press(page, 'button:text-is("Edit")');
      await page.fill("form .field input >> nth=2", "soon");
      await press(page, 'button:text-is("Save")');
      await page.waitForSelector("form .notice.danger");
    },
  },
  {
    name: "source-new",
    path: "sources/new",
    waitFor: "text=Create source",
    act: async (page) => {
      await page.fill("form .field input >> nth=0", "edge");
      await press(page, 'button:text-is("Create source")');
      await page.waitForSelector(".notice.danger");
    },
  },
  { name: "unseen", path: "explore?s=source:hostile&r=1m", waitFor: ".empty .notice.warning" },
  { name: "drains", path: "drains", waitFor: "tbody tr" },
  {
    name: "drain",
    path: "drains",
    waitFor: "tbody tr",
    act: async (page) => {
      await press(page, "tbody a");
      await page.waitForSelector("text=Which events go there");
    },
  },
  {
    name: "rule",
    path: "drains",
    waitFor: "tbody tr",
    act: async (page) => {
      await press(page, "tbody a");
      await press(page, '[aria-label="Edit the rule of edge"]');
      await page.fill('[aria-label="Rules"] form input', "m.x:>=");
      await press(page, 'button:text-is("Save the rule")');
      await page.waitForSelector('[aria-label="Rules"] .notice.danger');
    },
  },
  { name: "alerts", path: "alerts", waitFor: "tbody tr" },
  {
    name: "alert",
    path: "alerts",
    waitFor: "tbody tr",
    act: async (page) => {
      await press(page, 'tbody a:text-is("failing-paths")');
      await page.waitForSelector("text=All alerts");
    },
  },
  { name: "access", path: "access", waitFor: "tbody tr" },
  { name: "new-token", path: "access", waitFor: "tbody tr", act: (page) => press(page, "text=New token") },
  { name: "audit", path: "audit", waitFor: "tbody tr" },
  { name: "store", path: "store", waitFor: "tbody tr" },
];
