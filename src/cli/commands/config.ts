import { type EffectiveSetting, readConfiguration } from "../../config/config.ts";
import { type CliContext, print, printJson } from "../context.ts";
import { formatTable } from "../output/table.ts";

/** Prints every setting, its value and where it came from; secrets only say whether they are set. */
export function showConfig(options: { readonly json?: boolean }, context: CliContext): void {
  const { effective } = readConfiguration(context, context.environment);
  if (options.json === true) {
    const settings = effective.map((each) => [
      each.definition.name,
      { value: shownValue(each) ?? null, origin: each.origin },
    ]);
    printJson(context.output, Object.fromEntries(settings));
    return;
  }
  const rows = effective.map((each) => [each.definition.name, String(shownValue(each) ?? "(unset)"), each.origin]);
  print(context.output, formatTable(["SETTING", "VALUE", "FROM"], rows));
}

function shownValue({ definition, value }: EffectiveSetting): string | number | undefined {
  if (definition.mask !== undefined && value !== undefined) return definition.mask(String(value));
  return definition.isSecret === true && value !== undefined ? "(set)" : value;
}
