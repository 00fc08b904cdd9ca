/** Rewrites a statement that selects plain columns of one table so that it leaves out texts. */
import { LATE_ROWS, type PlainColumn, type RowsPlan } from "../../statement-plan.ts";

/** How to ask for the rows of such a statement without their texts. */
export interface RowShape {
  readonly table: string;
  /** The same statement, with each row's tenant after its columns if rows have one. */
  readonly wholeSql: string;
  readonly hasTenant: boolean;
  readonly limit: number;
  /** Values that the statement takes. */
  readonly valueCount: number;
  /** The same without the texts. */
  readonly keysSql: string;
  /**
   * That statement from a time on, its last parameter; only where rows are sorted newest first. It asks for more than
   * `limit` rows where there are more: beyond `LATE_ROWS` DuckDB makes no second pass over the table, which keys have
   * no use for.
   */
  readonly newest:
    | { readonly sql: string; readonly timePosition: number; readonly timeKeyPosition: number }
    | undefined;
  /** The name of each column that is a cached text; undefined for those that `keysSql` returns. */
  readonly texts: readonly (string | undefined)[];
  /** Where the id stands among all columns, and in what `keysSql` answers. */
  readonly idPosition: number;
  readonly idKeyPosition: number;
}

function positionOf(columns: readonly PlainColumn[], name: string): number {
  return columns.findIndex(({ column }) => column === name);
}

/** The column that identifies the tenant in a table; undefined where nothing does. */
export type FindTenantColumn = (table: string) => string | undefined;

/** Undefined where there is no text, or no id to find it by. */
export function createRowShape(
  { table, alias, columns, where, order, isNewestFirst, limit }: RowsPlan,
  valueCount: number,
  findTenantColumn: FindTenantColumn = () => undefined,
): RowShape | undefined {
  if (limit === 0 || limit > LATE_ROWS) return undefined;
  const keys = columns.filter(({ isText }) => !isText);
  const [idPosition, idKeyPosition] = [positionOf(columns, "id"), positionOf(keys, "id")];
  if (idKeyPosition === -1 || keys.length === columns.length) return undefined;
  // Ids are unique within a tenant.
  const tenantColumn = findTenantColumn(table);
  const tenant = tenantColumn === undefined ? "" : `, ${alias}."${tenantColumn}" AS lw_tenant`;
  const print = (list: readonly PlainColumn[], condition: string, count: number) => {
    const items = list.map(({ column, alias: name }) => `${alias}."${column}" AS ${name}`).join(", ");
    const filter = condition === "" ? "" : ` WHERE ${condition}`;
    return `SELECT ${items}${tenant} FROM "${table}" AS ${alias}${filter} ORDER BY ${order} LIMIT ${count}::BIGINT`;
  };
  const since = `${alias}."timestamp" >= CAST($${valueCount + 1} AS TIMESTAMP)`;
  const timeKeyPosition = positionOf(keys, "timestamp");
  return {
    table,
    wholeSql: print(columns, where, limit),
    hasTenant: tenantColumn !== undefined,
    limit,
    valueCount,
    keysSql: print(keys, where, limit),
    newest:
      timeKeyPosition === -1 || !isNewestFirst
        ? undefined
        : {
            sql: print(keys, where === "" ? since : `${since} AND (${where})`, LATE_ROWS + 1),
            timePosition: positionOf(columns, "timestamp"),
            timeKeyPosition,
          },
    texts: columns.map(({ column, isText }) => (isText ? column : undefined)),
    idPosition,
    idKeyPosition,
  };
}
