import type { Expression, Literal } from "./expression.ts";
import type { Identifier, Node, Path } from "./node.ts";

/** A type as written in CAST, typed literals and constructors. */
export type TypeSyntax =
  | (Node & {
      readonly kind: "NamedType";
      readonly name: Path;
      readonly parameters: readonly Literal[];
      readonly collation?: Expression;
    })
  | (Node & {
      readonly kind: "ArrayTypeSyntax" | "RangeTypeSyntax";
      readonly element: TypeSyntax;
      readonly collation?: Expression;
    })
  | (Node & {
      readonly kind: "StructTypeSyntax";
      readonly fields: readonly { readonly name?: Identifier; readonly type: TypeSyntax }[];
      readonly collation?: Expression;
    });
