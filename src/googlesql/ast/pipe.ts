import type { Span } from "../diagnostic.ts";
import type { Expression } from "./expression.ts";
import type { JoinType, Pivot, TableExpression, TableFunction, TableSample, Unpivot } from "./from.ts";
import type { Identifier, Node, Path } from "./node.ts";
import type {
  GroupBy,
  LimitClause,
  NamedWindow,
  OrderItem,
  Query,
  SelectItem,
  SetOperationMode,
  SortOrder,
  WithClause,
} from "./query.ts";

export type PipeOperator =
  | (Node & {
      readonly kind: "PipeSelect";
      readonly isDistinct: boolean;
      readonly as?: "STRUCT" | "VALUE" | Path | undefined;
      readonly items: readonly SelectItem[];
      readonly windows: readonly NamedWindow[];
    })
  | (Node & {
      readonly kind: "PipeExtend" | "PipeWindow";
      readonly items: readonly SelectItem[];
      readonly windows: readonly NamedWindow[];
    })
  | (Node & {
      readonly kind: "PipeSet";
      readonly items: readonly { readonly column: Identifier; readonly value: Expression; readonly span: Span }[];
    })
  | (Node & { readonly kind: "PipeDrop"; readonly columns: readonly Identifier[] })
  | (Node & {
      readonly kind: "PipeRename";
      readonly items: readonly { readonly from: Identifier; readonly to: Identifier; readonly span: Span }[];
    })
  | (Node & { readonly kind: "PipeAs"; readonly alias: Identifier })
  | (Node & { readonly kind: "PipeWhere"; readonly predicate: Expression })
  | (Node & { readonly kind: "PipeLimit"; readonly limit: LimitClause })
  | (Node & {
      readonly kind: "PipeAggregate";
      readonly items: readonly (SelectItem & { readonly order?: SortOrder })[];
      readonly groupBy?: GroupBy;
    })
  | (Node & { readonly kind: "PipeDistinct" })
  | (Node & { readonly kind: "PipeOrderBy"; readonly orderBy: readonly OrderItem[] })
  | (Node & { readonly kind: "PipeSetOperation"; readonly mode: SetOperationMode; readonly queries: readonly Query[] })
  /** `left` is the pipe's input: the node holds the right side only. */
  | (Node & {
      readonly kind: "PipeJoin";
      readonly type: JoinType;
      readonly right: TableExpression;
      readonly on?: Expression;
      readonly using?: readonly Identifier[];
    })
  | (Node & { readonly kind: "PipeCall"; readonly function: TableFunction })
  | (Node & { readonly kind: "PipePivot"; readonly pivot: Pivot })
  | (Node & { readonly kind: "PipeUnpivot"; readonly unpivot: Unpivot })
  | (Node & { readonly kind: "PipeTableSample"; readonly sample: TableSample })
  | (Node & { readonly kind: "PipeWith"; readonly with: WithClause })
  | (Node & {
      readonly kind: "PipeRecursiveUnion";
      readonly mode: SetOperationMode;
      readonly query: Query | readonly PipeOperator[];
      readonly alias?: Identifier;
    });
