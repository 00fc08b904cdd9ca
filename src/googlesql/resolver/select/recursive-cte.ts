import type { Span } from "../../diagnostic.ts";
import type { Column, ComputedColumn, CteDefinition, Scan } from "../../resolved.ts";
import { INT64 } from "../../types.ts";
import { isSameType } from "../../typing/same-type.ts";
import { coerce, typeName } from "../call/coerce.ts";
import type { CteBinding, QueryResult } from "../context.ts";
import { columnExpr } from "../expression/expr.ts";
import { project } from "../relation.ts";
import { isErrorType, type Resolution } from "../resolution.ts";

/** A common table expression and the name for it. */
export interface DefinedCte {
  readonly binding: CteBinding;
  readonly definition: CteDefinition;
}

/** The parts of a recursive union. */
export interface RecursiveParts {
  readonly name: string;
  readonly isAll: boolean;
  readonly anchor: QueryResult;
  /** Resolves the recursive term, in which the binding stands for the rows found last. */
  readonly step: (binding: CteBinding) => QueryResult;
  /** Is a term that does not read them reported here? */
  readonly mustRead?: boolean;
  readonly span: Span;
  readonly stepSpan: Span;
}

/** `anchor UNION [ALL] step`, where the step reads the rows found last. */
export function defineRecursive(resolution: Resolution, parts: RecursiveParts): DefinedCte {
  const { name, anchor, span, stepSpan } = parts;
  const columns = anchor.columns.map((named) => ({
    ...named,
    column:
      named.column.type.kind === "UNKNOWN" && !isErrorType(named.column.type)
        ? resolution.newColumn(named.column.name, INT64)
        : resolution.copyColumn(named.column),
  }));
  const output = columns.map((named) => named.column);
  const definition: { -readonly [Key in keyof CteDefinition]: CteDefinition[Key] } = {
    id: resolution.ids.nextCte++,
    name,
    scan: { kind: "SingleRow" },
    output,
    isRecursive: true,
  };
  let reads = 0;
  const binding: CteBinding = {
    name,
    definition,
    columns,
    isOpen: true,
    onRead: (readSpan) => {
      if (reads++ > 0)
        resolution.report("invalid_query", `Multiple recursive references to ${name} in one recursive term`, readSpan, {
          name,
        });
    },
  };
  const step = parts.step(binding);
  if (reads === 0 && parts.mustRead === true)
    resolution.report("invalid_query", `The recursive term does not read ${name}`, stepSpan, { name });
  definition.scan = {
    kind: "Recursive",
    isAll: parts.isAll,
    anchor: coerceTo(resolution, anchor, output, span),
    step: coerceTo(resolution, step, output, stepSpan),
    columns: output.map((column) => resolution.copyColumn(column)),
  };
  definition.output = definition.scan.columns;
  const ready = columns.map((named, i) => ({ ...named, column: definition.output[i] ?? named.column }));
  return { definition, binding: { name, definition, columns: ready } };
}

function coerceTo(
  resolution: Resolution,
  result: QueryResult,
  targets: readonly Column[],
  span: Span,
): { readonly scan: Scan; readonly columns: readonly Column[] } {
  const all = [...targets, ...result.columns.map(({ column }) => column)];
  if (result.columns.length !== targets.length && !all.some(({ type }) => isErrorType(type))) {
    resolution.report(
      "invalid_query",
      `The terms of a recursive query must have the same number of columns; they have ${targets.length} and ` +
        `${result.columns.length}`,
      span,
    );
  }
  const computed: ComputedColumn[] = [];
  const columns = targets.map((target, i) => {
    const column = result.columns[i]?.column ?? target;
    if (isSameType(column.type, target.type)) return column;
    const expression = coerce(resolution, columnExpr(column, span), target.type);
    if (expression === undefined) {
      resolution.report(
        "type_mismatch",
        `Column ${i + 1} of the recursive term has type ${typeName(column.type)}, which does not coerce to ` +
          `${typeName(target.type)}`,
        span,
      );
      return column;
    }
    const typed = resolution.newColumn(target.name, target.type);
    computed.push({ column: typed, expression });
    return typed;
  });
  return { scan: project(result.scan, computed), columns };
}
