/**
 * The syntax tree: what a text says, before any name is looked up. Nodes are plain readonly data; `span` is where the
 * node stands in the text. Chains that can be long (AND, OR, `||`, set operations, joins, select lists) are arrays or
 * left-deep and must be walked without recursion on the left; real nesting is bounded by the parser's depth limit.
 */

export type * from "./ast/expression.ts";
export type * from "./ast/from.ts";
export type * from "./ast/node.ts";
export type * from "./ast/pipe.ts";
export type * from "./ast/query.ts";
export type * from "./ast/type.ts";
