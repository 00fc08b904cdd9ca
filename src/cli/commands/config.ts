import { readConfiguration } from "../../config/config.ts";
import type { EffectiveSetting } from "../../config/setting-definition.ts";
import { type CommandContext, printAnswer } from "../context.ts";
import { formatTable } from "../output/table.ts";

/** Prints every setting, its value and where it came from; secrets only say whether they are set. */
export function showConfig(context: CommandContext): void {
  const { effective } = readConfiguration(context, context.environment);
  const settings = effective.map((each) => [
    each.definition.name,
    { value: shownValue(each) ?? null, origin: each.origin },
  ]);
  const rows = effective.map((each) => [each.definition.name, String(shownValue(each) ?? "(unset)"), each.origin]);
  printAnswer(context, Object.fromEntries(settings), formatTable(["SETTING", "VALUE", "FROM"], rows));
}

function shownValue({ definition, value }: EffectiveSetting): string | number | undefined {
  if (definition.mask !== undefined && value !== undefined) return definition.mask(String(value));
  return definition.isSecret === true && value !== undefined ? "(set)" : value;
}
