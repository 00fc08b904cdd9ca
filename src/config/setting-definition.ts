/** How a setting's text is read and checked. */
export type SettingType =
  | { readonly kind: "text"; readonly form?: RegExp; readonly formText?: string }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "integer"; readonly minimum: number; readonly maximum: number };

export interface SettingDefinition {
  /** In the file; the environment variable is `LOGWEIR_` and this in upper case. */
  readonly name: string;
  readonly type: SettingType;
  /** Undefined when the setting is off or computed unless it is set. */
  readonly default: string | number | undefined;
  readonly description: string;
  /** Never printed. */
  readonly isSecret?: true;
  /** The printed form of a value that contains a secret among other things. */
  readonly mask?: (value: string) => string;
  /** Environment variables of other services that set it too when ours is not set, in order of precedence. */
  readonly otherVariables?: readonly string[];
  /** True for a setting that only the environment can contain. */
  readonly isEnvironmentOnly?: true;
}

export const integer = (minimum: number, maximum: number): SettingType => ({ kind: "integer", minimum, maximum });

export const giga = 1_000_000_000;
