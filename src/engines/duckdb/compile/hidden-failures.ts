/**
 * Failures that DuckDB does not see. What cannot fail, to its knowledge, it computes over the whole dictionary of a
 * segment, with the values of rows that the query leaves out: an error would tell such a value, and TRY would give
 * NULL for values that are fine. It knows which of its own functions can fail, but for a few; it knows nothing of
 * ours, nor of what stands in a lambda. So all printed SQL passes here, and what can fail unseen is written so that
 * it never runs over a dictionary:
 *
 * - A JavaScript function that can fail takes one struct of its arguments: a struct has no dictionary. Called with
 *   the arguments
 *   themselves it does not exist, so that no way around this remains.
 * - A lambda whose body can fail, and DuckDB's functions that fail unseen, run over a list of one struct.
 *
 * And what is a macro to DuckDB stands in `coalesce` of itself alone, which costs nothing: a macro loses the name of
 * the struct's field that it stands for where it reads columns of a query around.
 */
import { canFail, packedFields } from "../../../semantics/can-fail.ts";
import { scalarFunctions } from "../../../semantics/index.ts";

/**
 * DuckDB's functions that can fail without its knowledge, with the argument that makes them: patterns that are no
 * literals.
 */
const HIDDEN_FAILURES: ReadonlyMap<string, number> = new Map([
  ["like_escape", 1],
  ["regexp_extract_all", 1],
  ["regexp_full_match", 1],
  ["regexp_replace", 1],
]);

/** The functions of DuckDB that our lambdas call and that fail for no value. */
const NATIVE_WITHOUT_FAILURE = `
coalesce concat contains ends_with hex isnan left len length list_contains list_count list_value lower ltrim nullif right rtrim
starts_with strlen struct_extract struct_pack trim upper
`;

/** What DuckDB defines as macros, of the functions that are printed. */
export const MACROS: ReadonlySet<string> = new Set(
  (
    "array_to_string list_any_value list_bool_or list_count list_max list_min list_reverse md5_number_lower nullif " +
    "split_part"
  ).split(" "),
);

const packedFunctions: ReadonlySet<string> = new Set(scalarFunctions.filter(canFail).map(({ name }) => name));
const totalFunctions: ReadonlySet<string> = new Set([
  ...NATIVE_WITHOUT_FAILURE.trim().split(/\s+/),
  ...scalarFunctions.filter((udf) => !canFail(udf)).map(({ name }) => name),
]);

/**
 * What the compiler has looked at. A parameter it has not: `LIKE @p` may fail for some values, if the pattern ends
 * with a backslash.
 */
const LITERAL = /^(?:'(?:[^']|'')*'|-?\d+)$/;
/** A field of what `computeOnce` binds, which comes from a struct already. */
const STRUCT_FIELD = /^lw_\w+\.a\d+$/;
/** The calls that are rewritten, or that must be known around those. */
const subjects: ReadonlySet<string> = new Set([
  "TRY",
  "list_transform",
  "list_filter",
  ...packedFunctions,
  ...HIDDEN_FAILURES.keys(),
  ...MACROS,
]);

/**
 * What is read of a statement, beside strings and quoted names, which hold none of it: around all calls that are looked
 * at, these; within one also other calls, brackets and commas; and within a lambda's also words and operators that can
 * overflow.
 */
const CALLS = new RegExp(
  `'[^']*'|"[^"]*"|(?:lw_\\w+|${[...subjects].filter((name) => !name.startsWith("lw_")).join("|")})\\(`,
  "g",
);
const BRACKETS = new RegExp(`${CALLS.source}|[()[\\]{},]`, "g");
const TOKENS = /'[^']*'|"[^"]*"|[A-Za-z_]\w*\(?|[()[\]{},]|::|[-+*/%]/g;

/** Words in lower case that name no column or variable. */
const KEYWORDS: ReadonlySet<string> = new Set(["true", "false", "lambda"]);

/** A call that is being read: what stands between its brackets. */
interface Frame {
  readonly name: string;
  /** Its first argument is a struct, or a list of one. */
  readonly hasStruct: boolean;
  readonly args: string[];
  /** Of the argument that is being read. */
  text: string;
  /** Brackets open within. */
  depth: number;
  /** Something within can fail; noted where `notesAll`. */
  isFallible: boolean;
  /** Stands within TRY, which takes nothing volatile. */
  readonly isTried: boolean;
  /** Stands within a lambda whose form depends on what it reads and on what can fail in it. */
  readonly isWithin: boolean;
  /** So does this one's, or it stands within such. */
  notesAll: boolean;
  /** The columns and variables that are read within; those of the first argument apart, once it has ended. */
  reads: Set<string> | undefined;
  listReads: ReadonlySet<string> | undefined;
}

function openFrame(name: string, hasStruct: boolean, parent: Frame | undefined): Frame {
  const isWithin = parent?.notesAll === true;
  return {
    name,
    hasStruct,
    args: [],
    text: "",
    depth: 0,
    isFallible: false,
    isTried: name === "TRY" || parent?.isTried === true,
    isWithin,
    notesAll: isWithin || isLambdaFunction(name),
    reads: undefined,
    listReads: undefined,
  };
}

function isLambdaFunction(name: string): boolean {
  return name === "list_transform" || name === "list_filter";
}

/** `body` over a list of one struct of the values. */
function overStruct(values: readonly string[], variable: string, body: string): string {
  return `list_transform([${packedFields(values)}], lambda ${variable}: ${body})[1]`;
}

/** What the call reads from around it: not the parameters of its own lambda. */
function readsAround({ name, args, reads, listReads }: Frame): readonly string[] {
  const parameters = isLambdaFunction(name) ? /^lambda (\w+(?:, *\w+)*):/.exec(args.slice(1).join(", ")) : null;
  const own = parameters?.[1]?.split(/, */) ?? [];
  return [...(listReads ?? []), ...[...(reads ?? [])].filter((read) => !own.includes(read))];
}

/**
 * A lambda that can fail. Over a constant list, a column that its body reads would come with its dictionary; what is
 * volatile has none.
 */
function printLambda(frame: Frame, variable: string): string {
  const { name, args, isFallible, hasStruct, listReads, isTried } = frame;
  if (!isFallible) return `${name}(${args.join(", ")})`;
  const [list = "", ...lambda] = args;
  const isConstantList = listReads === undefined && readsAround(frame).length > 0;
  const isFromStruct = hasStruct || STRUCT_FIELD.test(list);
  if (isFromStruct && !isConstantList) return `${name}(${args.join(", ")})`;
  const values = isConstantList && !isTried ? [list, "random()"] : [list];
  return overStruct(values, variable, `${name}(${variable}.a0, ${lambda.join(", ")})`);
}

/** A function that fails for some values of an argument, which may be a literal. */
function printHidden({ name, args }: Frame, failing: number, variable: string): string {
  const bound = args.filter((arg) => !LITERAL.test(arg));
  const isSafe = LITERAL.test(args[failing] ?? "") || bound.every((arg) => STRUCT_FIELD.test(arg));
  if (isSafe) return `${name}(${args.join(", ")})`;
  const inside = args.map((arg) => (LITERAL.test(arg) ? arg : `${variable}.a${bound.indexOf(arg)}`));
  return overStruct(bound, variable, `${name}(${inside.join(", ")})`);
}

function printCall(frame: Frame, variable: string): string {
  const { name, args, hasStruct } = frame;
  const failing = HIDDEN_FAILURES.get(name);
  if (failing !== undefined) return printHidden(frame, failing, variable);
  if (isLambdaFunction(name)) return printLambda(frame, variable);
  if (MACROS.has(name)) return `coalesce(${name}(${args.join(", ")}))`;
  // Calls that are already guarded stay unchanged.
  const isPacked = !packedFunctions.has(name) || hasStruct;
  return `${name}(${isPacked ? args.join(", ") : packedFields(args)})`;
}

const TEXT_QUOTE = 39;
const OPEN = 40;
const CLOSE = 41;
const COMMA = 44;
const NAME_QUOTE = 34;

function isOpening(code: number): boolean {
  return code === OPEN || code === 91 || code === 123;
}

function isClosing(code: number): boolean {
  return code === CLOSE || code === 93 || code === 125;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95;
}

/** Where the word begins that ends there; `end` where none does. */
function wordStart(sql: string, end: number): number {
  let start = end;
  while (isWordCharacter(sql.charCodeAt(start - 1))) start--;
  while (start < end && isDigit(sql.charCodeAt(start))) start++;
  return start;
}

/** Notes a call that stays unchanged. */
function readOtherCall(frame: Frame, name: string): void {
  frame.depth++;
  if (frame.notesAll && !totalFunctions.has(name)) frame.isFallible = true;
}

/** Notes what a word, a quoted name or an operator that ends there tells of the frame that it stands in. */
function readOther(frame: Frame, sql: string, end: number): void {
  const last = sql.charCodeAt(end - 1);
  const isName = last === NAME_QUOTE;
  if (!isName && !isWordCharacter(last)) {
    frame.isFallible = true;
    return;
  }
  const start = isName ? sql.lastIndexOf('"', end - 2) : wordStart(sql, end);
  const word = sql.slice(start, end);
  const isField = sql[start - 1] === "." || sql.startsWith(" :=", end);
  if (word === "ESCAPE") frame.isFallible = true;
  else if (!isField && !KEYWORDS.has(word) && /^[a-z_"]/.test(word)) noteRead(frame, word);
}

function noteRead(frame: Frame, name: string): void {
  frame.reads ??= new Set();
  frame.reads.add(name);
  // A lambda over a struct that reads a column is safe, whatever it computes.
  if (frame.hasStruct && frame.args.length === 0 && isLambdaFunction(frame.name)) frame.notesAll = frame.isWithin;
}

function endArgument(frame: Frame): void {
  if (frame.args.length === 0) {
    frame.listReads = frame.reads;
    frame.reads = undefined;
  }
  frame.args.push(frame.text);
  frame.text = "";
}

/** Writes the call that has ended into the frame around it. */
function closeCall(call: Frame, around: Frame, variable: string): void {
  around.text += printCall(call, variable);
  if (!around.notesAll) return;
  const isTotal = isLambdaFunction(call.name) || totalFunctions.has(call.name);
  around.isFallible ||= call.name !== "TRY" && (call.isFallible || !isTotal);
  for (const read of readsAround(call)) noteRead(around, read);
}

/** The statement with what may fail unseen kept from dictionaries, in time linear in its length. */
export function guardHiddenFailures(sql: string): string {
  const stack: Frame[] = [];
  let frame = openFrame("", false, undefined);
  let copied = 0;
  let count = 0;
  let pattern = CALLS;
  pattern.lastIndex = 0;
  // A match is known by its end, which makes no objects.
  while (pattern.test(sql)) {
    const end = pattern.lastIndex;
    const last = sql.charCodeAt(end - 1);
    if (last === TEXT_QUOTE) continue;
    const start = last === OPEN ? wordStart(sql, end - 1) : end - 1;
    if (start < end - 1) {
      const name = sql.slice(start, end - 1);
      if (subjects.has(name)) {
        frame.text += sql.slice(copied, start);
        copied = end;
        stack.push(frame);
        frame = openFrame(name, sql.startsWith("[{", end) || sql.startsWith("{'a0': ", end), frame);
      } else readOtherCall(frame, name);
    } else if (last === CLOSE && frame.depth === 0 && stack.length > 0) {
      frame.text += sql.slice(copied, start);
      copied = end;
      endArgument(frame);
      const call = frame;
      frame = stack.pop() ?? call;
      closeCall(call, frame, `lw_row${++count}`);
    } else if (last === COMMA) {
      if (frame.depth > 0) continue;
      frame.text += sql.slice(copied, start);
      copied = sql[end] === " " ? end + 1 : end;
      endArgument(frame);
    } else if (isOpening(last)) frame.depth++;
    else if (isClosing(last)) frame.depth--;
    else if (frame.notesAll) readOther(frame, sql, end);
    // Text outside the calls of interest needs no analysis.
    pattern = stack.length === 0 ? CALLS : frame.notesAll ? TOKENS : BRACKETS;
    pattern.lastIndex = end;
  }
  return frame.text + sql.slice(copied);
}
