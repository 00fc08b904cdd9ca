import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Type } from "typebox";
import { parseCheckedYaml } from "../shared/documents/checked-yaml.ts";
import { findNearest } from "../shared/documents/nearest.ts";
import { messageOf } from "../shared/message-of.ts";
import { UserError } from "../shared/user-error.ts";
import { findServerProblems, readServer } from "./engine-settings.ts";
import {
  findExposedTokens,
  isWeakToken,
  minimumTokenLength,
  nameUnusedVariables,
  readOtherVariable,
} from "./other-variables.ts";
import { type EffectiveSetting, type SettingDefinition, variableOf } from "./setting-definition.ts";
import { type Settings, type SettingValues, settingDefinitions } from "./settings.ts";
import { findSignInProblems } from "./sign-in-settings.ts";

/** Settings that cannot be used; the message lists every problem on a line of its own. */
export class ConfigError extends UserError {
  override readonly name = "ConfigError";
}

/** The effective settings, and the origin of each value. */
export interface Configuration {
  readonly settings: Settings;
  readonly effective: readonly EffectiveSetting[];
  /** Notes about the environment for the operators, written to the log. */
  readonly warnings?: readonly string[];
}

/** Where relative paths and the files that come with Logweir are looked for. */
export interface ConfigPlaces {
  readonly workingDir: string;
  /** The folder that holds the package's own `endpoints` and `sources`. */
  readonly packageDir: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const clientVariables = ["LOGWEIR_URL", "LOGWEIR_TOKEN"] as const;

/**
 * Reads the settings from the environment and, below it, from the YAML file. An empty variable counts as unset.
 * Throws `ConfigError` for unknown variables and keys, and for values of the wrong type or out of range.
 */
export function readConfiguration(places: ConfigPlaces, env: Environment = process.env): Configuration {
  const problems = findUnknownVariables(env);
  const file = readFileSettings(env, places, problems);
  const warnings: string[] = [];
  const effective = Object.values<SettingDefinition>(settingDefinitions).map((definition): EffectiveSetting => {
    const fromEnv = env[variableOf(definition)];
    if (fromEnv !== undefined && fromEnv !== "") {
      return { definition, value: check(definition, fromEnv, variableOf(definition), problems), origin: "environment" };
    }
    const other = readOtherVariable(definition, env);
    if (other !== undefined) {
      if (isWeakToken(definition, other.value)) {
        warnings.push(`${other.name} has fewer than ${minimumTokenLength} characters: whoever tries may guess it`);
        return { definition, value: other.value, origin: "environment" };
      }
      return { definition, value: check(definition, other.value, other.name, problems), origin: "environment" };
    }
    const fromFile = file.values[definition.name];
    if (fromFile !== undefined) {
      return {
        definition,
        value: check(definition, fromFile, `${file.path}: ${definition.name}`, problems),
        origin: "file",
      };
    }
    return { definition, value: definition.default, origin: "default" };
  });
  const keys = Object.keys(settingDefinitions);
  // `check` has made each value what its row says, or has reported it.
  const values = Object.fromEntries(effective.map(({ value }, at) => [keys[at], value])) as SettingValues;
  problems.push(
    ...findExposedTokens(effective),
    ...findSharedTokens(values),
    ...findServerProblems(values),
    ...findBoundProblems(values),
    ...findSignedTokenProblems(values),
    ...findSignInProblems(values),
    ...findMailProblems(values),
  );
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  const settings = toSettings(values, places);
  return { settings, effective, warnings: [...warnings, ...nameUnusedVariables(env)] };
}

/** The same for a service whose events are on a server, whichever engine the settings name. */
export function readServerConfiguration(places: ConfigPlaces, env: Environment = process.env): Configuration {
  return readConfiguration(places, { ...env, [variableOf(settingDefinitions.engine)]: "clickhouse" });
}

/** The ClickHouse server for commands, from the service's settings; no address when none is set. */
export function readClickHouseServer(env: Environment = process.env): {
  readonly url: string | undefined;
  readonly user: string;
  readonly password: string;
  readonly database: string;
} {
  return {
    url: env.LOGWEIR_CLICKHOUSE_URL?.split(",")[0],
    user: env.LOGWEIR_CLICKHOUSE_USER ?? "default",
    password: env.LOGWEIR_CLICKHOUSE_PASSWORD ?? "",
    database: env.LOGWEIR_CLICKHOUSE_DATABASE ?? "default",
  };
}

/** The default address and token of commands that call a service. */
export function readClientDefaults(env: Environment = process.env): {
  readonly url: string;
  /** False where the address is the usual one, since none is named. */
  readonly isUrlNamed: boolean;
  readonly token: string | undefined;
} {
  const [urlVariable, tokenVariable] = clientVariables;
  const url = env[urlVariable] || undefined;
  return {
    url: url ?? "http://127.0.0.1:4000",
    isUrlNamed: url !== undefined,
    token: env[tokenVariable] || undefined,
  };
}

/**
 * How a store of objects is reached, by the variables that AWS's own tools read; what the environment does not say is
 * absent.
 */
export function readObjectStore(env: Environment = process.env) {
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  return {
    ...(endpoint ? { endpoint } : {}),
    ...(region ? { region } : {}),
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) } }
      : {}),
  };
}

/** False when colours are disabled (no-color.org), or the terminal has none. */
export function allowsColours(env: Environment = process.env): boolean {
  return !env.NO_COLOR && env.TERM !== "dumb";
}

function findUnknownVariables(env: Environment): string[] {
  const known = [...Object.values<SettingDefinition>(settingDefinitions).map(variableOf), ...clientVariables];
  const unknown = Object.keys(env).filter((name) => name.startsWith("LOGWEIR_") && !known.includes(name));
  return unknown.map((name) => {
    const nearest = findNearest(name, known);
    return `${name}: there is no such setting${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  });
}

interface FileSettings {
  readonly path: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

function readFileSettings(env: Environment, places: ConfigPlaces, problems: string[]): FileSettings {
  const named = env[variableOf(settingDefinitions.config)];
  const path = resolve(places.workingDir, named || "logweir.yaml");
  if (!existsSync(path)) {
    if (named) problems.push(`${variableOf(settingDefinitions.config)}: there is no file ${path}`);
    return { path, values: {} };
  }
  const inFile = Object.values<SettingDefinition>(settingDefinitions).filter((each) => each.isEnvironmentOnly !== true);
  const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
  const schema = Type.Object(Object.fromEntries(inFile.map((each) => [each.name, Type.Optional(scalar)])), {
    additionalProperties: false,
  });
  const text = readText(path, problems);
  if (text === undefined) return { path, values: {} };
  const checked = parseCheckedYaml(text, schema);
  if (checked.isValid) return { path, values: checked.value as Record<string, string | number | boolean> };
  problems.push(...checked.problems.map((problem) => `${path}: ${problem.message}`));
  return { path, values: {} };
}

/** Undefined, with the problem, for what is no file that can be read. */
function readText(path: string, problems: string[]): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    problems.push(`${variableOf(settingDefinitions.config)}: ${path} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

function check(
  definition: SettingDefinition,
  raw: string | number | boolean,
  where: string,
  problems: string[],
): string | number | undefined {
  const { type } = definition;
  const value = String(raw).trim();
  switch (type.kind) {
    case "text":
      if (definition.isSecret === true && value.length < minimumTokenLength) {
        problems.push(`${where}: must have at least ${minimumTokenLength} characters`);
      }
      if (type.form?.test(value) === false) problems.push(`${where}: must be ${type.formText}`);
      problems.push(
        ...[type.findProblem?.(value)].flatMap((found) => (found === undefined ? [] : `${where}: ${found}`)),
      );
      return value;
    case "choice":
      if (!type.choices.includes(value)) {
        problems.push(`${where}: must be one of ${type.choices.join(", ")}, not ${JSON.stringify(value)}`);
      }
      return value;
    case "integer": {
      const number = /^[+-]?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (Number.isNaN(number) || number < type.minimum || number > type.maximum) {
        const range = `from ${type.minimum} to ${type.maximum}`;
        problems.push(`${where}: must be an integer ${range}, not ${JSON.stringify(value)}`);
      }
      return number;
    }
  }
}

function toSettings(values: SettingValues, { workingDir, packageDir }: ConfigPlaces): Settings {
  const folders = (named: string | undefined, name: string): readonly string[] => {
    if (named !== undefined) return [resolve(workingDir, named)];
    const [shipped, own] = [join(packageDir, name), join(workingDir, name)];
    const hasOwn = own !== shipped && existsSync(own);
    return [...(values.shipped === "off" ? [] : [shipped]), ...(hasOwn ? [own] : [])];
  };
  const ownAlerts = existsSync(join(workingDir, "alerts")) ? join(workingDir, "alerts") : undefined;
  return {
    ...values,
    dataDir: resolve(workingDir, values.dataDir),
    engineServer: readServer(values),
    endpointFolders: folders(values.endpointsDir, "endpoints"),
    sourceFolders: folders(values.sourcesDir, "sources"),
    alertFolder: values.alertsDir === undefined ? ownAlerts : resolve(workingDir, values.alertsDir),
    spoolMaxMb: values.clickhouseSpoolMb,
    sizeBounds: { maxUsedBytes: toBytes(values.maxStoreMb), minFreeBytes: toBytes(values.minFreeMb) },
    isMetricsOpen: values.metricsOpen === "true",
    consoleFolder: values.console === "off" ? undefined : join(packageDir, "dist", "console"),
  };
}

function toBytes(megabytes: number | undefined): number | undefined {
  return megabytes === undefined ? undefined : megabytes * 1_000_000;
}

/** Problems of settings that limit signed tokens while none are accepted. */
function findSignedTokenProblems(values: SettingValues): readonly string[] {
  if (values.jwtKeys !== undefined) return [];
  return (["jwtIssuer", "jwtAudience", "jwtRevoked"] as const)
    .filter((key) => values[key] !== undefined)
    .map(
      (key) => `${variableOf(settingDefinitions[key])}: needs LOGWEIR_JWT_KEYS, by which signed tokens are accepted`,
    );
}

/** A value of two tokens would have the rights of either, and those who send events might do everything. */
function findSharedTokens(values: SettingValues): readonly string[] {
  const keys = (["privateToken", "publicToken", "apiKey"] as const).filter((key) => values[key] !== undefined);
  return keys.flatMap((key, at) => {
    const twin = keys.slice(0, at).find((other) => values[other] === values[key]);
    if (twin === undefined) return [];
    return [`${variableOf(settingDefinitions[key])}: must differ from ${variableOf(settingDefinitions[twin])}`];
  });
}

function findMailProblems({ smtpUrl, smtpFrom }: SettingValues): readonly string[] {
  if ((smtpUrl === undefined) === (smtpFrom === undefined)) return [];
  return ["LOGWEIR_SMTP_URL and LOGWEIR_SMTP_FROM belong together: set both, or none"];
}

/** A bound that cannot be measured exactly would delete too much. */
function findBoundProblems({ engine, clickhouseCluster, minFreeMb, maxStoreMb }: SettingValues): readonly string[] {
  if (engine !== "clickhouse") return [];
  const problems: string[] = [];
  if (minFreeMb !== undefined) {
    problems.push(
      "LOGWEIR_MIN_FREE_MB: the server frees its disk some time after a deletion; use LOGWEIR_MAX_STORE_MB",
    );
  }
  if (clickhouseCluster !== undefined && maxStoreMb !== undefined) {
    problems.push("LOGWEIR_MAX_STORE_MB: the servers of a cluster fill differently; use retention_days of the sources");
  }
  return problems;
}
