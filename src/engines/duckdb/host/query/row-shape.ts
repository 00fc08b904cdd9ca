/** Statements that select plain columns of one table up to a limit, read from their text as the compiler prints it. */
import { LATE_ROWS } from "../../driver/connection.ts";

/** How to ask for the rows of such a statement without their texts. */
export interface RowShape {
  readonly table: string;
  /** The same statement, which answers each row's tenant behind its columns where rows have one. */
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
  /** Of each column: its name where it is a text to keep; else undefined, and `keysSql` answers it. */
  readonly texts: readonly (string | undefined)[];
  /** Where the id stands among all columns, and in what `keysSql` answers. */
  readonly idPosition: number;
  readonly idKeyPosition: number;
}

const PLAIN_ROWS =
  /^SELECT ((?:t1\."\w+" AS \w+, )*t1\."\w+" AS \w+) FROM "(\w+)" AS t1((?: WHERE .*)?) ORDER BY ((?:\w+ (?:ASC|DESC) NULLS (?:FIRST|LAST)(?:, )?)+) LIMIT (\d+)::BIGINT$/s;
const ITEM = /t1\."(\w+)" AS (\w+)/g;
/** What reads the select list by position, or is more than one SELECT. Inside a literal it only costs the shape. */
const READS_LIST = /\b(?:GROUP BY|UNION|INTERSECT|EXCEPT|HAVING|QUALIFY)\b/;
const TEXT_COLUMN = /^(?:event_message|j\d+)$/;

interface Item {
  readonly text: string;
  readonly column: string;
  readonly alias: string;
}

function positionOf(items: readonly Item[], name: string): number {
  return items.findIndex(({ column }) => column === name);
}

/** The column that tells tenants apart in a table; undefined where nothing does. */
export type FindTenantColumn = (table: string) => string | undefined;

/** Undefined for any other statement, and where there is no text, or no id to find it by. */
export function parseRowShape(
  sql: string,
  valueCount: number,
  findTenantColumn: FindTenantColumn = () => undefined,
): RowShape | undefined {
  const [, list = "", table = "", where = "", order = "", limitText = ""] = PLAIN_ROWS.exec(sql) ?? [];
  const limit = Number(limitText);
  if (list === "" || limit === 0 || limit > LATE_ROWS || READS_LIST.test(where)) return undefined;
  const items = [...list.matchAll(ITEM)].map(([text, column = "", alias = ""]): Item => ({ text, column, alias }));
  const keys = items.filter(({ column }) => !TEXT_COLUMN.test(column));
  const isReadElsewhere = ({ alias }: Item) => where.includes(alias) || order.includes(alias);
  if (keys.length === items.length || items.some((item) => !keys.includes(item) && isReadElsewhere(item)))
    return undefined;
  const [idPosition, idKeyPosition] = [positionOf(items, "id"), positionOf(keys, "id")];
  if (idPosition === -1) return undefined;
  // Ids are unique within a tenant.
  const column = findTenantColumn(table);
  const tenant = column === undefined ? "" : `, t1."${column}" AS lw_tenant`;
  const select = `SELECT ${keys.map(({ text }) => text).join(", ")}${tenant} FROM "${table}" AS t1`;
  const time = keys.find(({ column }) => column === "timestamp");
  const since = `t1."timestamp" >= CAST($${valueCount + 1} AS TIMESTAMP)`;
  const bounded = where === "" ? since : `${since} AND (${where.slice(" WHERE ".length)})`;
  return {
    table,
    wholeSql: `SELECT ${list}${tenant} FROM "${table}" AS t1${where} ORDER BY ${order} LIMIT ${limit}::BIGINT`,
    hasTenant: column !== undefined,
    limit,
    valueCount,
    keysSql: `${select}${where} ORDER BY ${order} LIMIT ${limit}::BIGINT`,
    newest:
      time === undefined || !order.startsWith(`${time.alias} DESC NULLS LAST`)
        ? undefined
        : {
            sql: `${select} WHERE ${bounded} ORDER BY ${order} LIMIT ${LATE_ROWS + 1}::BIGINT`,
            timePosition: positionOf(items, "timestamp"),
            timeKeyPosition: positionOf(keys, "timestamp"),
          },
    texts: items.map(({ column }) => (TEXT_COLUMN.test(column) ? column : undefined)),
    idPosition,
    idKeyPosition,
  };
}
