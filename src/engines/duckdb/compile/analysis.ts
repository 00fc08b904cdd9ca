/**
 * One walk over the resolved query before printing. It counts how often each column is read, so that what is read
 * once can be printed where it is read, and finds the sub-queries and CTEs that read columns of a query around them.
 */
import type {
  AggregateCall,
  Column,
  CteDefinition,
  Expr,
  ResolvedQuery,
  Scan,
  WindowCall,
} from "../../../googlesql/resolved.ts";
import { expressionChildren, scanExpressions, scanInputs } from "./children.ts";
import { readableName } from "./names.ts";

export interface Analysis {
  /** How often the column is read; what may be computed many times for one row counts twice. */
  uses(column: Column): number;
  /** True when the sub-query or CTE reads columns of a query around it. */
  isCorrelated(query: object): boolean;
  /** True when the sub-query reads a lambda's parameter or a variable of WITH(...) from around it. */
  readsVariables(query: object): boolean;
  /** The name that a column has wherever it is selected: unique by its id, readable otherwise. */
  alias(id: number): string;
  /** How many scans read the CTE, itself not counted. */
  cteUses(cte: CteDefinition): number;
}

/** A query of its own inside the whole: the whole, a sub-query expression, a lateral side of a join, or a CTE. */
interface Place {
  readonly parent: Place | undefined;
  isCorrelated: boolean;
  readsVariables: boolean;
}

const NO_PLACES: readonly Place[] = [];

interface Walk {
  readonly uses: Map<number, number>;
  readonly owners: Map<number, Place>;
  readonly names: Map<number, string>;
  readonly places: Map<object, Place>;
  readonly cteUses: Map<number, number>;
  /** Columns of CTE scans with those of the definitions, users before definitions. */
  readonly links: (readonly [number, number])[];
}

function countUse(walk: Walk, id: number, weight: number): void {
  walk.uses.set(id, (walk.uses.get(id) ?? 0) + weight);
}

/** The places from `place` outwards to where the column is made, that one not included; none where it is made inside. */
function placesBetween(walk: Walk, column: Column, place: Place): readonly Place[] {
  const owner = walk.owners.get(column.id);
  if (owner === place) return NO_PLACES;
  const between: Place[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (at === owner) return between;
    between.push(at);
  }
  return [];
}

function readColumn(walk: Walk, column: Column, place: Place, weight: number): void {
  const between = placesBetween(walk, column, place);
  countUse(walk, column.id, between.length === 0 ? weight : 2);
  for (const at of between) at.isCorrelated = true;
}

function readVariable(walk: Walk, column: Column, place: Place, weight: number): void {
  const between = placesBetween(walk, column, place);
  countUse(walk, column.id, between.length === 0 ? weight : 2);
  for (const at of between) at.readsVariables = true;
}

function own(walk: Walk, column: Column, place: Place): void {
  walk.owners.set(column.id, place);
  walk.names.set(column.id, column.name);
}

function enter(walk: Walk, query: object, parent: Place): Place {
  const place: Place = { parent, isCorrelated: false, readsVariables: false };
  walk.places.set(query, place);
  return place;
}

function walkExpression(walk: Walk, expression: Expr | AggregateCall | WindowCall, place: Place, weight: number): void {
  switch (expression.kind) {
    case "Column":
      readColumn(walk, expression.column, place, weight);
      return;
    case "Variable":
      readVariable(walk, expression.column, place, weight);
      return;
    case "Subquery":
    case "InSubquery": {
      if (expression.kind === "InSubquery") walkExpression(walk, expression.operand, place, weight);
      const inner = enter(walk, expression, place);
      walkScan(walk, expression.scan, inner);
      if (expression.output !== undefined) readColumn(walk, expression.output, inner, 1);
      return;
    }
    case "Lambda":
      for (const parameter of expression.parameters) own(walk, parameter, place);
      walkExpression(walk, expression.body, place, 2);
      return;
    case "Let":
      for (const variable of expression.variables) {
        walkExpression(walk, variable.expression, place, weight);
        own(walk, variable.column, place);
      }
      walkExpression(walk, expression.body, place, weight);
      return;
    case "Literal":
    case "Parameter":
    case "DatePart":
      return;
    case "Field":
    case "RecordField":
      walkExpression(walk, expression.base, place, weight);
      return;
    case "Call":
      for (const argument of expression.arguments) {
        if (argument !== undefined) walkExpression(walk, argument, place, weight);
      }
      return;
    default:
      for (const child of expressionChildren(expression)) walkExpression(walk, child, place, weight);
  }
}

/** The columns that a scan makes. */
function ownColumns(walk: Walk, scan: Scan, place: Place): void {
  switch (scan.kind) {
    case "Table":
      for (const { column } of scan.columns) own(walk, column, place);
      return;
    case "Cte":
    case "SetOperation":
    case "Recursive":
      for (const column of scan.columns) own(walk, column, place);
      return;
    case "Distinct":
      for (const { column, input } of scan.columns) {
        own(walk, column, place);
        readColumn(walk, input, place, 1);
      }
      return;
    case "Unnest":
      for (const { element } of scan.arrays) own(walk, element, place);
      if (scan.offset !== undefined) own(walk, scan.offset, place);
      return;
    case "Project":
      for (const { column } of scan.computed) own(walk, column, place);
      return;
    case "Aggregate":
      for (const { column } of scan.groupBy) own(walk, column, place);
      for (const { column } of scan.aggregates) own(walk, column, place);
      return;
    case "Window":
      for (const { column } of scan.functions) own(walk, column, place);
      return;
    case "OrderBy":
      for (const { column } of scan.keys) readColumn(walk, column, place, 1);
      return;
    default:
      return;
  }
}

function walkCteScan(walk: Walk, scan: Scan & { kind: "Cte" }): void {
  walk.cteUses.set(scan.cte.id, (walk.cteUses.get(scan.cte.id) ?? 0) + 1);
  scan.columns.forEach((column, index) => {
    const output = scan.cte.output[index];
    if (output !== undefined) walk.links.push([column.id, output.id]);
  });
}

function walkScan(walk: Walk, scan: Scan, place: Place): void {
  // A chain of scans can be as long as the query's text: descend it without recursion.
  const chain: Scan[] = [];
  for (let at: Scan | undefined = scan; at !== undefined; ) {
    chain.push(at);
    const inputs: readonly Scan[] = scanInputs(at);
    for (const other of inputs.slice(1)) walkScan(walk, other, lateralPlace(walk, at, place));
    at = inputs[0];
  }
  for (const at of chain.reverse()) {
    if (at.kind === "Cte") walkCteScan(walk, at);
    // Columns that an expression of the same scan reads are made by its input, except the elements that ON reads.
    if (at.kind === "Unnest") ownColumns(walk, at, place);
    for (const expression of scanExpressions(at)) walkExpression(walk, expression, place, 1);
    if (at.kind !== "Unnest") ownColumns(walk, at, place);
    if (at.kind === "SetOperation") {
      for (const input of at.inputs) for (const column of input.columns) readColumn(walk, column, place, 1);
    }
    if (at.kind === "Recursive") {
      for (const side of [at.anchor, at.step]) for (const column of side.columns) readColumn(walk, column, place, 1);
    }
    if (at.kind === "With") walkDefinitions(walk, at.ctes, place);
  }
}

function lateralPlace(walk: Walk, scan: Scan, place: Place): Place {
  return scan.kind === "Join" && scan.isLateral === true ? enter(walk, scan, place) : place;
}

function walkDefinitions(walk: Walk, ctes: readonly CteDefinition[], place: Place): void {
  for (const cte of [...ctes].reverse()) {
    const uses = walk.cteUses.get(cte.id) ?? 0;
    if (uses === 0) continue;
    walkScan(walk, cte.scan, enter(walk, cte, place));
    walk.cteUses.set(cte.id, uses);
  }
}

/** Walks the query once, in time linear in its size. */
export function analyse(query: ResolvedQuery): Analysis {
  const walk: Walk = {
    uses: new Map(),
    owners: new Map(),
    names: new Map(),
    places: new Map(),
    cteUses: new Map(),
    links: [],
  };
  const place: Place = { parent: undefined, isCorrelated: false, readsVariables: false };
  walkScan(walk, query.scan, place);
  for (const { column } of query.columns) readColumn(walk, column, place, 1);
  for (const [user, definition] of walk.links) countUse(walk, definition, walk.uses.get(user) ?? 0);
  return {
    uses: (column) => walk.uses.get(column.id) ?? 0,
    isCorrelated: (inner) => walk.places.get(inner)?.isCorrelated ?? false,
    readsVariables: (inner) => walk.places.get(inner)?.readsVariables ?? false,
    alias: (id) => (id < 0 ? `round_${-id}` : `c${id}_${readableName(walk.names.get(id) ?? "")}`),
    cteUses: (cte) => walk.cteUses.get(cte.id) ?? 0,
  };
}
