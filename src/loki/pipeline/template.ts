import { type TemplateValue, templateFunctions, textOfValue } from "./template-functions.ts";

/** The values that a template reads: labels, empty where they are not there, and the line. */
export interface TemplateScope {
  readonly line: string;
  label(name: string): string;
}

/** Renders a text. Throws `Error` where a function cannot work with its arguments. */
export type Template = (scope: TemplateScope) => string;

type Evaluate = (scope: TemplateScope) => TemplateValue;

interface Action {
  /** The text between the braces. */
  readonly text: string;
  readonly keyword: string;
}

/**
 * Parses a template of Go's text/template: labels (`.name`), pipelines, functions, `if`, `else`, `end`. Throws `Error`
 * for what is invalid, and for `range`, `with`, variables and functions that are not there.
 */
export function parseTemplate(source: string): Template {
  const parts = splitTemplate(source);
  let next = 0;
  const parseList = (depth: number): { readonly render: Template; readonly end: Action | undefined } => {
    if (depth > 50) throw new Error("a template nests at most 50 levels");
    const items: Template[] = [];
    for (let part = parts[next++]; part !== undefined; part = parts[next++]) {
      if (typeof part === "string") {
        const text = part;
        items.push(() => text);
        continue;
      }
      const { keyword, text } = part;
      if (keyword === "end" || keyword === "else") return { render: join(items), end: part };
      if (keyword === "if") items.push(parseIf(text.slice(2), depth));
      else if (keyword !== "") throw new Error(`a template's ${keyword} is not supported`);
      else if (text !== "" && !text.startsWith("/*")) items.push(compileText(text));
    }
    return { render: join(items), end: undefined };
  };
  const parseIf = (condition: string, depth: number): Template => {
    const test = compilePipeline(condition);
    const { render, end } = parseList(depth + 1);
    if (end === undefined) throw new Error("a template's if has no end");
    if (end.keyword === "end") return (scope) => (isTrue(test(scope)) ? render(scope) : "");
    const rest = end.text.slice(4).trim();
    const other = rest.startsWith("if") ? parseIf(rest.slice(2), depth + 1) : parseElse(depth);
    return (scope) => (isTrue(test(scope)) ? render(scope) : other(scope));
  };
  const parseElse = (depth: number): Template => {
    const { render, end } = parseList(depth + 1);
    if (end?.keyword !== "end") throw new Error("a template's else has no end");
    return render;
  };
  const { render, end } = parseList(0);
  if (end !== undefined) throw new Error(`a template has an ${end.keyword} without an if`);
  return render;
}

/** The longest text that a template makes. */
const maxCharacters = 100_000;

function join(items: readonly Template[]): Template {
  return (scope) => {
    let text = "";
    for (const item of items) text += item(scope);
    if (text.length > maxCharacters) throw new Error(`a template makes at most ${maxCharacters} characters`);
    return text;
  };
}

function compileText(text: string): Template {
  const evaluate = compilePipeline(text);
  return (scope) => textOfValue(evaluate(scope));
}

/** Texts and actions; `{{-` and `-}}` take the blanks beside them away. */
function splitTemplate(source: string): readonly (string | Action)[] {
  const parts: (string | Action)[] = [];
  let copied = 0;
  let isTrimmed = false;
  const add = (text: string) => {
    const shown = isTrimmed ? text.trimStart() : text;
    if (shown !== "") parts.push(shown);
  };
  for (const found of source.matchAll(/\{\{(-(?=\s))?((?:"(?:[^"\\]|\\.)*"|`[^`]*`|(?!\}\}).)*?)((?<=\s)-)?\}\}/gs)) {
    const [all, trimsBefore, inner = "", trimsAfter] = found;
    const before = source.slice(copied, found.index);
    add(trimsBefore === undefined ? before : before.trimEnd());
    const text = inner.trim();
    const keyword = /^(if|else|end|range|with|define|template|block|break|continue)\b/.exec(text)?.[1] ?? "";
    parts.push({ text, keyword });
    copied = found.index + all.length;
    isTrimmed = trimsAfter !== undefined;
  }
  const rest = source.slice(copied);
  if (rest.includes("{{")) throw new Error("a template has a {{ that is not closed");
  add(rest);
  return parts;
}

function isTrue(value: TemplateValue): boolean {
  return typeof value === "object" ? value.float !== 0 : value !== "" && value !== 0 && value !== false;
}

const tokenPattern = /\s+|("(?:[^"\\]|\\.)*"|`[^`]*`)|(-?\d+(?:\.\d+)?)|(\.[A-Za-z_]\w*)|([A-Za-z_]\w*)|([()|])|(.)/gs;

interface TemplateToken {
  readonly kind: "text" | "number" | "label" | "name" | "symbol";
  readonly text: string;
}

function scan(source: string): readonly TemplateToken[] {
  const tokens: TemplateToken[] = [];
  for (const [, text, number, label, name, symbol, other] of source.matchAll(tokenPattern)) {
    if (text !== undefined) tokens.push({ kind: "text", text: unquote(text) });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (label !== undefined) tokens.push({ kind: "label", text: label.slice(1) });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol });
    else if (other !== undefined) throw new Error(`a template's ${other} is not supported`);
  }
  return tokens;
}

function unquote(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1) : (JSON.parse(text) as string);
}

function compilePipeline(source: string): Evaluate {
  const tokens = scan(source);
  let next = 0;
  const isAt = (symbol: string) => tokens[next]?.kind === "symbol" && tokens[next]?.text === symbol;
  const parsePipe = (): Evaluate => {
    let value = parseCommand(undefined);
    while (isAt("|")) {
      next++;
      value = parseCommand(value);
    }
    return value;
  };
  const parseCommand = (piped: Evaluate | undefined): Evaluate => {
    const first = tokens[next];
    if (first === undefined) throw new Error("a template's action is empty");
    if (first.kind !== "name" || first.text === "true" || first.text === "false") {
      if (piped !== undefined) throw new Error(`a template's ${first.text} is no function`);
      return parseOperand();
    }
    next++;
    const run = Object.hasOwn(templateFunctions, first.text) ? templateFunctions[first.text] : undefined;
    const isLine = first.text === "__line__";
    if (run === undefined && !isLine) throw new Error(`a template's function ${first.text} is not supported`);
    const args: Evaluate[] = [];
    while (next < tokens.length && !isAt(")") && !isAt("|")) args.push(parseOperand());
    if (piped !== undefined) args.push(piped);
    if (run === undefined) return (scope) => scope.line;
    return (scope) => run(...args.map((each) => each(scope)));
  };
  const parseOperand = (): Evaluate => {
    const token = tokens[next++];
    if (token === undefined) throw new Error("a template ends too early");
    const { kind, text } = token;
    if (kind === "text") return () => text;
    if (kind === "number") {
      const value = text.includes(".") ? { float: Number(text) } : Number(text);
      return () => value;
    }
    if (kind === "label") return (scope) => scope.label(text);
    if (text === "true" || text === "false") return () => text === "true";
    if (text === "(") {
      const inner = parsePipe();
      if (!isAt(")")) throw new Error("a template has a ( that is not closed");
      next++;
      return inner;
    }
    if (text === "__line__") return (scope) => scope.line;
    const run = Object.hasOwn(templateFunctions, text) ? templateFunctions[text] : undefined;
    if (run === undefined) throw new Error(`a template's ${text} is not supported here`);
    return () => run();
  };
  const evaluate = parsePipe();
  if (next < tokens.length) throw new Error(`a template's ${tokens[next]?.text} is not expected here`);
  return evaluate;
}
