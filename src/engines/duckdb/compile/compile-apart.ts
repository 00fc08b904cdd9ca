import type { Engine } from "../../contract/query-engine.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import { toPortable } from "../query-plan.ts";
import { compileQuery } from "./compile.ts";

/** The compiler for another thread than the engine's: over layouts that came from it, and with plans of data only. */
export function compileApart(
  layoutOf: (...table: Parameters<LayoutCatalog>) => object | undefined,
): Pick<Engine, "compile"> {
  const layouts = layoutOf as LayoutCatalog;
  return { compile: (query, options) => toPortable(compileQuery(query, layouts, options)) };
}
