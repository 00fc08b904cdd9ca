import type { PageGroup } from "./page-groups.ts";
import type { Page } from "./read-page.ts";

/** Prints `llms.txt` (llmstxt.org): what there is to read, with the address of each page's Markdown. */
export function printGuide(groups: readonly PageGroup[]): string {
  const readme = groups.flatMap(({ pages }) => pages).find(({ path }) => path === "README.md");
  const sections = groups.map(({ title, pages }) => `## ${title}\n\n${pages.map(printItem).join("\n")}\n`);
  return [
    "# Logweir\n",
    `> ${readme?.summary ?? ""}\n`,
    "All pages in one file: [llms-full.txt](llms-full.txt)\n",
    ...sections,
  ].join("\n");
}

function printItem({ title, path, summary }: Page): string {
  const [sentence = ""] = /^.*?[.:](?= |$)/.exec(summary) ?? [summary];
  return `- [${title}](${path})${sentence === "" ? "" : `: ${sentence.replace(/[.:]$/, "")}`}`;
}

/** Prints all pages as they are written, each below its path. */
export function printFullText(groups: readonly PageGroup[], texts: ReadonlyMap<string, string>): string {
  return groups
    .flatMap(({ pages }) => pages)
    .map(({ path }) => `<!-- ${path} -->\n\n${texts.get(path)?.trim()}\n`)
    .join("\n");
}
