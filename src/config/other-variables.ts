/**
 * The environment of Logflare, which the service can replace: which of its variables have a meaning here, and which do
 * not.
 */
import type { EffectiveSetting, SettingDefinition } from "./setting-definition.ts";
import { settingDefinitions } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Fixed tokens with fewer characters are weak. */
export const minimumTokenLength = 16;

/** Levels of Elixir's logger that have another name here. */
const levels: ReadonlyMap<string, string> = new Map([
  ["emergency", "fatal"],
  ["alert", "fatal"],
  ["critical", "fatal"],
  ["warning", "warn"],
  ["notice", "info"],
  ["all", "trace"],
  ["none", "silent"],
]);

/** The first variable of another service that sets this, with its value in our form. */
export function readOtherVariable(
  definition: SettingDefinition,
  env: Environment,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of definition.otherVariables ?? []) {
    const value = env[name];
    if (value === undefined || value === "") continue;
    const isLevel = definition.name === settingDefinitions.logLevel.name;
    return { name, value: isLevel ? (levels.get(value.toLowerCase()) ?? value.toLowerCase()) : value };
  }
  return undefined;
}

/** True for a token that is shorter than ours may be: installations that exist have such ones. */
export function isWeakToken(definition: SettingDefinition, value: string): boolean {
  return definition.isSecret === true && value.trim().length < minimumTokenLength;
}

/** The problems of weak tokens when other machines can reach the service, unless weak tokens are allowed. */
export function findExposedTokens(effective: readonly EffectiveSetting[]): readonly string[] {
  const read = ({ name }: SettingDefinition) => effective.find(({ definition }) => definition.name === name)?.value;
  const host = String(read(settingDefinitions.host));
  if (isLoopback(host) || read(settingDefinitions.allowWeakTokens) === "1") return [];
  const weak = effective.filter(
    ({ definition, value }) => value !== undefined && isWeakToken(definition, String(value)),
  );
  return weak.map(({ definition }) => {
    const variables = (definition.otherVariables ?? []).join(" or ");
    return (
      `${variables}: a token of fewer than ${minimumTokenLength} characters is not taken at the address ` +
      `${host}; set a longer one, or LOGWEIR_ALLOW_WEAK_TOKENS=1`
    );
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A line with the names of Logflare's variables that are set but have no meaning here. */
export function nameUnusedVariables(env: Environment): readonly string[] {
  const used = new Set(
    Object.values<SettingDefinition>(settingDefinitions).flatMap((each) => each.otherVariables ?? []),
  );
  const isTheirs = (name: string) => /^(LOGFLARE_|POSTGRES_BACKEND_)/.test(name) && !used.has(name);
  const unused = Object.keys(env)
    .filter((name) => isTheirs(name) && env[name] !== "")
    .sort();
  return unused.length === 0 ? [] : [`These variables have no meaning here: ${unused.join(", ")}`];
}
