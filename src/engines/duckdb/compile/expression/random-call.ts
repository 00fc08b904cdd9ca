import { isRandomFunction } from "../../../../googlesql/catalogue/index.ts";
import type { AggregateCall, Expr, WindowCall } from "../../../../googlesql/resolved.ts";

/** Whether a node of a resolved expression is a call that gives another value each time. */
export const isRandomCall = (at: Expr | AggregateCall | WindowCall): boolean =>
  at.kind === "Call" && isRandomFunction(at.function);
