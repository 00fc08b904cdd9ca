import { functionFacts } from "../../googlesql/catalogue/index.ts";
import type { AnyExpr } from "../../googlesql/resolved.ts";

/** Whether a node of a resolved expression is a call that gives another value each time. */
export const isRandomCall = (at: AnyExpr): boolean =>
  at.kind === "Call" && functionFacts(at.function).volatility === "row";
