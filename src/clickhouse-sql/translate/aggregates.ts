import type { Expression } from "../../googlesql/ast.ts";
import { call, integer } from "../../lql/sql-nodes.ts";
import { argument, type CallToTranslate, type FunctionRow, type FunctionRows, row } from "./function-table.ts";
import { emptyOf, type Typed, toCondition, toValue, typed } from "./typed.ts";

/** The value of no rows is 0 or an empty text, unless what is aggregated may be NULL. */
function overRows(value: Typed, kind: Typed["kind"], node: Expression, asked: CallToTranslate): Typed {
  const empty = value.isNullable ? undefined : emptyOf(kind, asked.span);
  if (empty === undefined) return typed(kind, node, value.isNullable);
  return typed(kind, call("IFNULL", [node, empty], asked.span));
}

const ofValue = (name: string): FunctionRow =>
  row(1, (asked) => {
    const value = toValue(argument(asked, 0), asked.span);
    return overRows(value, value.kind, call(name, [value.node], asked.span), asked);
  });

const counting = row([0, 1], ({ args: [value], written, span }) => {
  const { isDistinct } = written;
  if (value === undefined) return typed("integer", call("COUNT", [], span, { isStar: true }));
  return typed("integer", call("COUNT", [value.node], span, { isDistinct }));
});

const distinct = row([1, 1], (asked) => {
  return typed("integer", call("COUNT", [argument(asked, 0).node], asked.span, { isDistinct: true }));
});

const best = (name: string): FunctionRow =>
  row(2, (asked) => {
    const value = toValue(argument(asked, 0), asked.span);
    const by = toValue(argument(asked, 1), asked.span);
    return typed(value.kind, call(name, [value.node, by.node], asked.span), value.isNullable);
  });

/** A number from 0 to 1 as parts of a power of ten. */
function readLevel({ written, refuse }: CallToTranslate, index: number, isGiven: boolean) {
  const level = isGiven ? written.parameters?.[index] : undefined;
  const digits = level === undefined ? "0.5" : level.kind === "number" ? level.text : "";
  const [, whole = "", fraction = ""] = /^([01]?)(?:\.(\d{0,4}))?$/.exec(digits) ?? [];
  const parts = 10 ** Math.max(2, fraction.length);
  const at = Math.round(Number(`${whole || "0"}.${fraction || "0"}`) * parts);
  if (digits === "" || !/^(?:[01]?)(?:\.\d{0,4})?$/.test(digits) || at > parts) {
    return refuse("A level is a number from 0 to 1 with at most four decimals", level ?? written);
  }
  return { parts, at };
}

/** The value that so large a part of the values is not greater than: one that occurs, as APPROX_QUANTILES has it. */
function quantile(asked: CallToTranslate, index: number, isGiven: boolean): Expression {
  const { span } = asked;
  const { parts, at } = readLevel(asked, index, isGiven);
  const { node } = toValue(argument(asked, 0), span);
  const base = call("APPROX_QUANTILES", [node, integer(parts, span)], span);
  return { kind: "Subscript", base, mode: "OFFSET", index: integer(at, span), span };
}

const oneQuantile = row(1, (asked) => {
  const { written } = asked;
  const isGiven = written.parameters !== undefined;
  if (isGiven && written.parameters?.length !== 1)
    asked.refuse(`${written.name} has one level: ${written.name}(0.5)(x)`);
  return typed("float", quantile(asked, 0, isGiven), true);
});

const manyQuantiles = row(1, (asked) => {
  const levels = asked.written.parameters ?? asked.refuse(`${asked.written.name} has levels: quantiles(0.5, 0.9)(x)`);
  const elements = levels.map((_, index) => quantile(asked, index, true));
  return typed("array", { kind: "ArrayConstructor", elements, span: asked.span });
});

const collect = (isDistinct: boolean): FunctionRow =>
  row(1, (asked) => {
    const { node } = toValue(argument(asked, 0), asked.span);
    const list = call("ARRAY_AGG", [node], asked.span, { isDistinct, nullHandling: "IGNORE" });
    return typed(
      "array",
      call("IFNULL", [list, { kind: "ArrayConstructor", elements: [], span: asked.span }], asked.span),
    );
  });

/** Aggregates by their names in lower case. All are exact, but quantiles, which show a value that occurs. */
export const aggregates: FunctionRows = {
  count: counting,
  sum: ofValue("SUM"),
  min: ofValue("MIN"),
  max: ofValue("MAX"),
  any: ofValue("ANY_VALUE"),
  any_value: ofValue("ANY_VALUE"),
  anylast: ofValue("ANY_VALUE"),
  avg: row(1, (asked) => typed("float", call("AVG", [toValue(argument(asked, 0), asked.span).node], asked.span), true)),
  stddevpop: row(1, (asked) => typed("float", call("STDDEV_POP", [argument(asked, 0).node], asked.span), true)),
  stddevsamp: row(1, (asked) => typed("float", call("STDDEV_SAMP", [argument(asked, 0).node], asked.span), true)),
  argmin: best("MIN_BY"),
  argmax: best("MAX_BY"),
  uniq: distinct,
  uniqexact: distinct,
  uniqcombined: distinct,
  uniqcombined64: distinct,
  uniqhll12: distinct,
  median: oneQuantile,
  quantile: oneQuantile,
  quantileexact: oneQuantile,
  quantiletdigest: oneQuantile,
  quantiletiming: oneQuantile,
  quantiles: manyQuantiles,
  quantilesexact: manyQuantiles,
  quantilestdigest: manyQuantiles,
  grouparray: collect(false),
  groupuniqarray: collect(true),
};

/** The aggregate `nameIf(..., condition)`: of the rows for which the condition holds. */
export function ofCondition(aggregate: FunctionRow): FunctionRow {
  return {
    minArgs: aggregate.minArgs + 1,
    maxArgs: aggregate.maxArgs + 1,
    translate(asked) {
      const { span } = asked;
      const last = argument(asked, asked.args.length - 1);
      const condition = toCondition(last, span);
      const values = asked.args.slice(0, -1).map((value): Typed => {
        const shown = toValue(value, span);
        const node = call("IF", [condition, shown.node, { kind: "NullLiteral", span }], span);
        return { kind: shown.kind, isNullable: shown.isNullable, node };
      });
      const args = values.length > 0 || aggregate !== counting ? values : [typed("integer", one(condition, asked))];
      return aggregate.translate({ ...asked, args });
    },
  };
}

function one(condition: Expression, { span }: CallToTranslate): Expression {
  return call("IF", [condition, integer(1, span), { kind: "NullLiteral", span }], span);
}
