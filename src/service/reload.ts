import type { TakenFiles } from "../alerts/alerts.ts";
import { type AlertFile, AlertFileError } from "../alerts/load-alerts.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { EndpointFileError } from "../endpoints/definition/load-endpoints.ts";
import { ServiceError } from "../shared/errors.ts";
import { SourceFileError } from "../sources/load-sources.ts";
import type { ManagedSources, ManagedSourcesOptions } from "../sources/managed-sources.ts";
import type { Source } from "../sources/source.ts";
import { changedNames, type SourceRegistry } from "../sources/source-registry.ts";
import type { SourceTables } from "../sources/source-tables.ts";

/** The changes to the files of one folder, by name. */
export interface ReloadedNames {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The changes made by reloading the files. */
export interface Reloaded {
  readonly sources: ReloadedNames;
  readonly endpoints: ReloadedNames;
  readonly alerts: ReloadedNames;
}

export interface ReloadDependencies {
  readonly sources: SourceRegistry;
  readonly managedSources: Pick<ManagedSources, "exclusively">;
  /** All sources as files and store say them now. Throws `SourceFileError`. */
  readonly loadSources: () => Promise<readonly Source[]>;
  /** Reads the endpoint files with these tables and changes nothing. Throws `EndpointFileError`. */
  readonly checkEndpoints: (tables: SourceTables) => Promise<unknown>;
  /**
   * Reads the endpoint files with these tables and takes them over. Throws `EndpointFileError`, and nothing has
   * changed.
   */
  readonly reloadEndpoints: (tables: SourceTables) => Promise<ReloadedNames>;
  /** Names of endpoints that are in no file and would not run with these tables. */
  readonly findBroken: ManagedSourcesOptions["findBroken"];
  /** Reads the alert files and changes nothing. Throws `AlertFileError`. */
  readonly loadAlerts: () => Promise<readonly AlertFile[]>;
  readonly takeAlerts: (files: readonly AlertFile[]) => Promise<TakenFiles>;
}

/** Reads the files again on behalf of an actor, logs and records the outcome, and returns the changes. */
export function createReload(
  dependencies: ReloadDependencies & {
    readonly audit: Pick<AuditLog, "record">;
    readonly log: (level: "info" | "error", message: string) => void;
  },
): (actor: string) => Promise<Reloaded> {
  const { audit, log } = dependencies;
  return async (actor) => {
    try {
      const reloaded = await reloadFiles(dependencies);
      const counts = countNames(reloaded);
      log("info", `the files were read again: ${JSON.stringify(counts)}`);
      audit.record({ action: "reload", actor, details: counts });
      return reloaded;
    } catch (error) {
      const known = error instanceof ServiceError ? error : undefined;
      const texts = Object.values(known?.details.fields ?? {}).flat();
      log("error", `the files were not taken over: ${texts.length > 0 ? texts.join("\n") : String(error)}`);
      audit.record({ action: "reload", actor, error: known?.code ?? "internal", details: { problems: texts.length } });
      throw error;
    }
  };
}

function countNames(reloaded: Reloaded): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [folder, names] of Object.entries(reloaded)) {
    for (const how of ["added", "changed", "removed"] as const) counts[`${folder}_${how}`] = names[how].length;
  }
  return counts;
}

/**
 * Reads the files of sources, endpoints and alerts again. All of them are applied, or none: then `validation_failed`
 * reports every problem of every file, under `sources`, `endpoints` and `alerts`.
 */
function reloadFiles(dependencies: ReloadDependencies): Promise<Reloaded> {
  const { sources, managedSources } = dependencies;
  return managedSources.exclusively(async () => {
    const before = sources.sources;
    const loaded = await problemsOf(dependencies.loadSources, SourceFileError);
    const alerts = await problemsOf(dependencies.loadAlerts, AlertFileError);
    if (loaded.problems !== undefined) {
      const endpoints = await problemsOf(() => dependencies.checkEndpoints(sources), EndpointFileError);
      throw notReloaded({ sources: loaded.problems, endpoints: endpoints.problems, alerts: alerts.problems });
    }
    const endpoints = await sources.attempt(loaded.value, async (tables) => {
      const broken = await dependencies.findBroken(tables, changedNames(before, loaded.value));
      if (broken.length > 0 || alerts.problems !== undefined) {
        const found = await problemsOf(() => dependencies.checkEndpoints(tables), EndpointFileError);
        throw notReloaded({
          sources: broken.length > 0 ? [`These endpoints would no longer run: ${broken.join(", ")}`] : undefined,
          endpoints: found.problems,
          alerts: alerts.problems,
        });
      }
      const taken = await problemsOf(() => dependencies.reloadEndpoints(tables), EndpointFileError);
      if (taken.problems !== undefined) throw notReloaded({ endpoints: taken.problems });
      return taken.value;
    });
    sources.replace(loaded.value);
    const { written: _, ...taken } = await dependencies.takeAlerts(alerts.value ?? []);
    return { sources: compareSources(before, loaded.value), endpoints, alerts: taken };
  });
}

type Outcome<T> =
  | { readonly value: T; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly value?: undefined };

/** Returns the work's result, or the message of the expected error. */
async function problemsOf<T>(work: () => Promise<T>, expected: new () => Error): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof expected) return { problems: [error.message] };
    throw error;
  }
}

function notReloaded(problems: Readonly<Record<string, readonly string[] | undefined>>): ServiceError {
  const found = Object.entries(problems).filter(([, texts]) => texts !== undefined);
  const fields = Object.fromEntries(found) as Record<string, readonly string[]>;
  return new ServiceError("validation_failed", "Files have problems; what was there before stays in effect", {
    fields,
  });
}

function compareSources(before: readonly Source[], after: readonly Source[]): ReloadedNames {
  const old = new Map(before.map((source) => [source.name, JSON.stringify(source)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    changed: after
      .filter((source) => (old.get(source.name) ?? JSON.stringify(source)) !== JSON.stringify(source))
      .map(({ name }) => name),
    removed: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  };
}
