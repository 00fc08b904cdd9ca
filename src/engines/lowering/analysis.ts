/**
 * One walk over the resolved query before printing. It counts how often each column is read, so that what is read
 * once can be printed where it is read, and finds the sub-queries and CTEs that read columns of a query around them.
 */

import { expressionChildren, scanExpressions } from "../../googlesql/resolved/walk.ts";
import type {
  AnyExpr,
  Column,
  CteDefinition,
  Expr,
  LetExpr,
  ResolvedQuery,
  Scan,
  UnnestScan,
} from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { readableName } from "./names.ts";

/** The origin of a column: an expression, another column, or one of each input of a set operation. */
type Made = Expr | Column | readonly Column[];

/** The expressions that give the column its values. */
function sourcesOf(made: Made | undefined): readonly Expr[] {
  if (made === undefined) return [];
  if ("length" in made) return made.map(readOf);
  return ["kind" in made ? made : readOf(made)];
}

function readOf(column: Column): Expr {
  return { kind: "Column", type: column.type, column, span: { start: 0, end: 0 } };
}

export interface Analysis {
  /** An expression of the query is a sub-query. */
  readonly holdsQueries: boolean;
  /** Rows are joined with elements that are no records of theirs. */
  readonly holdsLists: boolean;
  /** A field of a column's struct is read. */
  readonly readsFields: boolean;
  /** How often the column is read; what may be computed many times for one row counts twice. */
  uses(column: Column): number;
  /** How deep variables are bound inside those that the expression binds; 0 where an outer join asks for it. */
  bindingDepth(expression: LetExpr): number;
  /** The expressions that make the column; none for a column of a table, an aggregate or a window function. */
  sources(column: Column): readonly Expr[];
  /** True when the sub-query or CTE reads columns or variables of a query around it. */
  isCorrelated(query: object): boolean;
  /** A column that the query does not have; ids continue those of the query. */
  newColumn(name: string, type: SqlType): Column;
  /** The name that a column has wherever it is selected: unique by its id, readable otherwise. */
  alias(id: number): string;
  /** How many scans read the CTE, itself not counted. */
  cteUses(cte: CteDefinition): number;
  /** Greater for a CTE than for those that read it. */
  cteRank(id: number): number;
}

/** A query of its own inside the whole: the whole, a sub-query expression, a lateral side of a join, or a CTE. */
interface Place {
  readonly parent: Place | undefined;
  isCorrelated: boolean;
}

/** The facts about one column. */
interface ColumnFacts {
  uses: number;
  owner: Place | undefined;
  name: string;
  alias: string | undefined;
  made: Made | undefined;
}

interface Walk {
  /** By the column's id: ids are counted from 0. */
  readonly columns: (ColumnFacts | undefined)[];
  holdsQueries: boolean;
  holdsLists: boolean;
  readsFields: boolean;
  readonly places: Map<object, Place>;
  readonly bindingDepths: Map<LetExpr, number>;
  /** The greatest depth so far of those inside the nearest expression that binds. */
  bindingDepth: number;
  /** In the condition of an outer join, where engines take few sub-queries. */
  isInOuterJoin: boolean;
  readonly cteUses: Map<number, number>;
  /** Users before definitions. */
  readonly cteRanks: Map<number, number>;
  /** Columns of CTE scans with those of the definitions, users before definitions. */
  readonly links: { readonly user: number; readonly definition: number }[];
}

function factsOf(walk: Walk, id: number): ColumnFacts {
  let facts = walk.columns[id];
  if (facts === undefined) {
    facts = { uses: 0, owner: undefined, name: "", alias: undefined, made: undefined };
    walk.columns[id] = facts;
  }
  return facts;
}

function isWithin(place: Place, outer: Place | undefined): boolean {
  let at: Place | undefined = place;
  while (at !== undefined && at !== outer) at = at.parent;
  return at !== undefined;
}

/** Counts a use; from inside another query than the one that makes the column it is one of many. */
function readColumn(walk: Walk, column: Column, place: Place, weight: number): void {
  const facts = factsOf(walk, column.id);
  if (facts.owner === place || !isWithin(place, facts.owner)) {
    facts.uses += weight;
    return;
  }
  facts.uses += 2;
  for (let at: Place | undefined = place; at !== undefined && at !== facts.owner; at = at.parent)
    at.isCorrelated = true;
}

function own(walk: Walk, column: Column, place: Place, made?: Made): void {
  const facts = factsOf(walk, column.id);
  facts.owner = place;
  facts.name = column.name;
  facts.made = made;
}

/** The column of each input that stands where the column does. */
function ownInputs(walk: Walk, columns: readonly Column[], inputs: readonly (readonly Column[])[], place: Place): void {
  columns.forEach((column, index) => {
    const made = inputs.map((input) => input[index]).filter((input) => input !== undefined);
    own(walk, column, place, made);
  });
  for (const input of inputs) for (const column of input) readColumn(walk, column, place, 1);
}

function enter(walk: Walk, query: object, parent: Place): Place {
  const place: Place = { parent, isCorrelated: false };
  walk.places.set(query, place);
  return place;
}

function walkExpression(walk: Walk, expression: AnyExpr, place: Place, weight: number): void {
  switch (expression.kind) {
    case "Column":
    case "Variable":
      readColumn(walk, expression.column, place, weight);
      return;
    case "Subquery":
    case "InSubquery": {
      if (expression.kind === "InSubquery") walkExpression(walk, expression.operand, place, weight);
      walk.holdsQueries = true;
      const inner = enter(walk, expression, place);
      walkScan(walk, expression.scan, inner);
      if (expression.output !== undefined) readColumn(walk, expression.output, inner, 1);
      return;
    }
    case "Lambda":
      for (const parameter of expression.parameters) own(walk, parameter, place);
      walkExpression(walk, expression.body, place, 2);
      return;
    case "Let": {
      const beside = walk.bindingDepth;
      walk.bindingDepth = 0;
      for (const variable of expression.variables) {
        walkExpression(walk, variable.expression, place, weight);
        own(walk, variable.column, place);
      }
      walkExpression(walk, expression.body, place, weight);
      if (!walk.isInOuterJoin) walk.bindingDepths.set(expression, walk.bindingDepth);
      walk.bindingDepth = Math.max(beside, walk.bindingDepth + 1);
      return;
    }
    case "Literal":
    case "Parameter":
    case "DatePart":
      return;
    case "Field":
      walk.readsFields ||= expression.base.kind === "Column";
      walkExpression(walk, expression.base, place, weight);
      return;
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
      scan.columns.forEach((column, index) => {
        own(walk, column, place, scan.cte.output[index]);
      });
      return;
    case "SetOperation":
      ownInputs(
        walk,
        scan.columns,
        scan.inputs.map((input) => input.columns),
        place,
      );
      return;
    case "Recursive":
      ownInputs(walk, scan.columns, [scan.anchor.columns, scan.step.columns], place);
      return;
    case "Distinct":
      for (const { column, input } of scan.columns) {
        own(walk, column, place, input);
        readColumn(walk, input, place, 1);
      }
      return;
    case "Unnest":
      walk.holdsLists ||= joinsList(scan);
      for (const { element, array } of scan.arrays) own(walk, element, place, array);
      if (scan.offset !== undefined) own(walk, scan.offset, place);
      return;
    case "Project":
      for (const { column, expression } of scan.computed) own(walk, column, place, expression);
      return;
    case "Aggregate":
      for (const { column, expression } of scan.groupBy) own(walk, column, place, expression);
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
    if (output !== undefined) walk.links.push({ user: column.id, definition: output.id });
  });
}

/** The scan that continues a chain of scans; other inputs are walked here. */
function nextInput(walk: Walk, scan: Scan, place: Place): Scan | undefined {
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
    case "Cte":
      return undefined;
    case "Join":
      walkScan(walk, scan.right, lateralPlace(walk, scan, place));
      return scan.left;
    case "SetOperation":
      for (const input of scan.inputs) walkScan(walk, input.scan, place);
      return undefined;
    case "Recursive":
      walkScan(walk, scan.anchor.scan, place);
      walkScan(walk, scan.step.scan, place);
      return undefined;
    default:
      return scan.input;
  }
}

function walkScan(walk: Walk, scan: Scan, place: Place): void {
  // A chain of scans can be as long as the query's text: descend it without recursion.
  const chain: Scan[] = [];
  for (let at: Scan | undefined = scan; at !== undefined; at = nextInput(walk, at, place)) chain.push(at);
  for (let index = chain.length - 1; index >= 0; index--) {
    const at = chain[index];
    if (at !== undefined) walkStep(walk, at, place);
  }
}

function walkStep(walk: Walk, scan: Scan, place: Place): void {
  // ON of an UNNEST reads its elements; expressions of other scans read what their inputs make.
  if (scan.kind === "Unnest") ownColumns(walk, scan, place);
  const { isInOuterJoin } = walk;
  walk.isInOuterJoin ||= scan.kind === "Join" && scan.type !== "CROSS" && scan.type !== "INNER";
  for (const expression of scanExpressions(scan)) walkExpression(walk, expression, place, 1);
  walk.isInOuterJoin = isInOuterJoin;
  if (scan.kind !== "Unnest") ownColumns(walk, scan, place);
  if (scan.kind === "Cte") walkCteScan(walk, scan);
  if (scan.kind === "With") walkDefinitions(walk, scan.ctes, place);
}

function joinsList({ input, arrays, on }: UnnestScan): boolean {
  if (input === undefined) return false;
  const isOfRecords = ({ array: { type } }: (typeof arrays)[number]) =>
    type.kind === "ARRAY" && type.element.kind === "RECORD";
  return !arrays.every(isOfRecords) || (on !== undefined && on.kind !== "Literal");
}

function lateralPlace(walk: Walk, scan: Scan, place: Place): Place {
  return scan.kind === "Join" && scan.isLateral === true ? enter(walk, scan, place) : place;
}

function walkDefinitions(walk: Walk, ctes: readonly CteDefinition[], place: Place): void {
  for (let index = ctes.length - 1; index >= 0; index--) {
    const cte = ctes[index];
    const uses = cte === undefined ? 0 : (walk.cteUses.get(cte.id) ?? 0);
    if (cte === undefined || uses === 0) continue;
    walk.cteRanks.set(cte.id, walk.cteRanks.size);
    walkScan(walk, cte.scan, enter(walk, cte, place));
    walk.cteUses.set(cte.id, uses);
  }
}

/** Walks the query once, in time linear in its size. */
export function analyse(query: ResolvedQuery): Analysis {
  const walk: Walk = {
    columns: [],
    holdsQueries: false,
    holdsLists: false,
    readsFields: false,
    places: new Map(),
    bindingDepths: new Map(),
    bindingDepth: 0,
    isInOuterJoin: false,
    cteUses: new Map(),
    cteRanks: new Map(),
    links: [],
  };
  const place: Place = { parent: undefined, isCorrelated: false };
  walkScan(walk, query.scan, place);
  for (const { column } of query.columns) readColumn(walk, column, place, 1);
  for (const { user, definition } of walk.links) {
    factsOf(walk, definition).uses += walk.columns[user]?.uses ?? 0;
  }
  return {
    holdsQueries: walk.holdsQueries,
    holdsLists: walk.holdsLists,
    readsFields: walk.readsFields,
    uses: (column) => walk.columns[column.id]?.uses ?? 0,
    sources: (column) => sourcesOf(walk.columns[column.id]?.made),
    newColumn: (name, type) => {
      const column = { id: walk.columns.length, name, type };
      own(walk, column, place);
      return column;
    },
    bindingDepth: (expression) => walk.bindingDepths.get(expression) ?? 0,
    isCorrelated: (inner) => walk.places.get(inner)?.isCorrelated ?? false,
    alias: (id) => {
      const facts = factsOf(walk, id);
      facts.alias ??= `c${id}_${readableName(facts.name)}`;
      return facts.alias;
    },
    cteUses: (cte) => walk.cteUses.get(cte.id) ?? 0,
    cteRank: (id) => walk.cteRanks.get(id) ?? 0,
  };
}
