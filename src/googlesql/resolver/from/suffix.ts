import type { TableSample, TableSuffix } from "../../ast.ts";
import type { SampleScan } from "../../resolved.ts";
import { FLOAT64, INT64 } from "../../types.ts";
import { coerceOrFail } from "../call/coerce.ts";
import { type Environment, plainContext, plainRelation, type Relation, resolveExpression } from "../context.ts";
import { bounded } from "../expression/bounded.ts";
import { isConstant } from "../expression/expr.ts";
import { aliased } from "../relation.ts";
import { isErrorExpr } from "../resolution.ts";
import { refuseRecursive } from "../select/recursion.ts";
import { resolvePivot } from "./pivot.ts";
import { resolveUnpivot } from "./unpivot.ts";

/** PIVOT, UNPIVOT and TABLESAMPLE in the order they stand. */
export function applySuffixes(
  environment: Environment,
  relation: Relation,
  suffixes: readonly TableSuffix[],
): Relation {
  let result = relation;
  for (const suffix of suffixes) {
    if (suffix.kind === "Pivot") result = resolvePivot(environment, result, suffix);
    else if (suffix.kind === "Unpivot") result = resolveUnpivot(environment, result, suffix);
    else result = sampleTable(environment, result, suffix);
  }
  return result;
}

function sampleTable(environment: Environment, relation: Relation, node: TableSample): Relation {
  if (relation.scan.kind === "Unnest")
    environment.resolution.report("invalid_query", "TABLESAMPLE cannot be used with arrays", node.span);
  return resolveSample(environment, relation, node);
}

/** TABLESAMPLE of a table, or of the rows of a pipe. */
export function resolveSample(environment: Environment, relation: Relation, node: TableSample): Relation {
  const { resolution } = environment;
  refuseRecursive(resolution, relation, "with TABLESAMPLE");
  const method = node.method.toUpperCase();
  const unsupported = (what: string): void =>
    resolution.report("unsupported", `${what} in TABLESAMPLE is not supported`, node.span);
  if (method !== "BERNOULLI" && method !== "SYSTEM" && method !== "RESERVOIR") {
    resolution.report("unsupported", `Unsupported sampling method: ${node.method}`, node.span, { name: node.method });
    return relation;
  }
  if (node.partitionBy !== undefined) unsupported("PARTITION BY");
  if (node.repeatable !== undefined) unsupported("REPEATABLE");
  if (node.weight !== undefined) unsupported("WITH WEIGHT");
  const context = plainContext(environment, undefined, "TABLESAMPLE");
  const value = resolveExpression(context, node.size);
  const isPercent = node.unit === "PERCENT";
  const typed = coerceOrFail(resolution, value, isPercent ? FLOAT64 : INT64, "The size of TABLESAMPLE");
  if (!isErrorExpr(typed) && !isConstant(typed))
    resolution.report("invalid_query", "The size of TABLESAMPLE must be a literal or parameter", node.size.span);
  const size = bounded(resolution, typed, "The size of TABLESAMPLE is out of range", isPercent ? 100 : undefined);
  if (isErrorExpr(size)) return relation;
  const scan: SampleScan = { kind: "Sample", input: relation.scan, method, size, unit: node.unit };
  const names = node.alias === undefined ? relation.names : aliased(relation.names.columns, node.alias.name);
  return plainRelation(scan, names);
}
