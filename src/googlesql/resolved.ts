/**
 * The resolved query: every name looked up, every expression typed, every coercion written out as a cast, stars and
 * USING expanded, pipe operators turned into the scans they mean. It is an algebra in the manner of ZetaSQL's resolved
 * AST: a scan makes rows with columns that have identities instead of names, so that an engine can print it without
 * thinking about scoping. Engines print SQL from this tree only.
 */

export type * from "./resolved/call.ts";
export type * from "./resolved/expression.ts";
export type * from "./resolved/query.ts";
export type * from "./resolved/scan.ts";
