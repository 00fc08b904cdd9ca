/** A resolved query as a plan: statements for the server, and the rest for the embedded engine. */
import { GoogleSqlError, positionAt } from "../../googlesql/diagnostic.ts";
import type { Expr, ResolvedQuery } from "../../googlesql/resolved.ts";
import type { CompiledQuery, CompileOptions, Engine, OutputColumn, ParameterValue } from "../contract/query-engine.ts";
import { analyse } from "../lowering/analysis.ts";
import { once } from "../lowering/once.ts";
import { describeConstants, queryConstants, RunConstantFinder } from "../lowering/run-constants.ts";
import { StatementTooComplex } from "../sql/emit.ts";
import { AskedConstants } from "./asked-constants.ts";
import { applyChoices, findChoices } from "./choices.ts";
import type { ServerTables } from "./compile/scan/server-table.ts";
import { TooComplex } from "./pushdown/limits.ts";
import { divideQuery, type RemoteStatement, type ServerStatement } from "./pushdown/plan.ts";

/** Why a part of a query runs in the embedded engine. */
export interface PlacedReason {
  readonly reason: string;
  /** Counted from 1; absent where it is not known. */
  readonly line?: number;
  readonly column?: number;
}

interface CommonPlan {
  readonly nowUs: bigint | undefined;
  /**
   * The same query with nothing computed beforehand, for values with which that fails: then it depends on the rows
   * whether the query does. Throws as `compileQuery` does.
   */
  readonly perRow: () => ServerPlan;
  /** Conditions that the values of a call decide; undefined if there are none. */
  readonly choices: () => AskedConstants | undefined;
  /** The same query with the values of its choices. Throws as `compileQuery` does. */
  readonly withChoices: (values: readonly ParameterValue[]) => ServerPlan;
  /** Values that the statements bind, under these names. */
  readonly constants: { readonly names: readonly string[]; readonly asked?: AskedConstants };
}

/** The data about a query that a run needs. */
export type ServerPlan =
  | (CommonPlan & { readonly kind: "whole"; readonly statement: ServerStatement })
  | (CommonPlan & {
      readonly kind: "divided";
      readonly remotes: readonly RemoteStatement[];
      readonly residual: CompiledQuery;
      readonly reasons: readonly PlacedReason[];
    });

export interface CompileTarget {
  readonly tables: ServerTables;
  /** The embedded engine. */
  readonly residual: Pick<Engine, "compile">;
  /** Send what reads no table to the server too. */
  readonly pushesConstants?: boolean;
  /** Compute what is the same for every row before a run; true by default. */
  readonly bindsConstants?: boolean;
}

/** Throws `GoogleSqlError` with positions where neither engine can express the query. */
export function compileQuery(query: ResolvedQuery, target: CompileTarget, options: CompileOptions = {}): CompiledQuery {
  const timeZone = options.timeZone ?? "UTC";
  const division = divide(query, target, timeZone, options.text ?? "");
  const common = {
    parameters: query.parameters,
    columns: query.columns.map(({ name, column }): OutputColumn => ({ name, type: column.type })),
    tables: division.tables,
  };
  const statements = division.kind === "whole" ? [division.statement] : division.remotes;
  const rest = { ...planForms(query, target, options), constants: planConstants(query, statements, target, options) };
  if (division.kind === "whole") {
    const plan: ServerPlan = { kind: "whole", statement: division.statement, ...rest };
    return { ...common, ...computedBy([division.statement]), sql: division.statement.sql, plan };
  }
  const residual = target.residual.compile(division.residual, options);
  const reasons = division.reasons.map(({ reason, span }): PlacedReason => {
    if (span === undefined || options.text === undefined) return { reason };
    return { reason, ...positionAt(options.text, span.start) };
  });
  const plan: ServerPlan = { kind: "divided", remotes: division.remotes, residual, reasons, ...rest };
  const sql = [...division.remotes.map((remote) => remote.sql), residual.sql].join(";\n");
  return { ...common, ...computedBy(division.remotes, residual), sql, plan };
}

/**
 * Returns what the statements' constants are computed from, and the input and computation of the embedded engine's
 * part.
 */
function computedBy(statements: readonly ServerStatement[], residual?: CompiledQuery): Pick<CompiledQuery, "computed"> {
  const constants = boundBy(statements);
  if (residual === undefined && constants.size === 0) return {};
  const handed = residual?.parameters.map(({ key }) => key) ?? null;
  const described = [...constants].map(([name, expression]) => [name, describeConstants([expression])]);
  return { computed: JSON.stringify([described, handed, residual?.computed ?? null]) };
}

/** The constants of the statements by their names. */
function boundBy(statements: readonly ServerStatement[]): ReadonlyMap<string, Expr> {
  return new Map(statements.flatMap(({ constants }) => constants.map(({ name, expression }) => [name, expression])));
}

function planConstants(
  query: ResolvedQuery,
  statements: readonly ServerStatement[],
  target: CompileTarget,
  options: CompileOptions,
): CommonPlan["constants"] {
  const bound = boundBy(statements);
  const asked = new AskedConstants([...bound.values()], compileConstants(query, target, options));
  return { names: [...bound.keys()], ...(bound.size === 0 ? {} : { asked }) };
}

/** Compiles constants of the query for the embedded engine. */
function compileConstants(query: ResolvedQuery, { residual }: CompileTarget, options: CompileOptions) {
  return (constants: readonly Expr[]): CompiledQuery => {
    const asked = queryConstants(constants, query.parameters, analyse(query).newColumn);
    return residual.compile(asked, { ...options, readsParametersOnce: true });
  };
}

/** The number of plans of one query for different choices of its values; beyond it, the cached ones are dropped. */
const MAX_FORMS = 32;

/** The other plans of a query, made when they are asked for. */
function planForms(
  query: ResolvedQuery,
  target: CompileTarget,
  options: CompileOptions,
): Omit<CommonPlan, "constants"> {
  const perRow = once(() => planOf(compileQuery(query, { ...target, bindsConstants: false }, options)));
  const choices = once(() => {
    const found = findChoices(query, new RunConstantFinder());
    return found.length === 0 ? undefined : new AskedConstants(found, compileConstants(query, target, options));
  });
  const forms = new Map<string, ServerPlan>();
  return {
    nowUs: options.nowUs,
    perRow,
    choices,
    withChoices(values) {
      const key = values.join();
      const known = forms.get(key);
      if (known !== undefined) return known;
      const found = new Map(choices()?.expressions.map((choice, index) => [choice, values[index] ?? null]));
      const made = planOf(compileQuery(applyChoices(query, found), target, options));
      if (forms.size >= MAX_FORMS) forms.clear();
      const form: ServerPlan = { ...made, perRow };
      forms.set(key, form);
      return form;
    },
  };
}

function divide(query: ResolvedQuery, target: CompileTarget, timeZone: string, text: string) {
  try {
    return divideQuery(query, {
      tables: target.tables,
      timeZone,
      pushesConstants: target.pushesConstants ?? false,
      bindsConstants: target.bindsConstants ?? true,
    });
  } catch (error) {
    if (error instanceof TooComplex || error instanceof StatementTooComplex) {
      throw new GoogleSqlError(text, [{ code: "too_complex", message: error.message, span: { start: 0, end: 0 } }]);
    }
    throw error;
  }
}

/** The plan that `compileQuery` made. */
export function planOf({ plan }: CompiledQuery): ServerPlan {
  return plan as ServerPlan;
}
