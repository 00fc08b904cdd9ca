import type { Path } from "../../ast.ts";
import { insteadOfForeign } from "../../catalogue/tables/foreign.ts";
import type { Resolution } from "../resolution.ts";

/** Reports a function that cannot be called: one that is refused, another database's, or one that resembles others. */
export function reportUnknownFunction(resolution: Resolution, path: Path, kind = "Function"): void {
  const name = path.parts.map((part) => part.name).join(".");
  const refused = resolution.catalogue.find(name)?.definition.refused;
  if (refused !== undefined) {
    resolution.report("unsupported", `${name.toUpperCase()} is not supported: ${refused}`, path.span, { name });
    return;
  }
  const instead = insteadOfForeign(name);
  const message = `${kind} not found: ${name}${instead === undefined ? "" : `; GoogleSQL has ${instead}`}`;
  const suggestion =
    instead === undefined && kind === "Function" ? resolution.suggest(name, resolution.catalogue.names()) : undefined;
  resolution.report("unknown_function", message, path.span, { name, suggestion });
}
