import type { Join, TableExpression, TableSubquery } from "../../ast.ts";
import { reportUnknownFunction } from "../call/unknown-function.ts";
import type { Environment, Relation } from "../context.ts";
import { resolveSubquery } from "../context.ts";
import { relationOf } from "../relation.ts";
import { type Scope, scopeOf } from "../scope.ts";
import { type JoinParts, joinRelations } from "./join.ts";
import { applySuffixes } from "./suffix.ts";
import { isArrayPath, resolveTable, unknownRelation } from "./table.ts";
import { joinUnnest, unnestOfPath } from "./unnest.ts";

/** Resolves a FROM clause. Chains of joins are walked from their left end, without recursion. */
export function resolveFrom(environment: Environment, node: TableExpression): Relation {
  const chain: Join[] = [];
  let first: TableExpression = node;
  while (first.kind === "Join") {
    chain.push(first);
    first = first.left;
  }
  const { resolution } = environment;
  resolution.descend(chain.length, node.span);
  let left = resolveSingle(environment, first);
  for (const join of chain.reverse()) left = resolveJoin(environment, left, join);
  resolution.rise(chain.length);
  return left;
}

/** Joins one more table expression to what stands on the left. */
export function resolveJoin(environment: Environment, left: Relation, join: JoinParts): Relation {
  const { right } = join;
  const outer = scopeOf(left.names, environment.outer);
  const isForward = join.type !== "RIGHT" && join.type !== "FULL";
  const unnest =
    right.kind === "Unnest"
      ? right
      : right.kind === "TableReference" && isArrayPath(right, outer)
        ? unnestOfPath(right)
        : undefined;
  if (unnest !== undefined && unnest.suffixes.length === 0 && isForward)
    return joinUnnest(environment, left, unnest, join, outer);
  const resolved = right.kind === "Join" ? resolveFrom(environment, right) : resolveSingle(environment, right, outer);
  return joinRelations(environment, left, resolved, join);
}

/**
 * One table expression that is no join. `left` holds the names of what stands before it, for paths and lateral
 * sub-queries.
 */
function resolveSingle(environment: Environment, node: Exclude<TableExpression, Join>, left?: Scope): Relation {
  const { resolution } = environment;
  resolution.descend(1, node.span);
  const relation = resolvePlain(environment, node, left);
  resolution.rise(1);
  return applySuffixes(environment, relation, "suffixes" in node ? node.suffixes : []);
}

function resolvePlain(
  environment: Environment,
  node: Exclude<TableExpression, Join>,
  left: Scope | undefined,
): Relation {
  switch (node.kind) {
    case "TableReference":
      if (isArrayPath(node, environment.outer))
        return joinUnnest(environment, undefined, unnestOfPath(node), { type: "CROSS", span: node.span });
      return resolveTable(environment, node);
    case "Unnest":
      return joinUnnest(environment, undefined, node, { type: "CROSS", span: node.span });
    case "TableSubquery":
      return resolveTableSubquery(environment, node, left);
    case "TableFunction": {
      const name = node.name.parts.map((part) => part.name).join(".");
      reportUnknownFunction(environment.resolution, node.name, "Table-valued function");
      return unknownRelation(environment, node.alias?.name ?? name);
    }
    case "ParenthesizedJoin":
      return resolveFrom(environment, node.join);
  }
}

/** A sub-query sees the queries around it; the tables beside it only with LATERAL. */
function resolveTableSubquery(environment: Environment, node: TableSubquery, left: Scope | undefined): Relation {
  const outer = node.isLateral === true ? (left ?? environment.outer) : environment.outer;
  return relationOf(resolveSubquery({ ...environment, outer }, node.query), node.alias?.name);
}
