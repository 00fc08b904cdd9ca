/**
 * Computes the values that conditions compare rows with before the run: `timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(),
 * INTERVAL @n HOUR)`. A condition that may fail is written so that DuckDB neither moves it nor skips row groups by it,
 * and each guard against failure takes time to plan. So values that are the same for every row are computed by a
 * statement of their own, and bound like parameters.
 */

import { createMapping } from "../../../googlesql/resolved/map.ts";
import { isSubquery } from "../../../googlesql/resolved/walk.ts";
import type { Expr, ResolvedQuery } from "../../../googlesql/resolved.ts";
import { call } from "../../../googlesql/resolver/expression/expr.ts";
import { type SqlType, TIMESTAMP } from "../../../googlesql/types.ts";
import type { CompiledQuery } from "../../contract/query-engine.ts";
import { NOW_PARAMETER, parametersOf, RunConstantFinder, readClock, readsClock } from "../../lowering/run-constants.ts";
import { mapTree } from "../../sql/map-tree.ts";
import { Fact, name, type Sql } from "../../sql/node.ts";
import { columnOf, placeholder } from "../sql/atoms.ts";
import { castTo, select } from "../sql/forms.ts";
import { joinSql, sql } from "../sql/sql.ts";
import { BIGINT } from "../sql/types.ts";
import type { BoundConstants } from "../statement-plan.ts";
import { physicalTypeSql } from "./expression/literals.ts";
import { FIRST_LIMIT } from "./limits.ts";

/** Placeholders by the keys of parameters. */
export type PlaceholderMap = Map<string | number, { readonly index: number; readonly type: SqlType }>;

const COMPUTED: ReadonlySet<Expr["kind"]> = new Set(["Call", "Case", "Cast", "Let"] as const);

/** The constants found in one statement. */
export class RunConstants {
  readonly #parameters: PlaceholderMap;
  readonly #finder = new RunConstantFinder();
  /** Which expressions stand for them. */
  readonly #bound = new Map<Expr, Expr>();
  readonly #byIndex = new Map<number, Expr>();
  // The scans of a sub-query are printed, and their conditions bound, by themselves.
  readonly #mapping = createMapping({ expression: (at) => (isSubquery(at) ? at : this.#bind(at)) });

  #nextIndex: number;
  #clockIndex: number | undefined;

  /** Constants become further parameters, with placeholders from `firstIndex` on. */
  constructor(parameters: PlaceholderMap, firstIndex: number) {
    this.#parameters = parameters;
    this.#nextIndex = firstIndex;
  }

  /** The condition with a parameter in the place of each constant. */
  bindIn(condition: Expr): Expr {
    return this.#mapping.expression(condition);
  }

  /** The constant behind a placeholder. */
  at(index: number): Expr | undefined {
    return this.#byIndex.get(index);
  }

  /** The placeholder of the clock, where a constant reads it: all that reads the clock has to read one instant. */
  get clockIndex(): number | undefined {
    const clock = [...this.#byIndex.values()].find(readsClock);
    if (clock === undefined || this.#clockIndex !== undefined) return this.#clockIndex;
    this.#clockIndex = this.#add(call("CURRENT_TIMESTAMP", [], TIMESTAMP, clock.span)).index;
    return this.#clockIndex;
  }

  #bind(expression: Expr): Expr | undefined {
    const known = this.#bound.get(expression);
    if (known !== undefined) return known;
    const { kind, type, span } = expression;
    // A choice between conditions is the engine's: it is decided when the statement is planned.
    if (!COMPUTED.has(kind) || type.kind === "BOOL" || !this.#finder.has(expression)) return undefined;
    const bound: Expr = { kind: "Parameter", key: this.#add(expression).key, type, span };
    this.#bound.set(expression, bound);
    return bound;
  }

  #add(constant: Expr): { readonly key: number; readonly index: number } {
    const index = this.#nextIndex++;
    // Parameters have names, of any characters, or positions from 1 on.
    const key = -index;
    this.#parameters.set(key, { index, type: constant.type });
    this.#byIndex.set(index, constant);
    return { key, index };
  }
}

/** The values that a run is sent: those of parameters, the clock where there are constants, and limits. */
export interface SentValues {
  readonly parameters: CompiledQuery["parameters"];
  readonly limits: NonNullable<CompiledQuery["limits"]>;
  /** Absent where the statement binds the values as they are sent. */
  readonly constants?: BoundConstants;
}

/**
 * Plans which values a run is sent for a statement with these placeholders and limits, and how its own come from them.
 * `compile` compiles the query for the values of constants.
 */
export function planConstants(
  { parameters }: ResolvedQuery,
  constants: RunConstants | undefined,
  used: readonly number[],
  limits: SentValues["limits"],
  compile: (constants: readonly Expr[]) => CompiledQuery,
): SentValues {
  const bound = used.filter((index) => index < FIRST_LIMIT);
  const plain = bound.flatMap((index) => parameters[index - 1] ?? []);
  const found = bound.flatMap((index) => constants?.at(index) ?? []);
  if (found.length === 0) return { parameters: plain, limits };
  const keys = parametersOf(found);
  const read = [...plain, ...parameters.filter((each) => keys.has(each.key) && !plain.includes(each))];
  const computed = found.filter((constant) => readClock(constant)?.kind !== "Parameter");
  const [clock, ownLimits] = [read.length, read.length + 1];
  const ofBound = bound.map((index) => {
    const constant = constants?.at(index);
    const parameter = parameters[index - 1];
    if (parameter !== undefined) return read.indexOf(parameter);
    const position = constant === undefined ? -1 : computed.indexOf(constant);
    return position < 0 ? clock : -1 - position;
  });
  const places = [...ofBound, ...limits.map((_, index) => ownLimits + index)];
  if (computed.length === 0) return { parameters: read, limits, constants: { places } };
  const { sql: text, columns, parameters: asked, limits: more = [] } = compile(computed);
  const values = asked.map(({ key }) => {
    return key === NOW_PARAMETER ? clock : read.findIndex((each) => each.key === key);
  });
  const statement = {
    sql: text,
    columns,
    values,
    limits: more.map((_, index) => ownLimits + limits.length + index),
    readsClock: values.includes(clock),
  };
  return { parameters: read, limits: [...limits, ...more], constants: { places, statement } };
}

const RUN = "lw_run";

/**
 * The SELECT without FROM, reading each parameter once, from a list: DuckDB plans a statement that reads no table anew
 * for other values only if it reads one of them twice, or if a value has another type, as NULL has.
 */
export function readParametersOnce(query: Sql, parameters: ResolvedQuery["parameters"]): Sql {
  const read = new Map<number, Sql>();
  const reading = mapTree(query, {
    fact: Fact.PLACEHOLDER,
    leave(node) {
      if (node.kind !== "placeholder") return node;
      const index = Number(node.value);
      const parameter = parameters[index - 1];
      const value =
        parameter === undefined
          ? castTo(placeholder(index), BIGINT)
          : sql`CAST(${placeholder(index)} AS ${physicalTypeSql(parameter.type)}[])[1]`;
      read.set(index, sql`${value} AS ${name(`p${index}`)}`);
      return columnOf(RUN, `p${index}`);
    },
  });
  if (read.size === 0) return query;
  return sql`${reading} FROM (${select(joinSql([...read.values()], ", "))}) AS ${name(RUN)}`;
}
