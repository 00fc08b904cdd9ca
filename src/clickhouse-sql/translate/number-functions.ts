import type { Expression } from "../../googlesql/ast.ts";
import { call, cast, integer, isNull } from "../../lql/sql-nodes.ts";
import {
  anyNullable,
  argument,
  type CallToTranslate,
  type FunctionRow,
  type FunctionRows,
  row,
  same,
} from "./function-table.ts";
import {
  commonKind,
  isNumber,
  isTime,
  type Kind,
  orElse,
  type Typed,
  toCondition,
  toText,
  toValue,
  typed,
} from "./typed.ts";

type Missing = "fails" | "zero" | "null";

/** A value as a number. Of a text that is none: an error, 0 or NULL. */
function toNumber(value: Typed, kind: "integer" | "float", missing: Missing, asked: CallToTranslate): Typed {
  const { span } = asked;
  const type = kind === "integer" ? "INT64" : "FLOAT64";
  if (isTime(value)) return typed(kind, cast(call("UNIX_SECONDS", [value.node], span), type, false, span));
  if (value.kind !== "string") {
    const { node, isNullable } = toValue(value, span);
    // A fraction is cut off, where GoogleSQL would round.
    const whole = value.kind === "float" && kind === "integer" ? call("TRUNC", [node], span) : node;
    return typed(kind, cast(whole, type, false, span), isNullable);
  }
  const { number } = value;
  const isSame = number !== undefined && (number.kind === kind || kind === "float");
  const node = isSame ? cast(number.node, type, false, span) : cast(value.node, type, missing !== "fails", span);
  return missing === "zero" ? orElse(node, kind, integer(0, span), span) : typed(kind, node, missing === "null");
}

function conversions(): FunctionRows {
  const rows: Record<string, FunctionRow> = {};
  const add = (name: string, kind: "integer" | "float") => {
    for (const [suffix, missing] of [
      ["", "fails"],
      ["orzero", "zero"],
      ["ornull", "null"],
    ] as const) {
      rows[`to${name}${suffix}`] = row(1, (asked) => toNumber(argument(asked, 0), kind, missing, asked));
    }
  };
  for (const size of [8, 16, 32, 64, 128, 256]) for (const sign of ["int", "uint"]) add(`${sign}${size}`, "integer");
  for (const size of [32, 64]) add(`float${size}`, "float");
  return rows;
}

/** A function that both languages have, of numbers. */
const numbers = (name: string, kind: Kind | "first", args: number | readonly [number, number] = 1): FunctionRow =>
  row(args, (asked) => {
    const values = asked.args.map((value) => toValue(value, asked.span));
    const ofFirst = values[0]?.kind ?? "float";
    return typed(kind === "first" ? ofFirst : kind, same(name, { ...asked, args: values }), anyNullable(values));
  });

const nullTest = (isNegated: boolean): FunctionRow =>
  row(1, (asked) => {
    return typed("bool", isNull(argument(asked, 0).node, asked.span, isNegated));
  });

const choice = (name: string): FunctionRow =>
  row([1, 100], (asked) => {
    const values = asked.args.map((value) => toValue(value, asked.span));
    const isNullable =
      name === "GREATEST" || name === "LEAST" ? anyNullable(values) : values.every((each) => each.isNullable);
    return typed(commonKind(values), same(name, { ...asked, args: values }), isNullable);
  });

/** `if` and `multiIf`: conditions each with its value, then the value of none. */
function choose(asked: CallToTranslate): Typed {
  const { args, span, refuse, written } = asked;
  if (args.length % 2 === 0) refuse(`${written.name} takes conditions each with a value, and a last value`);
  const values = args.filter((_, index) => index % 2 === 1 || index === args.length - 1);
  const shown = values.map((value) => toValue(value, span));
  const branches = shown.slice(0, -1).map(({ node: then }, index) => {
    const condition = args[index * 2];
    return { when: condition === undefined ? then : toCondition(condition, span), then };
  });
  const otherwise = shown.at(-1)?.node;
  const node: Expression = { kind: "Case", branches, else: otherwise, span };
  return typed(commonKind(shown), node, anyNullable(values));
}

/** Functions of numbers, conversions to them, and choices between values. */
export const numberFunctions: FunctionRows = {
  ...conversions(),
  tostring: row(1, (asked) => toText(argument(asked, 0), asked.span)),
  round: numbers("ROUND", "first", [1, 2]),
  floor: numbers("FLOOR", "first"),
  ceil: numbers("CEIL", "first"),
  ceiling: numbers("CEIL", "first"),
  trunc: numbers("TRUNC", "first"),
  abs: numbers("ABS", "first"),
  sqrt: numbers("SQRT", "float"),
  log10: numbers("LOG10", "float"),
  log: numbers("LN", "float"),
  pow: numbers("POW", "float", 2),
  power: numbers("POW", "float", 2),
  intdiv: numbers("DIV", "integer", 2),
  modulo: numbers("MOD", "first", 2),
  divide: numbers("IEEE_DIVIDE", "float", 2),
  if: row(3, choose),
  multiif: row([3, 1_000], choose),
  nullif: row(2, (asked) => typed(argument(asked, 0).kind, same("NULLIF", asked), true)),
  ifnull: choice("IFNULL"),
  coalesce: choice("COALESCE"),
  assumenotnull: row(1, (asked) => ({ ...argument(asked, 0), isNullable: false })),
  isnull: nullTest(false),
  isnotnull: nullTest(true),
  greatest: choice("GREATEST"),
  least: choice("LEAST"),
  not: row(1, (asked) => {
    const operand = toCondition(argument(asked, 0), asked.span);
    return typed("bool", { kind: "UnaryOperation", operator: "NOT", operand, span: asked.span });
  }),
  isnan: row(1, (asked) => typed("bool", same("IS_NAN", asked))),
  tobool: row(1, (asked) => {
    const value = argument(asked, 0);
    if (!isNumber(value)) asked.refuse("toBool takes a number here");
    return typed("bool", toCondition(value, asked.span));
  }),
};
