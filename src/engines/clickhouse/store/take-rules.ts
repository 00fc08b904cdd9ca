/** Applies a source's changed definition to the rows that it already has. */
import { EngineError } from "../../contract/query-engine.ts";
import type { SourceRules } from "../../schema/source/source-schema.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { ServerClient } from "../driver/client.ts";
import { fillDeclared } from "./declared-columns.ts";
import { fillColumn, rewrite, type TablePlace } from "./statements.ts";
import { readStatistics } from "./statistics.ts";

/**
 * Throws `refused` where a source that holds events is to have another tenant field: which tenant's events carried what
 * cannot be found out again, and nothing may be shown to the wrong one.
 */
export async function checkTenantField(
  client: ServerClient,
  place: TablePlace,
  state: SourceState,
  { tenantField }: SourceRules,
): Promise<void> {
  if ((state.rules?.tenantField ?? null) === tenantField) return;
  const [{ rowCount } = { rowCount: 0 }] = await readStatistics(client, place, [state]);
  if (rowCount === 0) return;
  throw new EngineError(
    "refused",
    `The source ${state.name} holds events, so that its tenant field cannot become another on ClickHouse. ` +
      "Keep the one it has, or make a new source",
  );
}

/** Puts what earlier rows have of declared fields into their columns. Doing it again changes nothing. */
export async function fillDeclaredColumns(
  client: ServerClient,
  place: TablePlace,
  { entries, table }: SourceState,
  { fields }: SourceRules,
): Promise<void> {
  for (const [path, type] of fields) {
    const filled = fillDeclared(entries, path, type);
    if (filled !== undefined) await rewrite(client, fillColumn(place, table, filled));
  }
}
