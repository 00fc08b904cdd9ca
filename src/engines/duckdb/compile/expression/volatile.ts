/** Calls that answer anew each time. */
import type { AggregateCall, Expr, WindowCall } from "../../../../googlesql/resolved.ts";

export const isVolatile = (at: Expr | AggregateCall | WindowCall): boolean =>
  at.kind === "Call" && /^(?:RAND|GENERATE_UUID)$/.test(at.function);
