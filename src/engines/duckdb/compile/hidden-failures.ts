/**
 * Failures that DuckDB does not see. What cannot fail, to its knowledge, it computes over the whole dictionary of a
 * segment, with the values of rows that the query leaves out: an error would show such a value, and TRY would give
 * NULL for values that are fine. It knows which of its own functions can fail, but for a few; it knows nothing of
 * ours, nor of what stands in a lambda. So every statement passes here, and what can fail unseen is written so that
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
import { packedFieldName } from "../../../semantics/can-fail.ts";
import { mapTree } from "../../sql/map-tree.ts";
import { Fact, inner, type Sql } from "../../sql/node.ts";
import { columnOf, variableSql } from "../sql/atoms.ts";
import { callSql, lambda } from "../sql/forms.ts";
import { nativeFacts } from "../sql/native-functions.ts";
import { sql } from "../sql/sql.ts";

/** The tree with what may fail unseen kept from dictionaries. Takes time linear in its size. */
export function guardHiddenFailures(root: Sql): Sql {
  let count = 0;
  // TRY takes nothing volatile.
  let triesAround = 0;
  const nextVariable = () => `lw_row${++count}`;
  return mapTree(root, {
    fact: Fact.SUBJECT,
    enter: ({ kind }) => {
      if (kind === "try") triesAround++;
    },
    leave: (node) => {
      if (node.kind === "try") triesAround--;
      return node.kind === "call" ? guardCall(node, nextVariable, triesAround > 0) : node;
    },
  });
}

function guardCall(call: Sql, nextVariable: () => string, isTried: boolean): Sql {
  const { token: name } = call;
  const { failsUnseen, takesLambda, isMacro, isPacked } = nativeFacts(name);
  if (failsUnseen !== undefined) return guardHidden(call, failsUnseen, nextVariable);
  if (takesLambda) return guardLambda(call, nextVariable, isTried);
  if (isMacro) return callSql("coalesce", [call]);
  // Calls that are already guarded stay unchanged.
  const isUnguarded = isPacked && !isStruct(call.children[0]);
  return isUnguarded ? callSql(name, [structOf(call.children)]) : call;
}

/** A struct of values, as a function that can fail takes it. */
function structOf(values: readonly Sql[]): Sql {
  return inner(
    "struct",
    "",
    values.map((value, index) => inner("field", packedFieldName(index), [value])),
  );
}

/** Is it a struct of arguments, or a list of any struct? */
function isStruct(node: Sql | undefined): boolean {
  const [first] = node?.children ?? [];
  if (node?.kind === "list") return first?.kind === "struct";
  return node?.kind === "struct" && first?.kind === "field" && first.token === packedFieldName(0);
}

/** `body` over a list of one struct of the values. */
function overStruct(values: readonly Sql[], variable: string, body: Sql): Sql {
  return sql`list_transform([${structOf(values)}], ${lambda(variableSql(variable), body)})[1]`;
}

/** Is it a field of what `computeOnce` binds, which comes from a struct already? */
function isStructField({ kind, token, value }: Sql): boolean {
  return kind === "column" && value === undefined && /^lw_\w+\.a\d+$/.test(token);
}

/**
 * A lambda that can fail. Over a constant list, a column that its body reads would come with its dictionary; what is
 * volatile has none.
 */
function guardLambda(call: Sql, nextVariable: () => string, isTried: boolean): Sql {
  const [list, ...others] = call.children;
  if ((call.facts & Fact.UNPROVEN) === 0 || list === undefined) return call;
  const isConstantList = !readsAround(list) && others.some(readsAround);
  const isFromStruct = isStruct(list) || isStructField(list);
  if (isFromStruct && !isConstantList) return call;
  const values = isConstantList && !isTried ? [list, sql`random()`] : [list];
  const variable = nextVariable();
  return overStruct(values, variable, callSql(call.token, [columnOf(variable, packedFieldName(0)), ...others]));
}

/** Does it read a column or a variable that no lambda within it has for a parameter? */
function readsAround(root: Sql): boolean {
  const bound = new Map<string, number>();
  const bind = ({ children }: Sql, count: number) => {
    for (const name of children[0] === undefined ? [] : namesOf(children[0])) {
      bound.set(name, (bound.get(name) ?? 0) + count);
    }
  };
  // A function on the stack ends the scope of a lambda.
  const stack: (Sql | (() => void))[] = [root];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (typeof at === "function") at();
    else if ((at.facts & Fact.READS) === 0) continue;
    else if (at.kind === "cast") stack.push(at.children[0] as Sql);
    else if (at.kind === "lambda") {
      const node = at;
      bind(node, 1);
      stack.push(() => bind(node, -1), ...node.children.slice(1));
    } else if (at.children.length > 0) for (const child of at.children) stack.push(child);
    else if ((bound.get(nameOf(at)) ?? 0) === 0) return true;
  }
  return false;
}

function namesOf(parameters: Sql): readonly string[] {
  return parameters.kind === "sequence" ? parameters.children.map(nameOf) : [nameOf(parameters)];
}

/** Returns the name by which a column is read: the table or variable, if it is a field of one. */
function nameOf({ token, value }: Sql): string {
  const end = token.indexOf(".");
  return token === "" ? String(value) : end < 0 ? token : token.slice(0, end);
}

/** A literal that the compiler has looked at. A parameter it has not: `LIKE @p` fails where it ends with a backslash. */
function isLiteral({ literal, facts }: Sql): boolean {
  return (facts & Fact.BARE) !== 0 && (typeof literal === "string" || typeof literal === "bigint");
}

/** A function that fails for some values of an argument, which may be a literal. */
function guardHidden(call: Sql, failing: number, nextVariable: () => string): Sql {
  const { children: args } = call;
  const argument = args[failing];
  const bound = args.filter((arg) => !isLiteral(arg));
  const isSafe = (argument !== undefined && isLiteral(argument)) || bound.every(isStructField);
  if (isSafe) return call;
  const variable = nextVariable();
  const fieldOf = (arg: Sql) => columnOf(variable, packedFieldName(bound.indexOf(arg)));
  return overStruct(
    bound,
    variable,
    callSql(
      call.token,
      args.map((arg) => (isLiteral(arg) ? arg : fieldOf(arg))),
    ),
  );
}
