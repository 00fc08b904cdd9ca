import type { SourceStatistics, StoreReport } from "../../contract/query-engine.ts";
import type { HostReport, TableStatistics } from "../host/protocol.ts";
import type { SourceState } from "./source-state.ts";

/** What the host tells of a source, in the contract's types. */
export function toStatistics({ name, rowCount, oldestUs, newestUs, tailRowCount }: TableStatistics): SourceStatistics {
  return {
    name,
    rowCount,
    oldestTimestampUs: oldestUs === null ? null : BigInt(oldestUs),
    newestTimestampUs: newestUs === null ? null : BigInt(newestUs),
    tailRowCount,
  };
}

/** The same of all that it keeps. */
export function toReport(
  { logLoss }: Pick<StoreReport, "logLoss">,
  directory: string | undefined,
  { sources, ...sizes }: HostReport,
  findState: (name: string) => Pick<SourceState, "mistyped"> | undefined,
): StoreReport {
  return {
    directory,
    logLoss,
    ...sizes,
    sources: sources.map(({ fieldCount, runCount, tenantlessCount, ...table }) => ({
      ...toStatistics(table),
      fieldCount,
      runCount,
      ...(tenantlessCount === null ? {} : { tenantlessCount }),
      mistyped: [...(findState(table.name)?.mistyped.values() ?? [])],
    })),
  };
}
