import { ServiceError } from "../../shared/errors.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { BinaryOperation, BinaryOperator } from "../logql/logql-ast.ts";
import { keyOf, pickLabels, type Series, type Steps } from "./series.ts";

/** Series, or one number for all steps. */
export type Evaluated = { readonly series: readonly Series[] } | { readonly scalar: number };

type Operate = (a: number, b: number) => number;

const arithmetic: Readonly<Partial<Record<BinaryOperator, Operate>>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  // Loki answers NaN, not an infinite number.
  "/": (a, b) => (b === 0 ? Number.NaN : a / b),
  "%": (a, b) => (b === 0 ? Number.NaN : a % b),
  "^": (a, b) => a ** b,
};
const comparisons: Readonly<Partial<Record<BinaryOperator, (a: number, b: number) => boolean>>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** The value of two; undefined where a comparison without `bool` does not hold, else `shown`, which is one of them. */
function compileOperator({ operator, isBool }: BinaryOperation) {
  const operate = arithmetic[operator];
  const compare = comparisons[operator];
  return (a: number | undefined, b: number | undefined, shown: "left" | "right" = "left"): number | undefined => {
    if (a === undefined || b === undefined) return undefined;
    if (operate !== undefined) return operate(a, b);
    const holds = compare?.(a, b) ?? false;
    if (isBool) return holds ? 1 : 0;
    return holds ? (shown === "left" ? a : b) : undefined;
  };
}

/** Combines two operands at each step. Throws `invalid_query` where several series would pair with one of the other side. */
export function evaluateBinary(node: BinaryOperation, left: Evaluated, right: Evaluated, steps: Steps): Evaluated {
  const operate = compileOperator(node);
  if (isSetOperator(node.operator)) {
    if ("scalar" in left || "scalar" in right) {
      throw new ServiceError("invalid_query", `The operands of ${node.operator} must be series, not numbers`);
    }
    return { series: combineSets(node, left.series, right.series, steps) };
  }
  if ("scalar" in left && "scalar" in right) return operateScalars(node, left.scalar, right.scalar);
  if ("scalar" in left) {
    const { scalar } = left;
    return mapSeries("series" in right ? right.series : [], (value) => operate(scalar, value, "right"));
  }
  if ("scalar" in right) return mapSeries(left.series, (value) => operate(value, right.scalar));
  return { series: pairSeries(node, left.series, right.series, steps) };
}

function operateScalars(node: BinaryOperation, a: number, b: number): Evaluated {
  const value = compileOperator({ ...node, isBool: true })(a, b);
  if (value === undefined) throw new ServiceError("invalid_query", `${node.operator} takes series, not numbers`);
  return { scalar: value };
}

function mapSeries(series: readonly Series[], compute: (value: number | undefined) => number | undefined): Evaluated {
  return { series: series.map(({ labels, values }) => ({ labels, values: values.map(compute) })) };
}

const isSetOperator = (operator: BinaryOperator) => operator === "and" || operator === "or" || operator === "unless";

/** The labels by which series pair. */
function matchLabels({ matching }: BinaryOperation, labels: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (matching === undefined) return labels;
  return pickLabels(labels, (name) => matching.labels.includes(name) === matching.isOn);
}

function groupByMatch(node: BinaryOperation, series: readonly Series[]): ReadonlyMap<string, readonly Series[]> {
  return groupBy(series, ({ labels }) => keyOf(matchLabels(node, labels)));
}

function combineSets(
  node: BinaryOperation,
  left: readonly Series[],
  right: readonly Series[],
  { count }: Steps,
): readonly Series[] {
  const presence = (series: readonly Series[]) => {
    const groups = groupByMatch(node, series);
    return (labels: ReadonlyMap<string, string>, step: number) =>
      groups.get(keyOf(matchLabels(node, labels)))?.some(({ values }) => values[step] !== undefined) ?? false;
  };
  const filter = (series: readonly Series[], keeps: (labels: ReadonlyMap<string, string>, step: number) => boolean) =>
    series.map(({ labels, values }) => ({
      labels,
      values: Array.from({ length: count }, (_, step) => (keeps(labels, step) ? values[step] : undefined)),
    }));
  const isRight = presence(right);
  if (node.operator === "and") return filter(left, isRight);
  if (node.operator === "unless") return filter(left, (labels, step) => !isRight(labels, step));
  const isLeft = presence(left);
  return mergeEqual([...left, ...filter(right, (labels, step) => !isLeft(labels, step))]);
}

/** Series of the same labels are one, whose values are those of the first that has one. */
function mergeEqual(series: readonly Series[]): readonly Series[] {
  const merged = new Map<string, Series>();
  for (const each of series) {
    const key = keyOf(each.labels);
    const known = merged.get(key);
    const values = known?.values.map((value, step) => value ?? each.values[step]);
    merged.set(key, values === undefined ? each : { labels: each.labels, values });
  }
  return [...merged.values()];
}

function pairSeries(
  node: BinaryOperation,
  left: readonly Series[],
  right: readonly Series[],
  { count }: Steps,
): readonly Series[] {
  const operate = compileOperator(node);
  const isLeftMany = node.many?.side !== "right";
  const [many, one] = isLeftMany ? [left, groupByMatch(node, right)] : [right, groupByMatch(node, left)];
  for (const partners of one.values()) refuseSeveral(node, partners, count);
  const results = new Map<string, Paired>();
  for (const series of many) {
    const partners = one.get(keyOf(matchLabels(node, series.labels))) ?? [];
    for (const partner of partners) {
      const labels = resultLabels(node, series.labels, partner.labels);
      const key = keyOf(labels);
      const paired = results.get(key) ?? newPaired(labels, count);
      results.set(key, paired);
      for (let step = 0; step < count; step++) {
        const [a, b] = [series.values[step], partner.values[step]];
        if (a === undefined || b === undefined) continue;
        if (paired.isTaken[step] === 1) throw ambiguous(node);
        paired.isTaken[step] = 1;
        paired.values[step] = isLeftMany ? operate(a, b) : operate(b, a);
      }
    }
  }
  return [...results.values()].map(({ labels, values }) => ({ labels, values }));
}

/** A series of pairs, and at which steps there was one: a comparison may leave it out. */
interface Paired extends Series {
  readonly values: (number | undefined)[];
  readonly isTaken: Uint8Array;
}

function newPaired(labels: Series["labels"], count: number): Paired {
  return { labels, values: new Array<number | undefined>(count).fill(undefined), isTaken: new Uint8Array(count) };
}

/** Throws where two of the series that one may pair with have a value at the same step. */
function refuseSeveral(node: BinaryOperation, partners: readonly Series[], count: number): void {
  if (partners.length < 2) return;
  for (let step = 0; step < count; step++) {
    if (partners.filter(({ values }) => values[step] !== undefined).length > 1) throw ambiguous(node);
  }
}

function ambiguous({ operator }: BinaryOperation): ServiceError {
  return new ServiceError("invalid_query", `Several series of one side of ${operator} match one of the other`, {
    hint: "Aggregate them first, match by more labels, or use group_left or group_right.",
  });
}

function resultLabels(
  node: BinaryOperation,
  many: ReadonlyMap<string, string>,
  one: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (node.many === undefined) return matchLabels(node, many);
  const labels = new Map(many);
  for (const name of node.many.include) {
    const value = one.get(name);
    if (value === undefined) labels.delete(name);
    else labels.set(name, value);
  }
  return labels;
}
