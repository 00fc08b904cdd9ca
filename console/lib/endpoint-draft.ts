/** Makes a saved query out of what was typed in Explore: with the tables that it reads, and literals as parameters. */

interface Token {
  readonly kind: "word" | "literal" | "number" | "symbol";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Words, literals, numbers and symbols of GoogleSQL; comments and blanks are left out. */
const tokenPattern = new RegExp(
  [
    String.raw`(?<skipped>\s+|--[^\n]*|#[^\n]*|/\*[\s\S]*?\*/)`,
    String.raw`(?<literal>(?:[rRbB]{1,2})?(?:'''[\s\S]*?'''|"""[\s\S]*?"""|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))`,
    String.raw`(?<word>\x60(?:\\.|[^\x60\\])*\x60|[A-Za-z_]\w*)`,
    String.raw`(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`,
    String.raw`(?<symbol>[<>!]=|<>|\|>|[\s\S])`,
  ].join("|"),
  "gu",
);

function readTokens(sql: string): readonly Token[] {
  return [...sql.matchAll(tokenPattern)].flatMap(({ 0: text, index: start, groups = {} }) => {
    const kind = (["word", "literal", "number", "symbol"] as const).find((each) => groups[each] !== undefined);
    return kind === undefined ? [] : [{ kind, text, start, end: start + text.length }];
  });
}

const isWord = (token: Token | undefined, word: string) => token?.kind === "word" && token.text.toUpperCase() === word;

/** Depth in parentheses of each token. */
function depthsOf(tokens: readonly Token[]): readonly number[] {
  let depth = 0;
  return tokens.map(({ text }) => {
    if (text === ")") depth--;
    const own = depth;
    if (text === "(") depth++;
    return own;
  });
}

interface WithClause {
  /** Its entries, without the word WITH. */
  readonly entries: string;
  readonly isRecursive: boolean;
  /** The query after it. */
  readonly body: string;
}

/** Undefined for a query without WITH. */
function readWith(sql: string): WithClause | undefined {
  const tokens = readTokens(sql);
  if (!isWord(tokens[0], "WITH")) return undefined;
  const isRecursive = isWord(tokens[1], "RECURSIVE");
  const depths = depthsOf(tokens);
  const from = isRecursive ? 2 : 1;
  // An entry ends with a parenthesis; what is no comma behind it begins the query.
  const last = tokens.findIndex((token, at) => {
    return at > from && depths[at] === 0 && token.text === ")" && tokens[at + 1]?.text !== ",";
  });
  const [first, end] = [tokens[from], tokens[last]];
  if (first === undefined || end === undefined) return undefined;
  return { entries: sql.slice(first.start, end.end), isRecursive, body: sql.slice(end.end).trim() };
}

/** The query with the tables that the WITH clause of another defines. */
export function withTables(saved: string, query: string): string {
  const tables = readWith(saved);
  if (tables === undefined) return query;
  const own = readWith(query);
  const entries = own === undefined ? tables.entries : `${tables.entries},\n  ${own.entries}`;
  const isRecursive = tables.isRecursive || own?.isRecursive === true;
  return `WITH${isRecursive ? " RECURSIVE" : ""}\n  ${entries}\n${own?.body ?? query.trim()}`;
}

/** A literal that callers could choose instead. */
export interface Proposal {
  readonly name: string;
  readonly type: "string" | "int64" | "float64" | "timestamp";
  /** As it stands in the text. */
  readonly literal: string;
  readonly start: number;
  readonly end: number;
}

const comparisons: ReadonlySet<string> = new Set(["=", "!=", "<>", "<", "<=", ">", ">="]);
const reserved = /^(?:api_key|sql|lql|cursor|limit|offset|format|tenant)$/;

/** Literals that are compared with a column, named by it; names in `taken` are used by none. */
export function proposeParameters(sql: string, taken: readonly string[] = []): readonly Proposal[] {
  const tokens = readTokens(sql);
  const names = new Set(taken);
  return tokens.flatMap((token, at): readonly Proposal[] => {
    const [column, operator] = [tokens[at - 2], tokens[at - 1]];
    const isCompared = comparisons.has(operator?.text ?? "") || isWord(operator, "LIKE");
    if (!isCompared || column?.kind !== "word" || !(token.kind === "literal" || token.kind === "number")) return [];
    if (!isFree(tokens[at + 1])) return [];
    const plain = column.text
      .replaceAll(/\W/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .toLowerCase();
    const base = plain === "" || reserved.test(plain) || /^\d/.test(plain) ? `p_${plain || "value"}` : plain;
    let name = base;
    for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
    names.add(name);
    return [{ name, type: typeOf(token, base), literal: token.text, start: token.start, end: token.end }];
  });
}

/** Whether an operand ends before the token: not so in `a = 1 + b`. */
function isFree(next: Token | undefined): boolean {
  return next === undefined || next.kind === "word" || [")", ",", ";", "|>"].includes(next.text);
}

function typeOf({ kind, text }: Token, name: string): Proposal["type"] {
  if (kind === "number") return /^\d+$/.test(text) ? "int64" : "float64";
  return /time/.test(name) && /^['"]\d{4}-\d\d-\d\d/.test(text) ? "timestamp" : "string";
}

/** The text with parameters where the proposals' literals stand. */
export function applyProposals(sql: string, proposals: readonly Proposal[]): string {
  return [...proposals]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { name, start, end }) => `${text.slice(0, start)}@${name}${text.slice(end)}`, sql);
}

/** The value of a literal, as a default of its parameter; undefined where it cannot be determined from the text. */
export function literalValue({ type, literal }: Proposal): string | number | undefined {
  if (type === "int64" || type === "float64") return Number(literal);
  const [, , text] = /^(['"])([^\\]*)\1$/.exec(literal) ?? [];
  return text;
}

/** An endpoint as a file of the folder `endpoints`: a header in YAML, of which JSON is a part, and the query. */
export function writeEndpointFile(id: string, document: Readonly<Record<string, unknown>>): string {
  const { query, ...header } = document;
  const lines = Object.entries({ id, ...header })
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `/*---\n${lines.join("\n").replaceAll("*/", "*\\u002f")}\n---*/\n${String(query).trim()}\n`;
}

/** A random UUID. The browser's own function exists only on pages that came by https. */
export function createUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20)].join(
    "-",
  );
}
