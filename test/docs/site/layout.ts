import { posix } from "node:path";
import type { PageGroup } from "./page-groups.ts";
import { escapeHtml, type Page } from "./read-page.ts";

/** Prints a page of the site. Every address in it is relative: it works from a folder as from any path of a server. */
export function printLayout(page: Page, groups: readonly PageGroup[]): string {
  const root = posix.relative(posix.dirname(page.address), ".") || ".";
  const name = page.path === "README.md" ? "Logweir" : `${page.title} · Logweir`;
  return `<!doctype html>
<html lang="en" data-root="${root}/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<meta name="description" content="${escapeHtml(page.summary.slice(0, 200))}">
<link rel="stylesheet" href="${root}/site.css">
<script src="${root}/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${root}/index.html">Logweir</a>
<form class="search" role="search">
<input type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found">
<ol id="found" role="listbox" aria-label="Found" hidden></ol>
</form>
</header>
<div class="columns">
<details class="pages" open><summary>Pages</summary>
<nav aria-label="Pages">
${groups.map((group) => printGroup(group, page, root)).join("\n")}
</nav>
</details>
<main id="content">
${page.html}</main>
${printContents(page)}
</div>
</body>
</html>
`;
}

function printGroup({ title, pages }: PageGroup, current: Page, root: string): string {
  const items = pages.map((page) => {
    const mark = page.path === current.path ? ' aria-current="page"' : "";
    return `<li><a href="${root}/${page.address}"${mark}>${escapeHtml(page.title)}</a></li>`;
  });
  const list = `<ul>\n${items.join("\n")}\n</ul>`;
  if (title !== "Decisions") return `<h2>${title}</h2>\n${list}`;
  const isOpen = pages.includes(current) ? " open" : "";
  return `<details${isOpen}><summary>${title}</summary>\n${list}</details>`;
}

function printContents({ sections }: Page): string {
  const headings = sections.filter(({ depth }) => depth === 2);
  if (headings.length < 2) return "";
  const items = headings.map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
  return `<aside><nav aria-label="On this page"><h2>On this page</h2>\n<ul>\n${items.join("\n")}\n</ul></nav></aside>`;
}
