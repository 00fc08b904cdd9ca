import { binary, identifier, isNull, text } from "../../lql/sql-nodes.ts";
import type { ChCall, ChExpression } from "../clickhouse-ast.ts";
import { aggregates, ofCondition } from "./aggregates.ts";
import type { CallToTranslate, FunctionRow } from "./function-table.ts";
import { numberFunctions } from "./number-functions.ts";
import type { SelectScope } from "./select-scope.ts";
import { textFunctions } from "./text-functions.ts";
import { readUnit, timeFunctions, toInterval } from "./time-functions.ts";
import { type Typed, typed } from "./typed.ts";

const scalars = { ...textFunctions, ...numberFunctions, ...timeFunctions };

/** A call of a function. Throws `unknown_function` for those that are not in the tables. */
export function translateCall(scope: SelectScope, written: ChCall): Typed {
  const special = translateSpecial(scope, written);
  if (special !== undefined) return special;
  const aggregate = findAggregate(written.name);
  const found = aggregate ?? own(scalars, written.name.toLowerCase());
  if (found === undefined) {
    throw scope.error("unknown_function", `Function not found: ${written.name}`, written.span);
  }
  if (aggregate === undefined && (written.isDistinct || written.parameters !== undefined)) {
    const what = written.isDistinct ? "DISTINCT" : "parameters before its arguments";
    throw scope.error("invalid_query", `${written.name} takes no ${what}`, written.span);
  }
  checkCount(scope, written, found);
  const args = written.args.map(scope.translate);
  return found.translate(openCall(scope, written, args));
}

function own<Row>(rows: Readonly<Record<string, Row>>, name: string): Row | undefined {
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

function findAggregate(name: string): FunctionRow | undefined {
  const lower = name.toLowerCase();
  const plain = own(aggregates, lower);
  if (plain !== undefined || !lower.endsWith("if")) return plain;
  const base = own(aggregates, lower.slice(0, -2));
  return base === undefined ? undefined : ofCondition(base);
}

function checkCount(scope: SelectScope, { name, args, isDistinct, isStar, span }: ChCall, row: FunctionRow): void {
  const isCount = name.toLowerCase() === "count";
  if ((isDistinct || isStar) && !isCount) {
    const what = isDistinct ? "DISTINCT" : "*";
    throw scope.error("unsupported", `${name}(${what}) is not supported: only count has it`, span);
  }
  if (isDistinct && args.length !== 1) {
    throw scope.error("unsupported", "count(DISTINCT ...) takes one argument", span);
  }
  const { minArgs, maxArgs } = row;
  if (args.length >= minArgs && args.length <= maxArgs) return;
  const wanted = minArgs === maxArgs ? String(minArgs) : `${minArgs} to ${maxArgs}`;
  throw scope.error("type_mismatch", `${name} takes ${wanted} arguments, not ${args.length}`, span);
}

function openCall(scope: SelectScope, written: ChCall, args: readonly Typed[]): CallToTranslate {
  const { span } = written;
  const refuse = (message: string, at: ChExpression = written): never => {
    throw scope.error("type_mismatch", message, at.span);
  };
  return {
    ...{ args, written, span, refuse },
    literalText(index) {
      const at = written.args[index];
      if (at?.kind === "string") return at.value;
      return refuse(`Argument ${index + 1} of ${written.name} must be a text as a literal`, at);
    },
  };
}

/** Calls whose arguments are no values: lists that make rows, and `log_attributes` as a whole. */
function translateSpecial(scope: SelectScope, written: ChCall): Typed | undefined {
  const { args, span } = written;
  const name = written.name.toLowerCase();
  const [first] = args;
  if (name === "arrayjoin" && first !== undefined && args.length === 1) {
    const list = isMapCall(first, "mapkeys") ? keysOf(scope, first) : scope.translate(first);
    if (list.kind !== "array") throw scope.error("type_mismatch", "arrayJoin takes an array", first.span);
    return typed("string", scope.joinList(written, list.node, span));
  }
  if (name === "mapkeys") {
    const keys = keysOf(scope, written);
    const key = identifier("map_key", span);
    return typed("array", {
      kind: "QueryExpression",
      mode: "ARRAY",
      query: {
        kind: "Query",
        body: {
          ...{ kind: "Select", isDistinct: false, windows: [], span },
          items: [{ kind: "SelectExpression", expression: key, span }],
          from: { kind: "Unnest", arrays: [{ expression: keys.node }], alias: key, suffixes: [], span },
          where: isNull(key, span, true),
        },
        pipes: [],
        span,
      },
      span,
    });
  }
  if (name === "mapcontains" || name === "mapcontainskey") {
    const key = args[1];
    if (args.length !== 2 || first === undefined || !isMap(first) || key?.kind !== "string") {
      throw scope.error("type_mismatch", `${written.name} takes log_attributes and a key as a literal`, span);
    }
    const value = readAttribute(scope, key.value, span);
    return typed("bool", binary("!=", value.node, text("", span), span));
  }
  if (name.startsWith("tointerval") && first !== undefined && args.length === 1) {
    const unit = readUnit(name.slice("tointerval".length));
    return unit === undefined ? undefined : typed("null", toInterval(scope.translate(first).node, unit, span));
  }
  return undefined;
}

function isMap(expression: ChExpression): boolean {
  return expression.kind === "name" && expression.name === "log_attributes";
}

function isMapCall(expression: ChExpression, name: string): expression is ChCall {
  return expression.kind === "call" && expression.name.toLowerCase() === name;
}

/** `mapKeys(log_attributes)`, with NULL for keys that a row lacks. */
function keysOf(scope: SelectScope, { args: [map, ...others], span }: ChCall): Typed {
  if (map === undefined || others.length > 0 || !isMap(map) || scope.relation === undefined) {
    throw scope.error("type_mismatch", "mapKeys takes log_attributes", span);
  }
  return scope.relation.keys(span);
}

/** `log_attributes['key']`. */
export function readAttribute(scope: SelectScope, key: string, span: ChCall["span"]): Typed {
  const { relation } = scope;
  if (relation !== undefined) return relation.attribute(key, span);
  throw scope.error("unknown_column", "Unrecognized name: log_attributes", span);
}
