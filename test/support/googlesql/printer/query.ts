import type { Query, QueryBody, Select, SetOperationMode, WithClause } from "../../../../src/googlesql/ast.ts";
import { joinParts, printGroupBy, printLimit, printOrderBy, printSelectItem, printWindows } from "./clause.ts";
import { printIdentifier, printIdentifiers, printPath } from "./name.ts";
import type { PrintRules } from "./rules.ts";
import { printTable } from "./table.ts";

/** All of a query but its pipe operators. */
export function printQueryHead(rules: PrintRules, query: Query): string {
  return joinParts(
    query.with && printWith(rules, query.with),
    printBody(rules, query.body),
    query.orderBy && printOrderBy(rules, query.orderBy),
    query.limit && printLimit(rules, query.limit),
  );
}

export function printWith(rules: PrintRules, clause: WithClause): string {
  const entries = clause.entries.map((entry) => `${printIdentifier(entry.name)} AS (${rules.query(entry.query)})`);
  return `WITH ${clause.isRecursive ? "RECURSIVE " : ""}${entries.join(", ")}`;
}

function printBody(rules: PrintRules, body: QueryBody): string {
  switch (body.kind) {
    case "Select":
      return printSelect(rules, body);
    case "SetOperation":
      return body.inputs.map((input) => printBody(rules, input)).join(` ${printSetOperationMode(body.mode)} `);
    case "FromQuery":
      return `FROM ${printTable(rules, body.from)}`;
    case "Query":
      return `(${rules.query(body)})`;
  }
}

export function printSetOperationMode(mode: SetOperationMode): string {
  const { byName } = mode;
  const names = byName && (mode.isStrict === true ? "CORRESPONDING" : "BY NAME");
  const on = byName?.on && `${mode.isStrict === true ? "BY" : "ON"} (${printIdentifiers(byName.on)})`;
  const strict = mode.isStrict === true && "STRICT";
  return joinParts(mode.outer, mode.operator, mode.isAll ? "ALL" : "DISTINCT", strict, names, on);
}

/** `SELECT ...` up to the end of its list. */
export function printSelectHead(rules: PrintRules, select: Pick<Select, "isDistinct" | "as" | "items">): string {
  const as = typeof select.as === "object" ? printPath(select.as) : select.as;
  return joinParts(
    "SELECT",
    select.isDistinct && "DISTINCT",
    as && `AS ${as}`,
    select.items.map((item) => printSelectItem(rules, item)).join(", "),
  );
}

function printSelect(rules: PrintRules, select: Select): string {
  const { from, where, groupBy, having, qualify, windows } = select;
  return joinParts(
    printSelectHead(rules, select),
    from && `FROM ${printTable(rules, from)}`,
    where && `WHERE ${rules.expression(where)}`,
    groupBy && printGroupBy(rules, groupBy),
    having && `HAVING ${rules.expression(having)}`,
    qualify && `QUALIFY ${rules.expression(qualify)}`,
    printWindows(rules, windows),
  );
}
