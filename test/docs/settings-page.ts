import type { SettingDefinition, SettingType } from "../../src/config/setting-definition.ts";
import { variableOf } from "../../src/config/setting-definition.ts";
import { settingDefinitions } from "../../src/config/settings.ts";

function formOf(type: SettingType): string {
  switch (type.kind) {
    case "text":
      return "text";
    case "choice":
      return type.choices.join(", ");
    case "integer":
      return `integer ${type.minimum} to ${type.maximum}`;
  }
}

/** `docs/configuration.md` with the table of settings. */
export function printSettings(page: string): string {
  const rows = Object.values<SettingDefinition>(settingDefinitions).map((definition) => {
    const value = definition.default === undefined ? "unset" : `\`${definition.default}\``;
    return `| \`${variableOf(definition)}\` | ${formOf(definition.type)} | ${value} | ${definition.description} |\n`;
  });
  const head = "| variable | type | default | meaning |\n|---|---|---|---|\n";
  return page.replace(/^\| variable \| type \| default \| meaning \|\n(?:\|.*\n)*/m, () => head + rows.join(""));
}
