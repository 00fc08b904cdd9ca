/**
 * Facts of calls, by the names of the functions. DuckDB knows which of its own functions can fail, but for a few; it
 * knows nothing of ours (see `compile/hidden-failures.ts`).
 */
import { canFail } from "../../../semantics/can-fail.ts";
import { scalarFunctions } from "../../../semantics/index.ts";
import { walkTree } from "../../sql/map-tree.ts";
import { Fact, type Sql } from "../../sql/node.ts";

/**
 * DuckDB's functions that can fail without its knowledge, with the argument that makes them: patterns that are no
 * literals.
 */
export const HIDDEN_FAILURES: ReadonlyMap<string, number> = new Map([
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

/** Printed functions that DuckDB defines as macros. */
export const MACROS: ReadonlySet<string> = new Set(
  (
    "array_to_string list_any_value list_bool_or list_count list_max list_min list_reverse md5_number_lower nullif " +
    "split_part"
  ).split(" "),
);

/** JavaScript functions that can fail, which take one struct of their arguments. */
export const packedFunctions: ReadonlySet<string> = new Set(scalarFunctions.filter(canFail).map(({ name }) => name));

/** Is each computation of the expression another value? */
export function isVolatile(root: Sql): boolean {
  let found = false;
  walkTree(root, Fact.UNPROVEN, ({ kind, token }) => {
    found ||= kind === "call" && VOLATILE.has(token);
  });
  return found;
}

const VOLATILE: ReadonlySet<string> = new Set(["random", "uuid"]);

/** Functions whose argument is a lambda. */
export const LAMBDA_FUNCTIONS: ReadonlySet<string> = new Set(["list_transform", "list_filter"]);

const provenFunctions: ReadonlySet<string> = new Set([
  ...NATIVE_WITHOUT_FAILURE.trim().split(/\s+/),
  ...scalarFunctions.filter((udf) => !canFail(udf)).map(({ name }) => name),
  // They fail where their lambda does.
  ...LAMBDA_FUNCTIONS,
]);

const subjects: ReadonlySet<string> = new Set([
  ...LAMBDA_FUNCTIONS,
  ...packedFunctions,
  ...HIDDEN_FAILURES.keys(),
  ...MACROS,
]);

/** Facts of the calls that need a look, or that cannot fail. */
const knownCalls: ReadonlyMap<string, number> = new Map(
  [...subjects, ...provenFunctions].map((name) => {
    return [name, (subjects.has(name) ? Fact.SUBJECT : 0) | (provenFunctions.has(name) ? 0 : Fact.UNPROVEN)];
  }),
);

/** The facts of a call of the function, beside those of its arguments. */
export function callFacts(name: string): number {
  return knownCalls.get(name) ?? Fact.UNPROVEN;
}
