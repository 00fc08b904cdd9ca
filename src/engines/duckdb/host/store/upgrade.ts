/** Stores of earlier formats, made into one of the present format when they are opened. */
import type { Connection } from "../../driver/connection.ts";
import { quoteIdentifier } from "../../sql-text.ts";

/**
 * The first format knew no tenants, and left what stands below an array of objects out of its columns from the first
 * such array on: these columns count for nothing, until a field is declared (see `declared-columns.ts`). Who carried
 * what is found out when the source's rules are reported. The format is raised last: cut short, it is done again.
 */
export async function upgradeFromFirst(connection: Connection): Promise<void> {
  await connection.transaction(async () => {
    await connection.all("ALTER TABLE lw_sources ADD COLUMN IF NOT EXISTS rules VARCHAR");
    await connection.all("ALTER TABLE lw_fields ADD COLUMN IF NOT EXISTS stale BOOLEAN DEFAULT false");
    await connection.all(`CREATE TABLE IF NOT EXISTS lw_tenants (source VARCHAR NOT NULL, tenant VARCHAR,
      entries VARCHAR NOT NULL)`);
  });
  await connection.transaction(async () => {
    await connection.all(`
      UPDATE lw_fields SET stale = true WHERE column_name IS NOT NULL AND role <> 'json' AND EXISTS (
      SELECT 1 FROM lw_fields AS above WHERE above.source = lw_fields.source AND above.role = 'repeated'
      AND starts_with(lw_fields.path, above.path || '.'))`);
    await joinTwins(connection);
    await connection.all("UPDATE lw_store SET format = 2");
  });
}

/** JSON columns of records whose names differ by case become one: the later fill the first. */
async function joinTwins(connection: Connection): Promise<void> {
  const twins = await connection.all(`SELECT table_name, list(column_name ORDER BY ordinal)
    FROM lw_fields JOIN lw_sources ON lw_sources.name = lw_fields.source
    WHERE role = 'json' GROUP BY table_name, lower(path) HAVING count(*) > 1`);
  for (const [table, columns] of twins) {
    const [first = "", ...others] = listOf(columns).map(quoteIdentifier);
    for (const other of others) {
      const sql =
        `UPDATE ${quoteIdentifier(String(table))} SET ${first} = ${other} WHERE ${first} IS NULL ` +
        `AND ${other} IS NOT NULL`;
      await connection.all(sql);
    }
  }
}

function listOf(value: unknown): readonly string[] {
  const { items } = value as { readonly items: readonly unknown[] };
  return items.map(String);
}
