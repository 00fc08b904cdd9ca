/** Taking a source's rules over: what its rows hold is made to agree with them. */

import type { SourceRules } from "../../../schema/source/source-schema.ts";
import type { Connection } from "../../driver/connection.ts";
import { fillDeclaredColumns } from "./declared-columns.ts";
import { keepRules } from "./source-tables.ts";
import type { StoredSource } from "./stored-source.ts";
import { findTenants, replaceTenants } from "./tenant-entries.ts";

/** Runs as a task of the writer. If interrupted, it is repeated the next time, since the rules are stored last. */
export async function applyRules(connection: Connection, source: StoredSource, rules: SourceRules): Promise<void> {
  const before = source.rules;
  if (JSON.stringify(before) === JSON.stringify(rules)) return;
  try {
    // The columns must be complete before they are queried for the fields of each tenant.
    await fillDeclaredColumns(connection, source, rules.fields);
    source.rules = rules;
    // Who has carried what is known as long as the tenants are the same; rows alone show less of it than the events
    // did.
    const isKnown = before != null && before.tenantField === rules.tenantField;
    const tenants = isKnown ? undefined : await findTenants(connection, source);
    await connection.transaction(async () => {
      if (tenants !== undefined) await replaceTenants(connection, source.name, tenants);
      await keepRules(connection, source.name, rules);
    });
  } catch (error) {
    source.rules = before;
    throw error;
  }
}
