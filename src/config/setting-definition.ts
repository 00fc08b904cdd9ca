/** How a setting's text is read and checked. */
export type SettingType =
  | { readonly kind: "text"; readonly form?: RegExp; readonly formText?: string }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "integer"; readonly minimum: number; readonly maximum: number };

export interface SettingDefinition {
  /** In the file; the environment variable is `LOGWEIR_` and this in upper case. */
  readonly name: string;
  readonly type: SettingType;
  /** Undefined where the setting is off, or is worked out, unless it is set. */
  readonly default: string | number | undefined;
  readonly description: string;
  /** Never printed. */
  readonly isSecret?: true;
  /** What is printed of a value that holds a secret among other things. */
  readonly mask?: (value: string) => string;
  /** Environment variables of other services that set it too, where ours does not; the first one counts most. */
  readonly otherVariables?: readonly string[];
  /** True for what only the environment can hold. */
  readonly isEnvironmentOnly?: true;
}

export const integer = (minimum: number, maximum: number): SettingType => ({ kind: "integer", minimum, maximum });

export const giga = 1_000_000_000;
