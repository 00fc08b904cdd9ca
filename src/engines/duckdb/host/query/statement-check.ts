/**
 * The second check: what the compiler printed is read back by DuckDB's own parser before it runs. It must be one
 * SELECT over the store's tables, with functions that the compiler can print and nothing else. A statement that fails
 * here is a bug of ours or an attack, never a mistake of a caller.
 */

import { LRUCache } from "lru-cache";
import { createSerialQueue } from "../../../../shared/concurrency/serial-queue.ts";
import { EngineError } from "../../../contract/query-engine.ts";
import type { Connection } from "../../driver/connection.ts";
import { allowedFunctions, allowedTableFunctions } from "../../sql/native-functions.ts";

interface StatementRules {
  isKnownTable(name: string): boolean;
  /** Lower-case names of scalar, aggregate and window functions; undefined: any. */
  readonly functions: ReadonlySet<string> | undefined;
  /** Lower-case names of functions that may stand in FROM. */
  readonly tableFunctions: ReadonlySet<string>;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const nodeTypes: ReadonlySet<Json> = new Set(["SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"]);
const fromTypes: ReadonlySet<Json> = new Set([
  "BASE_TABLE",
  "SUBQUERY",
  "JOIN",
  "TABLE_FUNCTION",
  "EMPTY",
  "EXPRESSION_LIST",
]);
/**
 * Operators are functions to DuckDB; their names hold no letters, except those of LIKE and its kind, which begin with
 * ~.
 */
const OPERATOR_NAME = /^[^a-z0-9_]+/;

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Calls `visit` for every object of the tree, without recursion, since a query may be nested deeply. */
function forEachObject(root: Json, visit: (object: JsonObject) => void): void {
  const pending: Json[] = [root];
  for (let json = pending.pop(); json !== undefined; json = pending.pop()) {
    if (isObject(json)) visit(json);
    for (const value of Object.values(json ?? {}) as readonly Json[]) {
      if (typeof value === "object" && value !== null) pending.push(value);
    }
  }
}

/** Names of common table expressions, anywhere in the statement. */
function namedQueries(statement: Json): Set<string> {
  const names = new Set<string>();
  forEachObject(statement, (object) => {
    if (isObject(object.cte_map) && Array.isArray(object.cte_map.map)) {
      for (const entry of object.cte_map.map as readonly Json[]) {
        if (isObject(entry) && typeof entry.key === "string") names.add(entry.key.toLowerCase());
      }
    }
    if (typeof object.ctename === "string") names.add(object.ctename.toLowerCase());
    if (typeof object.cte_name === "string") names.add(object.cte_name.toLowerCase());
  });
  return names;
}

function refuse(reason: string): never {
  throw new EngineError("refused", `The engine refused the compiled statement: ${reason}`);
}

function checkObject(object: JsonObject, rules: StatementRules, queries: ReadonlySet<string>): void {
  const { type } = object;
  if (typeof type === "string" && type.endsWith("_NODE") && !nodeTypes.has(type)) refuse(`a ${type}`);
  // Entries of FROM are the objects with an alias and a sample.
  if ("sample" in object && "alias" in object && !fromTypes.has(type ?? null)) refuse(`a ${type} in FROM`);
  if (type === "BASE_TABLE") {
    const name = String(object.table_name);
    const isQualified = Boolean(object.schema_name) || Boolean(object.catalog_name);
    const isKnown = queries.has(name.toLowerCase()) || rules.isKnownTable(name);
    if (isQualified || !isKnown) refuse(`the table ${name}`);
  }
  if (type === "TABLE_FUNCTION") {
    const call = object.function;
    const name = isObject(call) ? String(call.function_name).toLowerCase() : "";
    if (!rules.tableFunctions.has(name)) refuse(`the table function ${name}`);
    return;
  }
  if (typeof object.function_name === "string" && rules.functions !== undefined) {
    const name = object.function_name.toLowerCase();
    // DuckDB itself writes a list literal as a call of main.list_value.
    const isQualified = Boolean(object.catalog) || (Boolean(object.schema) && object.schema !== "main");
    const isAllowed = rules.functions.has(name) || rules.tableFunctions.has(name) || OPERATOR_NAME.test(name);
    if (isQualified || !isAllowed) refuse(`the function ${name}`);
  }
}

function checkSerialised(serialised: Json, rules: StatementRules): void {
  if (isObject(serialised) && /^Max expression depth/.test(String(serialised.error_message))) {
    throw new EngineError("query_failed", "The query is nested deeper than the engine can read");
  }
  if (!isObject(serialised) || serialised.error !== false) refuse("it is not a SELECT");
  const statements = serialised.statements;
  if (!Array.isArray(statements) || statements.length !== 1) refuse("it is not one statement");
  const queries = namedQueries(statements);
  forEachObject(statements, (object) => {
    checkObject(object, rules, queries);
  });
}

export type CheckStatement = (sql: string) => Promise<void>;

/** Builds the check; statements that passed are remembered by their text. */
export function createStatementCheck(
  connection: Pick<Connection, "all">,
  rules: StatementRules,
  maxRemembered = 1000,
): CheckStatement {
  const passed = new LRUCache<string, true>({
    max: maxRemembered,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: (_, sql) => sql.length + 1,
  });
  // The connection runs one statement at a time.
  const inTurn = createSerialQueue();
  return async (sql) => {
    if (passed.has(sql)) return;
    const [row] = await inTurn(() => connection.all("SELECT json_serialize_sql($1::VARCHAR)", [{ value: sql }]));
    checkSerialised(JSON.parse(String(row?.[0])) as Json, rules);
    passed.set(sql, true);
  };
}

export function statementRules(isKnownTable: (name: string) => boolean): StatementRules {
  return { isKnownTable, functions: allowedFunctions, tableFunctions: allowedTableFunctions };
}
