import type { Span } from "../../diagnostic.ts";
import type { Expr } from "../../resolved.ts";
import { isUntypedNull, type Resolution } from "../resolution.ts";

/** What signatures cannot say of arguments together, by the function; undefined where they are fine. */
function faultOf(name: string, values: readonly Expr[]): string | undefined {
  if (name === "ARRAY_CONCAT" && values.some(isUntypedNull)) {
    return "The arguments of ARRAY_CONCAT must be arrays, and NULL alone is none; write CAST(NULL AS ARRAY<...>)";
  }
  if (name !== "CONCAT") return undefined;
  const typed = values.filter(({ type }) => type.kind !== "UNKNOWN");
  const isOfBytes = ({ type }: Expr) => type.kind === "BYTES";
  if (!typed.some(isOfBytes) || typed.every(isOfBytes)) return undefined;
  return "CONCAT joins BYTES with BYTES only; cast the others";
}

/** Reports arguments that match a signature and may not stand together all the same; true where it did. */
export function refuseTogether(resolution: Resolution, name: string, values: readonly Expr[], span: Span): boolean {
  const fault = faultOf(name, values);
  if (fault !== undefined) resolution.report("type_mismatch", fault, span, { name });
  return fault !== undefined;
}
