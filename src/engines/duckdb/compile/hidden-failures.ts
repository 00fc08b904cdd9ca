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

/** Functions of DuckDB that fail for no value, as far as lambdas of ours call them. */
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
 * Strings and quoted names, words (with the bracket that makes them calls), brackets, commas, and operators that can
 * overflow.
 */
const TOKEN = /'[^']*'|"[^"]*"|[A-Za-z_]\w*\(?|[()[\]{},]|::|[-+*/%]/g;
/** Strings and quoted names, which hold no calls, and calls of whatever this file rewrites. */
const OUTSIDE = new RegExp(
  `'[^']*'|"[^"]*"|(?<!\\w)(?:TRY|lw_\\w+|list_(?:transform|filter)|${[...HIDDEN_FAILURES.keys(), ...MACROS].join("|")})\\(`,
  "g",
);
/**
 * What the compiler has looked at. A parameter it has not: `LIKE @p` may fail for some values, if the pattern ends
 * with a backslash.
 */
const LITERAL = /^(?:'(?:[^']|'')*'|-?\d+)$/;
/** A field of what `computeOnce` binds, which comes from a struct already. */
const STRUCT_FIELD = /^lw_\w+\.a\d+$/;
/** How a guarded argument begins. */
const STRUCT_BEGIN = /^(?:\[\{|\{'a0': )/;
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
  /** Something within can fail. */
  isFallible: boolean;
  /** The columns and variables that are read within; those of the first argument apart, once it has ended. */
  reads: Set<string>;
  listReads: ReadonlySet<string>;
  /** Stands within TRY, which takes nothing volatile. */
  readonly isTried: boolean;
}

function openFrame(name: string, hasStruct: boolean, parent: Frame | undefined): Frame {
  const isTried = name === "TRY" || (parent?.isTried ?? false);
  return {
    name,
    hasStruct,
    args: [],
    text: "",
    depth: 0,
    isFallible: false,
    reads: new Set(),
    listReads: new Set(),
    isTried,
  };
}

function isSubject(name: string): boolean {
  return (
    name === "TRY" ||
    isLambdaFunction(name) ||
    packedFunctions.has(name) ||
    HIDDEN_FAILURES.has(name) ||
    MACROS.has(name)
  );
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
  return [...listReads, ...[...reads].filter((read) => !own.includes(read))];
}

/**
 * A lambda that can fail. Over a constant list, a column that its body reads would come with its dictionary; what is
 * volatile has none.
 */
function printLambda(frame: Frame, variable: string): string {
  const { name, args, isFallible, hasStruct, listReads, isTried } = frame;
  const [list = "", ...lambda] = args;
  const isConstantList = listReads.size === 0 && readsAround(frame).length > 0;
  const isFromStruct = hasStruct || STRUCT_FIELD.test(list);
  if (!isFallible || (isFromStruct && !isConstantList)) return `${name}(${args.join(", ")})`;
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
  // What was guarded before stays as it is.
  const isPacked = !packedFunctions.has(name) || hasStruct;
  return `${name}(${isPacked ? args.join(", ") : packedFields(args)})`;
}

/** Notes what a word tells of the frame that it stands in. */
function readWord(frame: Frame, word: string, isField: boolean): void {
  if (word.endsWith("(")) {
    frame.depth++;
    frame.isFallible ||= !totalFunctions.has(word.slice(0, -1));
  } else if (word === "ESCAPE") {
    frame.isFallible = true;
  } else if (!isField && !KEYWORDS.has(word) && /^[a-z_"]/.test(word)) {
    frame.reads.add(word);
  }
}

/** The statement with what may fail unseen kept from dictionaries, in time linear in its length. */
export function guardHiddenFailures(sql: string): string {
  const stack: Frame[] = [];
  let frame = openFrame("", false, undefined);
  let copied = 0;
  let count = 0;
  const copy = (from: number, next: number) => {
    frame.text += sql.slice(copied, from);
    copied = next;
  };
  const endArgument = () => {
    if (frame.args.length === 0) {
      frame.listReads = frame.reads;
      frame.reads = new Set();
    }
    frame.args.push(frame.text);
    frame.text = "";
  };
  let at = 0;
  for (;;) {
    // Around the calls that are looked at nothing needs to be known of what stands there.
    const pattern = stack.length === 0 ? OUTSIDE : TOKEN;
    pattern.lastIndex = at;
    const found = pattern.exec(sql);
    if (found === null) break;
    const { 0: token, index } = found;
    const end = index + token.length;
    at = end;
    const name = token.slice(0, -1);
    if (token.endsWith("(") && isSubject(name)) {
      copy(index, end);
      stack.push(frame);
      frame = openFrame(name, STRUCT_BEGIN.test(sql.slice(end, end + 8)), frame);
    } else if (token === ")" && frame.depth === 0 && stack.length > 0) {
      copy(index, end);
      endArgument();
      const call = frame;
      frame = stack.pop() ?? call;
      frame.text += printCall(call, `lw_row${++count}`);
      const isTotal = isLambdaFunction(call.name) || totalFunctions.has(call.name);
      frame.isFallible ||= call.name !== "TRY" && (call.isFallible || !isTotal);
      for (const read of readsAround(call)) frame.reads.add(read);
    } else if (token === "," && frame.depth === 0 && stack.length > 0) {
      copy(index, sql[end] === " " ? end + 1 : end);
      endArgument();
    } else if (/^[\w"]/.test(token)) readWord(frame, token, sql[index - 1] === "." || sql.startsWith(" :=", end));
    else if ("([{".includes(token)) frame.depth++;
    else if (")]}".includes(token)) frame.depth--;
    else if (!token.startsWith("'") && token !== ",") frame.isFallible = true;
  }
  return frame.text + sql.slice(copied);
}
