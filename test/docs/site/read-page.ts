import { posix } from "node:path";
import { Marked, Renderer, type Token, type Tokens } from "marked";
import { createSlugs } from "./slugs.ts";

/** A heading with the text below it, for the search. */
export interface Section {
  /** Within the page; empty for the page's title. */
  readonly anchor: string;
  readonly title: string;
  readonly depth: number;
  readonly text: string;
}

/** A link or picture to something in the checkout. */
export interface Target {
  /** As it is written. */
  readonly href: string;
  /** The file, from the root of the checkout. */
  readonly path: string;
  readonly anchor: string;
}

/** A page of the checkout, as a part of the site. */
export interface Page {
  /** From the root of the checkout. */
  readonly path: string;
  /** From the root of the site. */
  readonly address: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly summary: string;
  readonly html: string;
  readonly sections: readonly Section[];
  readonly targets: readonly Target[];
  /** Links of which a reader could not say where they lead. */
  readonly problems: readonly string[];
}

/** The address of a file: pages become HTML, and files without an ending texts. */
export function addressOf(path: string): string {
  if (path.endsWith(".md")) return path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
  return posix.extname(path) === "" ? `${path}.txt` : path;
}

/** Reads a page of Markdown. HTML in it is shown as it is written, like any other text; comments are not shown. */
export function readPage(path: string, markdown: string): Page {
  const targets: Target[] = [];
  const problems: string[] = [];
  const sections: Section[] = [];
  const slug = createSlugs();
  const here = posix.dirname(path);

  const follow = (href: string): string => {
    if (/^(?:https?|mailto):/.test(href)) return href;
    if (/^[a-z][\w+.-]*:/i.test(href) || href.startsWith("/")) problems.push(`${href} leads out of the site`);
    const [file = "", anchor = ""] = href.split("#");
    const target = file === "" ? path : posix.join(here, decodeURI(file));
    targets.push({ href, path: target, anchor });
    const address = file === "" ? "" : posix.relative(here, addressOf(target));
    return `${address}${anchor === "" ? "" : `#${anchor}`}`;
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = unescapeHtml(this.parser.parseInline(tokens, this.parser.textRenderer));
        const anchor = slug(title);
        sections.push({ anchor: depth === 1 ? "" : anchor, title, depth, text: "" });
        const link = depth === 1 ? "" : ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
      },
      html: ({ text }) => escapeHtml(withoutComments(text)),
      link({ href, tokens }) {
        return `<a href="${escapeHtml(follow(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }) => `<img src="${escapeHtml(follow(href))}" alt="${escapeHtml(text)}" loading="lazy">`,
      table(token) {
        return `<div class="wide" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  // What scrolls can be reached by keyboard.
  const html = marked.parser(tokens).replaceAll("<pre>", '<pre tabindex="0">');
  const title = sections[0]?.title ?? path;
  const first = tokens.find(({ type, raw }) => type === "paragraph" && !datePattern.test(raw));
  return {
    path,
    address: addressOf(path),
    title,
    summary: first === undefined ? "" : plainText(first),
    html,
    sections: fillSections(sections, tokens),
    targets,
    problems,
  };
}

/** The line of a decision that says since when it holds. */
const datePattern = /^\*[^*]+\*\s*$/;

function withoutComments(html: string): string {
  return html.replace(/<!--[\s\S]*?-->/g, "");
}

/** Gives each section the text up to the next heading. */
function fillSections(sections: readonly Section[], tokens: readonly Token[]): readonly Section[] {
  const texts: string[][] = [];
  for (const token of tokens) {
    if (token.type === "heading") texts.push([]);
    else texts.at(-1)?.push(plainText(token));
  }
  return sections.map((section, index) => ({ ...section, text: texts[index]?.join(" ").trim() ?? "" }));
}

/** The words of a token, without marks. */
function plainText(token: Token): string {
  if (token.type === "space" || token.type === "hr") return "";
  if (token.type === "html") return withoutComments(token.raw);
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    const lines = [header, ...rows].map((cells) => cells.map((cell) => joinTexts(cell.tokens)).join(" · "));
    return lines.join(" ");
  }
  if (token.type === "list") return (token as Tokens.List).items.map(({ tokens }) => joinTexts(tokens, " ")).join(" ");
  const { tokens, text = "" } = token as { readonly tokens?: readonly Token[]; readonly text?: string };
  return tokens === undefined ? text.replace(/\s+/g, " ") : joinTexts(tokens);
}

function joinTexts(tokens: readonly Token[], between = ""): string {
  return tokens.map(plainText).join(between);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

function unescapeHtml(text: string): string {
  return Object.entries(entities).reduceRight((plain, [sign, entity]) => plain.replaceAll(entity, sign), text);
}
