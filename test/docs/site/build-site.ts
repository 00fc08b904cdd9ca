import { printLayout } from "./layout.ts";
import { printFullText, printGuide } from "./llms.ts";
import { groupPages } from "./page-groups.ts";
import { addressOf, type Page, readPage } from "./read-page.ts";

/** Files of the checkout by their paths. */
export interface Checkout {
  /** The pages: Markdown by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** Whether there is a file that is no page. */
  hasFile(path: string): boolean;
}

export interface Site {
  /** Texts by their addresses. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files to be copied: their addresses by their paths. */
  readonly copies: ReadonlyMap<string, string>;
  /** Dead links, and pages that no navigation leads to. */
  readonly problems: readonly string[];
}

/** Builds the site of all pages. */
export function buildSite(checkout: Checkout): Site {
  const pages = [...checkout.pages].map(([path, text]) => readPage(path, text));
  const groups = groupPages(pages);
  const texts = new Map<string, string>();
  const copies = new Map<string, string>();
  for (const page of pages) {
    texts.set(page.address, printLayout(page, groups));
    copies.set(page.path, page.path);
    for (const { path } of page.targets) {
      if (!checkout.pages.has(path) && checkout.hasFile(path)) copies.set(path, addressOf(path));
    }
  }
  texts.set("search-index.js", `window.searchIndex = ${printSearchIndex(pages)};\n`);
  texts.set("llms.txt", printGuide(groups));
  texts.set("llms-full.txt", printFullText(groups, checkout.pages));
  return { texts, copies, problems: [...findUngrouped(pages), ...findDeadLinks(pages, checkout)] };
}

function findUngrouped(pages: readonly Page[]): readonly string[] {
  const grouped = new Set(groupPages(pages).flatMap((group) => group.pages.map(({ path }) => path)));
  return pages
    .filter(({ path }) => !grouped.has(path))
    .map(({ path }) => `${path} is in no group of the navigation (test/docs/site/page-groups.ts)`);
}

function findDeadLinks(pages: readonly Page[], { hasFile }: Checkout): readonly string[] {
  const anchors = new Map(
    pages.map(({ path, html }) => [path, new Set([...html.matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => id ?? ""))]),
  );
  return pages.flatMap(({ path: from, targets, problems }) => [
    ...problems.map((problem) => `${from}: ${problem}`),
    ...targets.flatMap(({ href, path, anchor }) => {
      const known = anchors.get(path);
      if (known === undefined) return hasFile(path) && anchor === "" ? [] : [`${from}: ${href} leads to no file`];
      return anchor === "" || known.has(anchor) ? [] : [`${from}: ${href} leads to no heading`];
    }),
  ]);
}

/** The sections of all pages. Nothing of them ends the script that they are in. */
function printSearchIndex(pages: readonly Page[]): string {
  const rows = pages.flatMap(({ address, title, sections }) =>
    sections.map((section) => {
      const href = section.anchor === "" ? address : `${address}#${section.anchor}`;
      return { page: title, title: section.title, href, text: section.text };
    }),
  );
  return JSON.stringify(rows).replaceAll("<", "\\u003c");
}
