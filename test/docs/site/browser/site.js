import { search, wordsOf } from "./search.ts";

const form = document.querySelector(".search");
const input = form.querySelector("input");
const list = form.querySelector("ol");
const { root } = document.documentElement.dataset;
let loading;
let chosen = -1;

/** A script, since a page that was opened from a folder may not fetch. */
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.onload = () => resolve(window.searchIndex);
    script.onerror = () => reject(new Error("The index of the search cannot be read"));
    document.head.append(script);
  });
  return loading;
}

/** Shows a text with the words marked. */
function marked(text, words) {
  const parts = [];
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\p{L}\p{N}\s]/gu, "\\$&")).join("|")})`, "giu");
  for (const [at, part] of text.split(pattern).entries()) {
    if (at % 2 === 0) {
      parts.push(part);
      continue;
    }
    const mark = document.createElement("mark");
    mark.textContent = part;
    parts.push(mark);
  }
  return parts;
}

function itemOf({ page, title, href, excerpt }, number, words) {
  const item = document.createElement("li");
  item.role = "none";
  const link = document.createElement("a");
  link.role = "option";
  link.id = `found-${number}`;
  link.href = root + href;
  link.tabIndex = -1;
  const head = document.createElement("strong");
  head.append(...marked(title, words));
  const from = document.createElement("small");
  from.textContent = title === page ? "" : page;
  const text = document.createElement("p");
  text.append(...marked(excerpt, words));
  link.append(head, " ", from, text);
  item.append(link);
  return item;
}

function choose(number) {
  const items = [...list.querySelectorAll("[role=option]")];
  chosen = items.length === 0 ? -1 : (number + items.length) % items.length;
  for (const [at, item] of items.entries()) item.ariaSelected = String(at === chosen);
  if (chosen < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", `found-${chosen}`);
  items[chosen]?.scrollIntoView({ block: "nearest" });
}

function show(isShown) {
  list.hidden = !isShown;
  input.ariaExpanded = String(isShown);
}

async function find() {
  const typed = input.value;
  const words = wordsOf(typed);
  if (words.length === 0) {
    show(false);
    return;
  }
  let found = [];
  let problem = "Nothing was found.";
  try {
    found = search(await loadIndex(), typed);
  } catch (error) {
    problem = error.message;
  }
  // Something else was typed meanwhile.
  if (input.value !== typed) return;
  const items = found.map((each, number) => itemOf(each, number, words));
  if (items.length === 0) {
    const none = document.createElement("li");
    none.textContent = problem;
    items.push(none);
  }
  list.replaceChildren(...items);
  show(true);
  choose(0);
}

input.addEventListener("focus", () => void loadIndex().catch(() => undefined), { once: true });
input.addEventListener("input", find);
input.addEventListener("focus", find);
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Escape") show(false);
  else return;
  event.preventDefault();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("[aria-selected=true]")?.click();
});
list.addEventListener("click", () => show(false));
document.addEventListener("click", ({ target }) => {
  if (!form.contains(target)) show(false);
});
document.addEventListener("keydown", (event) => {
  const isTyped = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
  if (event.key !== "/" || isTyped) return;
  event.preventDefault();
  input.focus();
});

// On a narrow screen the pages come before the text: closed.
const pages = document.querySelector(".pages");
const narrow = window.matchMedia("(max-width: 800px)");
const fold = () => {
  pages.open = !narrow.matches;
};
narrow.addEventListener("change", fold);
fold();
pages.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
