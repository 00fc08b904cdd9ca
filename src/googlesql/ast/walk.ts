/** Finds nodes in the syntax tree. A part that stands below one that is listed here, but is not, does not compile. */
import type { Case, DatePart, Expression, FunctionCall, Like, RightHandSet, WithExpression } from "./expression.ts";
import type {
  TableExpression,
  TableFunctionArgument,
  TableSample,
  TableSuffix,
  Unnest,
  Unpivot,
  WithOffset,
} from "./from.ts";
import type { Node, Path } from "./node.ts";
import type { PipeOperator } from "./pipe.ts";
import type * as Syntax from "./query.ts";
import type { TypeSyntax } from "./type.ts";

/** A node, or a part of one that has no kind of its own. */
type SyntaxPart =
  | Expression
  | TypeSyntax
  | TableExpression
  | TableFunctionArgument
  | TableSuffix
  | PipeOperator
  | Syntax.QueryBody
  | Syntax.SelectItem
  | Syntax.GroupBy
  | Syntax.GroupingItem
  | Syntax.GroupingSet
  | Syntax.WindowSpecification
  | Syntax.FrameBound
  | Path
  | DatePart
  | RightHandSet
  | Like["pattern"]
  | PartWithoutKind;

type PartWithoutKind =
  | Case["branches"][number]
  | NonNullable<FunctionCall["having"]>
  | WithExpression["variables"][number]
  | Extract<TypeSyntax, { readonly kind: "StructTypeSyntax" }>["fields"][number]
  | Unnest["arrays"][number]
  | WithOffset
  | Unpivot["inputs"][number]
  | NonNullable<TableSample["weight"]>
  | Extract<PipeOperator, { readonly kind: "PipeSet" | "PipeRename" }>["items"][number]
  | Syntax.WithClause
  | Syntax.WithEntry
  | Syntax.SetOperationMode
  | NonNullable<Syntax.SetOperationMode["byName"]>
  | Syntax.SortOrder
  | Syntax.OrderItem
  | Syntax.LimitClause
  | Syntax.NamedWindow
  | Syntax.WindowFrame;

type Kind = Extract<SyntaxPart, Node & { readonly kind: string }>["kind"];
type NodeOf<Wanted extends Kind> = Extract<SyntaxPart, Node & { readonly kind: Wanted }>;

/** The parts that a value of a node is or lists. */
type PartsIn<Value> = Value extends readonly (infer Item)[]
  ? PartsIn<Item>
  : Value extends string | number | boolean | undefined | Uint8Array
    ? never
    : Value;

type PartsBelow<Part> = Part extends unknown ? PartsIn<Part[Exclude<keyof Part, "span">]> : never;

/** The nodes of a kind at and below a query, in the order of the text. Walks without recursion. */
export function nodesOf<Wanted extends Kind>(query: Syntax.Query, wanted: Wanted): readonly NodeOf<Wanted>[] {
  const found: NodeOf<Wanted>[] = [];
  const isWanted = (part: SyntaxPart): part is NodeOf<Wanted> =>
    "span" in part && "kind" in part && part.kind === wanted;
  const open: SyntaxPart[] = [query];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (isWanted(part)) found.push(part);
    // Without a list of each node's entries: every query is walked several times.
    for (const name in part) if (name !== "span") addParts(part[name as keyof typeof part], open);
  }
  return found.sort((a, b) => a.span.start - b.span.start);
}

function addParts(value: unknown, open: SyntaxPart[]): void {
  if (Array.isArray(value)) for (const item of value) addParts(item, open);
  else if (typeof value === "object" && !(value instanceof Uint8Array)) open.push(value as PartsBelow<SyntaxPart>);
}
