/** The content of a template, read once for each call site: nodes, and nodes with holes for those that come. */
import { column, digits, type InnerKind, inner, literal, placeholder, Sql, words } from "./node.ts";

/** How an engine's templates are read. */
export interface Dialect {
  /** Facts of a call of the function, beside those of its arguments. */
  callFacts(name: string): number;
  /** The quote of a name. */
  readonly nameQuote: '"' | "`";
  /** Backslashes escape characters in a literal; otherwise they stand for themselves, and a doubled quote for one. */
  readonly hasBackslashes: boolean;
  /** A lambda is `lambda x: body`, or `x -> body`. */
  readonly lambda: "word" | "arrow";
}

/** A node, the number of a hole, or a node that has holes below it. */
export type Shape = Sql | number | InnerShape;

/** A node that is made each time; with a `callee`, the call of the function whose name that hole has. */
export interface InnerShape {
  readonly kind: InnerKind;
  readonly token: string;
  /** The facts of the call, and of the children that are known. */
  readonly facts: number;
  readonly children: readonly Shape[];
  /** Which children are not known before the template is used. */
  readonly dynamic: readonly number[];
  readonly callee: number | undefined;
  /** Stands in brackets, which take a list's nodes for their own. */
  readonly isBracket: boolean;
}

type TokenKind = "space" | "literal" | "word" | "number" | "placeholder" | "open" | "close" | "sign" | "hole" | "end";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KINDS = ["space", "literal", "word", "number", "placeholder", "open", "close", "sign"] as const;

function tokenPattern({ nameQuote: q, hasBackslashes }: Dialect): RegExp {
  const literalText = hasBackslashes ? "'(?:[^'\\\\]|\\\\[\\s\\S])*'" : "'(?:[^']|'')*'";
  const name = `(?:[A-Za-z_]\\w*|${q}(?:[^${q}]|${q}${q})*${q})`;
  const sign = "->|::|:=|[^\\s'\"`\\w]";
  return new RegExp(
    `(\\s+)|(${literalText})|(${name}(?:\\.${name})*)|(\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?)|(\\$\\d+)|([([{])|([)\\]}])|(${sign})`,
    "y",
  );
}

function tokenize(strings: readonly string[], dialect: Dialect): readonly Token[] {
  const pattern = tokenPattern(dialect);
  const tokens: Token[] = [];
  strings.forEach((text, hole) => {
    if (hole > 0) tokens.push({ kind: "hole", text: String(hole - 1) });
    pattern.lastIndex = 0;
    while (pattern.lastIndex < text.length) {
      const groups = pattern.exec(text)?.slice(1);
      if (groups === undefined) throw new Error(`No SQL: ${text}`);
      const at = groups.findIndex((group) => group !== undefined);
      tokens.push({ kind: KINDS[at] ?? "sign", text: groups[at] ?? "" });
    }
  });
  return tokens;
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", "\\": "\\", "'": "'" };

function unquote(text: string, { hasBackslashes }: Dialect): string {
  const inside = text.slice(1, -1);
  if (!hasBackslashes) return inside.replaceAll("''", "'");
  return inside.replace(/\\([\s\S])/g, (found, character: string) => ESCAPED[character] ?? found);
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const BRACKETS: Readonly<Record<string, InnerKind>> = { "(": "group", "[": "list", "{": "struct" };
const CASTS: ReadonlySet<string> = new Set(["CAST", "TRY_CAST"]);
/** Words in lower case that name no column or variable. */
const KEYWORDS: ReadonlySet<string> = new Set(["true", "false"]);
const END: Token = { kind: "end", text: "" };

/** Without the line breaks around a template of several lines. */
function trimLines(strings: readonly string[]): readonly string[] {
  const trimmed = [...strings];
  trimmed[0] = (trimmed[0] ?? "").replace(/^\n\s*/, "");
  trimmed[trimmed.length - 1] = (trimmed.at(-1) ?? "").replace(/\n\s*$/, "");
  return trimmed;
}

/** The shape of a template with these texts between its holes. Throws where brackets or quotes do not close. */
export function readTemplate(strings: readonly string[], dialect: Dialect): Shape {
  const reader = new Reader(tokenize(trimLines(strings), dialect), dialect);
  const items = reader.readItems(undefined, false);
  if (!reader.isAtEnd) throw new Error(`SQL with brackets that do not open: ${strings.join("\u2026")}`);
  return items.length === 1 ? (items[0] as Shape) : shapeOf("sequence", ", ", items, dialect);
}

/** The node of the kind; where something in it is to come, its shape. */
export function shapeOf(
  kind: InnerKind,
  token: string,
  children: readonly Shape[],
  dialect: Dialect,
  callee?: number,
): Sql | InnerShape {
  const dynamic = children.flatMap((child, at) => (child instanceof Sql ? [] : [at]));
  let facts = kind === "call" && callee === undefined ? dialect.callFacts(token) : 0;
  if (callee === undefined && dynamic.length === 0) return inner(kind, token, children as readonly Sql[], facts);
  for (const child of children) if (child instanceof Sql) facts |= child.facts;
  const isBracket = kind === "group" || kind === "list" || kind === "struct" || kind === "call";
  return { kind, token, facts, children, dynamic, callee, isBracket };
}

/** Reads the tokens of one template. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #dialect: Dialect;
  #at = 0;

  constructor(tokens: readonly Token[], dialect: Dialect) {
    this.#tokens = tokens;
    this.#dialect = dialect;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Reads the items between commas up to the bracket, which is passed over, or up to any bracket if none is given. */
  readItems(close: string | undefined, isTrimmed: boolean): readonly Shape[] {
    const items: Shape[] = [];
    if (close !== undefined && this.#skipSpace().text === close) {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#readItem(isTrimmed || items.length > 0, close !== undefined));
      if (this.#peek().text !== "," || this.#peek().kind !== "sign") break;
      this.#at++;
    }
    if (close === undefined) return items;
    if (this.#next().text !== close) throw new Error(`SQL with brackets that do not close: ${this.#text()}`);
    return items;
  }

  #text(): string {
    return this.#tokens.map(({ kind, text }) => (kind === "hole" ? "\u2026" : text)).join("");
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? END;
  }

  #next(): Token {
    return this.#tokens[this.#at++] ?? END;
  }

  #skipSpace(): Token {
    if (this.#peek().kind === "space") this.#at++;
    return this.#peek();
  }

  #shape(kind: InnerKind, token: string, children: readonly Shape[], callee?: number): Shape {
    return shapeOf(kind, token, children, this.#dialect, callee);
  }

  /** Up to the next comma or closing bracket. */
  #readItem(trimsStart: boolean, trimsEnd: boolean): Shape {
    const children: Shape[] = [];
    let text = "";
    const flush = () => {
      if (text !== "") children.push(words(text));
      text = "";
    };
    if (trimsStart) this.#skipSpace();
    for (;;) {
      const { kind, text: own } = this.#peek();
      if (kind === "end" || kind === "close" || (kind === "sign" && own === ",")) break;
      if (kind === "space") text += " ";
      else if (kind === "sign" && own === "->" && this.#dialect.lambda === "arrow") {
        this.#at++;
        const parameters = this.#sequence(children.splice(0));
        text = "";
        children.push(this.#shape("lambda", "", [parameters, this.#readItem(true, trimsEnd)]));
        continue;
      } else {
        const child = this.#readChild(children.length === 0 && text === "", trimsEnd);
        if (typeof child === "string") text += child;
        else {
          flush();
          children.push(child);
        }
        continue;
      }
      this.#at++;
    }
    if (trimsEnd || this.#peek().kind === "sign") text = text.trimEnd();
    flush();
    return this.#sequence(children);
  }

  #sequence(children: readonly Shape[]): Shape {
    return children.length === 1 ? (children[0] as Shape) : this.#shape("sequence", "", children);
  }

  /** The next node; a text where it is words. */
  #readChild(isFirst: boolean, trimsEnd: boolean): Shape | string {
    const { kind, text } = this.#next();
    switch (kind) {
      case "hole":
        return this.#peek().text === "(" ? this.#readCall("", Number(text)) : Number(text);
      case "literal":
        return this.#readLiteral(unquote(text, this.#dialect), isFirst, trimsEnd);
      case "number":
        return /^\d+$/.test(text) ? literal(BigInt(text)) : digits(text);
      case "placeholder":
        return placeholder(Number(text.slice(1)));
      case "open":
        return this.#shape(BRACKETS[text] ?? "group", "", this.readItems(CLOSING[text], true));
      case "word":
        return this.#readWord(text, trimsEnd);
      default:
        return text;
    }
  }

  /** A literal, or the field of a struct that it names. */
  #readLiteral(value: string, isFirst: boolean, trimsEnd: boolean): Shape {
    if (!isFirst || this.#peek().text !== ":") return literal(value);
    this.#at++;
    return this.#shape("field", value, [this.#readItem(true, trimsEnd)]);
  }

  #readWord(word: string, trimsEnd: boolean): Shape | string {
    if (this.#peek().text === "(") return this.#readCall(word);
    if (word === "SELECT") {
      this.#skipSpace();
      const items = this.readItems(undefined, true);
      return this.#shape("query", "", [
        items.length === 1 ? (items[0] as Shape) : this.#shape("sequence", ", ", items),
      ]);
    }
    if (word === "lambda" && this.#dialect.lambda === "word") return this.#readLambda(trimsEnd);
    const isField = [this.#peek().text, this.#peek(1).text].includes(":=");
    return isField || KEYWORDS.has(word) || /^[A-Z]/.test(word) ? word : column(word);
  }

  #readLambda(trimsEnd: boolean): Shape {
    const parameters: Shape[] = [];
    for (let token = this.#skipSpace(); token.text !== ":"; token = this.#skipSpace()) {
      this.#at++;
      if (token.kind === "hole") parameters.push(Number(token.text));
      else if (token.kind === "word") parameters.push(column(token.text));
      else if (token.text !== ",") throw new Error(`No parameter of a lambda: ${this.#text()}`);
    }
    this.#at++;
    const list = parameters.length === 1 ? (parameters[0] as Shape) : this.#shape("sequence", ", ", parameters);
    return this.#shape("lambda", "", [list, this.#readItem(true, trimsEnd)]);
  }

  #readCall(word: string, callee?: number): Shape {
    this.#at++;
    const args = this.readItems(")", true);
    const [only] = args;
    if (word === "TRY") return this.#shape("try", "", args);
    const parts = CASTS.has(word) && args.length === 1 && only !== undefined ? splitCast(only) : undefined;
    if (parts === undefined) return this.#shape("call", word, args, callee);
    return this.#shape(
      "cast",
      word,
      parts.map((part) => this.#sequence(part)),
    );
  }
}

/** The value and the type around AS. */
function splitCast(shape: Shape): readonly (readonly Shape[])[] | undefined {
  if (typeof shape === "number" || shape.kind !== "sequence") return undefined;
  const { children } = shape;
  const at = children.findLastIndex(
    (child) => child instanceof Sql && child.kind === "words" && / AS\b/.test(child.token),
  );
  const found = children[at];
  if (!(found instanceof Sql)) return undefined;
  const [before = "", after = ""] = found.token.split(/ AS ?(?!.* AS\b)/);
  const pieceOf = (text: string) => (text === "" ? [] : [words(text)]);
  return [
    [...children.slice(0, at), ...pieceOf(before)],
    [...pieceOf(after), ...children.slice(at + 1)],
  ];
}
