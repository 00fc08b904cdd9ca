import type { LogLoss, SourceStatistics, StoreReport, StoreSpace } from "../../contract/query-engine.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { HostReport, HostSizes, TableStatistics } from "../host/protocol.ts";
import { figureDefinitions, findStoreProblems, sourceFigures, storeFigures } from "./store-figures.ts";

/** Converts the host's report about a source to the contract's types. */
export function toStatistics({ name, rowCount, oldestUs, newestUs }: TableStatistics): SourceStatistics {
  return {
    name,
    rowCount,
    oldestTimestampUs: oldestUs === null ? null : BigInt(oldestUs),
    newestTimestampUs: newestUs === null ? null : BigInt(newestUs),
  };
}

/** The file never shrinks: what is free in it is used before it grows. */
export function toSpace({ fileBytes, reusableBytes, diskFreeBytes }: HostSizes): StoreSpace {
  return { usedBytes: fileBytes - reusableBytes, freeBytes: diskFreeBytes + reusableBytes };
}

/** The same of all that it keeps. */
export function toReport(
  report: HostReport,
  { directory, logLoss }: { readonly directory: string | undefined; readonly logLoss: LogLoss | undefined },
  findState: (name: string) => Pick<SourceState, "mistyped"> | undefined,
): StoreReport {
  return {
    directory,
    space: toSpace(report),
    figureDefinitions,
    figures: storeFigures(report),
    problems: findStoreProblems(report, directory, logLoss),
    sources: report.sources.map((source) => ({
      ...toStatistics(source),
      fieldCount: source.fieldCount,
      ...(source.tenantlessCount === null ? {} : { tenantlessCount: source.tenantlessCount }),
      mistyped: [...(findState(source.name)?.mistyped.values() ?? [])],
      figures: sourceFigures(source),
    })),
  };
}
