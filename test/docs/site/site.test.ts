import { describe, expect, it } from "vitest";
import { type IndexedSection, search } from "./browser/search.ts";
import { buildSite, type Site } from "./build-site.ts";
import { readCheckout } from "./read-checkout.ts";
import { createSlugs } from "./slugs.ts";

const build = (pages: Readonly<Record<string, string>>, files: readonly string[] = []): Site =>
  buildSite({ pages: new Map(Object.entries(pages)), hasFile: (path) => files.includes(path) });

it("no link of any page is dead, and the navigation leads to every page", () => {
  expect(buildSite(readCheckout()).problems).toEqual([]);
});

it("anchors are those of GitHub", () => {
  const slug = createSlugs();
  expect(["A `code`, and: more!", "_under_score", "Über ÄÖ", "a--b", "Twice", "Twice", "Twice", ""].map(slug)).toEqual([
    ...["a-code-and-more", "_under_score", "über-äö", "a--b", "twice", "twice-1", "twice-2", ""],
  ]);
});

describe("links", () => {
  it("lead to pages, files and headings by addresses that need no server", () => {
    const site = build(
      {
        "README.md":
          "# R\n\n[a](docs/api.md#one--two) [l](LICENSE) [d](docs/decisions/README.md) [x](https://example.com/?a=1&b)",
        "docs/api.md": "# A\n\n## One & two\n\n[up](../README.md) [here](#one--two) ![p](pictures/p.png)",
        "docs/decisions/README.md": "# D\n\n[other](../api.md)",
      },
      ["LICENSE", "docs/pictures/p.png"],
    );
    expect(site.problems).toEqual([]);
    const hrefs = [...site.texts]
      .filter(([address]) => address.endsWith(".html"))
      .map(([address, html]) => {
        const [, main = ""] = html.split("<main");
        return [address, ...[...main.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => href)];
      });
    expect(hrefs).toEqual([
      [
        "index.html",
        "docs/api.html#one--two",
        "LICENSE.txt",
        "docs/decisions/index.html",
        "https://example.com/?a=1&amp;b",
      ],
      ["docs/api.html", "#one--two", "../index.html", "#one--two", "pictures/p.png"],
      ["docs/decisions/index.html", "../api.html"],
    ]);
    expect(site.texts.get("docs/decisions/index.html")).toContain('href="../../site.css"');
    expect(site.copies.get("LICENSE")).toBe("LICENSE.txt");
  });

  it.each([
    ["a page that is not there", "[a](docs/none.md)", "docs/none.md leads to no file"],
    ["a file that is not there", "![a](none.png)", "none.png leads to no file"],
    ["a heading that is not there", "[a](#none)", "#none leads to no heading"],
    ["a heading of another page", "[a](docs/api.md#none)", "docs/api.md#none leads to no heading"],
    ["a script", "[a](javascript:alert(1))", "javascript:alert(1) leads out of the site"],
    ["a path of the server", "[a](/etc/passwd)", "/etc/passwd leads out of the site"],
  ])("to %s are problems", (_, text, problem) => {
    const { problems } = build({ "README.md": `# R\n\n${text}`, "docs/api.md": "# A" });
    expect(problems).toContain(`README.md: ${problem}`);
  });

  it("have to lead to every page", () => {
    expect(build({ "docs/new.md": "# New" }).problems).toEqual([
      "docs/new.md is in no group of the navigation (test/docs/site/page-groups.ts)",
    ]);
  });
});

it("HTML in a page is text, and so is the end of a script", () => {
  const text = "# <b>T</b>\n\n<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> b <!-- not shown -->";
  const { texts } = build({ "README.md": text });
  const html = texts.get("index.html") ?? "";
  expect(html).not.toMatch(/<script>|<img|<b>|not shown/);
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(texts.get("search-index.js")).not.toContain("<");
});

it("llms.txt has every page with its first sentence, and llms-full.txt their texts", () => {
  const { texts } = build({
    "README.md": "# Logweir\n\n**SQL** over logs. More.",
    "docs/api.md": "# HTTP API\n\nAnswers are `JSON`. More.",
    "docs/decisions/rooms.md": "# Rooms\n\n*Accepted, 2026-11-22.*\n\nThe code has rooms: many.",
  });
  expect(texts.get("llms.txt")).toBe(`# Logweir

> SQL over logs. More.

All pages in one file: [llms-full.txt](llms-full.txt)

## Begin

- [Logweir](README.md): SQL over logs

## Ask

- [HTTP API](docs/api.md): Answers are JSON

## Decisions

- [Rooms](docs/decisions/rooms.md): The code has rooms
`);
  expect(texts.get("llms-full.txt")).toContain("<!-- docs/api.md -->\n\n# HTTP API\n\nAnswers are `JSON`. More.\n");
});

describe("the search", () => {
  const section = (title: string, text: string): IndexedSection => ({ page: "Page", title, href: "x.html", text });
  const titles = (index: readonly IndexedSection[], typed: string) => search(index, typed).map(({ title }) => title);

  it("finds sections with all words, titles and whole words first", () => {
    const index = [
      section("Other", "the tokens of a caller, and a key"),
      section("Text", "a token and a key"),
      section("A token", "and its key"),
      section("None", "a token"),
    ];
    expect(titles(index, "Token  KEY")).toEqual(["A token", "Text", "Other"]);
    expect(titles(index, "page none")).toEqual(["None"]);
    expect(titles(index, " ")).toEqual([]);
    expect(titles(index, "(.*")).toEqual([]);
  });

  it("shows the text around the first word", () => {
    const [found] = search([section("S", `${"before ".repeat(40)}needle ${"after ".repeat(40)}`)], "needle");
    expect(found?.excerpt).toMatch(/^… (?:before )+needle (?:after )+.* …$/);
    expect(found?.excerpt.length).toBeLessThan(180);
  });

  it("finds in the pages what people look for", () => {
    const script = buildSite(readCheckout()).texts.get("search-index.js") ?? "";
    const index = JSON.parse(script.slice("window.searchIndex = ".length, -2)) as IndexedSection[];
    const [first] = search(index, "retention");
    expect(first?.href).toMatch(/^docs\/.*retention/);
    expect(search(index, "LOGWEIR_MAX_STORE_MB").map(({ page }) => page)).toContain("Configuration");
  });
});
