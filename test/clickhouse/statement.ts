/** A request of ClickHouse's HTTP interface, taken apart as far as the library has to be called differently. */

/** Parameters of an address that are no settings. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["query", "database", "query_id", "session_id", "session_timeout", "default_format", "user", "password", "role"],
  ...["wait_end_of_query", "buffer_size", "compress", "decompress", "quota_key", "stacktrace", "close_session"],
]);

/** Formats whose rows may be cut anywhere between two of them: the library writes each block by itself. */
const CUTTABLE: ReadonlySet<string> = new Set([
  ...["JSONEachRow", "JSONStringsEachRow", "JSONCompactEachRow", "JSONCompactStringsEachRow", "RowBinary", "Native"],
  ...["TabSeparated", "TSV", "TabSeparatedRaw", "TSVRaw", "CSV", "LineAsString", "CustomSeparated"],
]);

export interface Statement {
  readonly kind: "rows" | "insert" | "other";
  /** Without its FORMAT, but for inserts. */
  readonly sql: string;
  readonly format: string;
  readonly canBeCut: boolean;
}

export interface RequestParts {
  readonly statement: Statement;
  /** The inserted data; undefined if the statement contains everything. */
  readonly data: Buffer | undefined;
  readonly queryId: string | undefined;
  readonly database: string | undefined;
  /** In the order in which they have to be set. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Stands behind the last row. */
  readonly end: Buffer;
  readonly isCompressed: boolean;
  readonly cancelsWhenLeft: boolean;
}

/** A text as a literal. */
export function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`;
}

function readStatement(text: string, defaultFormat: string): Statement {
  const bare = text.replace(/^(?:\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/, "");
  const [word = ""] = /^\(*\s*[A-Za-z]+/.exec(bare) ?? [];
  const keyword = word.replace(/^[(\s]+/, "").toUpperCase();
  if (keyword === "INSERT") return { kind: "insert", sql: bare.trim(), format: defaultFormat, canBeCut: false };
  const found = /\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(bare);
  const format = found?.[1] ?? defaultFormat;
  const sql = (found === null ? bare : bare.slice(0, found.index)).replace(/[;\s]+$/, "");
  const isRows = keyword === "SELECT" || keyword === "WITH";
  return { kind: isRows ? "rows" : "other", sql, format, canBeCut: isRows && CUTTABLE.has(format) };
}

/** Does the statement itself say what to insert? */
function hasOwnRows(sql: string): boolean {
  return /\bVALUES\s*\(/i.test(sql) || (/\bSELECT\b/i.test(sql) && !/\bFORMAT\s+\w+\s*$/i.test(sql));
}

export function readRequest(search: URLSearchParams, body: Buffer): RequestParts {
  const query = search.get("query");
  const text = query ?? body.toString();
  const statement = readStatement(text, search.get("default_format") ?? "TabSeparated");
  const needsData = statement.kind === "insert" && !hasOwnRows(statement.sql);
  const settings: (readonly [string, string])[] = [];
  const parameters: (readonly [string, string])[] = [];
  for (const [name, value] of search) {
    if (name.startsWith("param_")) parameters.push([name, value]);
    else if (!RESERVED.has(name)) settings.push([name, value]);
  }
  // Nothing can be set any more behind it.
  settings.sort(([a], [b]) => Number(a === "readonly") - Number(b === "readonly"));
  return {
    statement,
    data: needsData && query !== null ? body : undefined,
    queryId: search.get("query_id") ?? undefined,
    database: search.get("database") ?? undefined,
    settings,
    parameters,
    end: Buffer.from(search.get("format_custom_result_after_delimiter") ?? ""),
    isCompressed: search.get("enable_http_compression") === "1",
    cancelsWhenLeft: search.get("cancel_http_readonly_queries_on_client_close") === "1",
  };
}
