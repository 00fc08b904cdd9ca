/** How a setting's text is read and checked. */
export type SettingType =
  | {
      readonly kind: "text";
      readonly form?: RegExp;
      readonly formText?: string;
      /** Returns a value's problem, in words that follow the setting's name; undefined for a valid value. */
      readonly findProblem?: (value: string) => string | undefined;
    }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "integer"; readonly minimum: number; readonly maximum: number };

export interface SettingDefinition {
  /** In the file: the row's key in snake case. The environment variable is `LOGWEIR_` and this in upper case. */
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

export const integer = (minimum: number, maximum: number) => ({ kind: "integer", minimum, maximum }) as const;

type SettingRow = Omit<SettingDefinition, "name">;

/** The value of a setting, from its row: of its type, and undefined where there is no default. */
type ValueOf<Row extends SettingRow> =
  | (Row["type"] extends { readonly kind: "integer" }
      ? number
      : Row["type"] extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string)
  | (undefined extends Row["default"] ? undefined : never);

/** The values of settings, by the keys of their rows. */
export type ValuesOf<Rows extends Readonly<Record<string, SettingRow>>> = {
  readonly [Key in keyof Rows]: ValueOf<Rows[Key]>;
};

/** A setting with its effective value: one row of `logweir config`. */
export interface EffectiveSetting {
  readonly definition: SettingDefinition;
  readonly value: string | number | undefined;
  readonly origin: "environment" | "file" | "default";
}

/** The environment variable of a setting. */
export function variableOf({ name }: Pick<SettingDefinition, "name">): string {
  return `LOGWEIR_${name.toUpperCase()}`;
}

/** Rows of settings with their names. */
export function nameSettings<const Rows extends Readonly<Record<string, SettingRow>>>(rows: Rows) {
  const named = Object.entries(rows).map(([key, row]): [string, SettingDefinition] => {
    return [key, { ...row, name: key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }];
  });
  return Object.fromEntries(named) as { readonly [Key in keyof Rows]: Rows[Key] & { readonly name: string } };
}

export const giga = 1_000_000_000;
