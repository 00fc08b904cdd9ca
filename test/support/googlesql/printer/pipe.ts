import type { PipeOperator, SelectItem } from "../../../../src/googlesql/ast.ts";
import {
  joinParts,
  printGroupBy,
  printLimit,
  printOrderBy,
  printSelectItem,
  printSortOrder,
  printWindows,
} from "./clause.ts";
import { printAlias, printIdentifier, printIdentifiers } from "./name.ts";
import { printSelectHead, printSetOperationMode, printWith } from "./query.ts";
import type { PrintRules } from "./rules.ts";
import { printCondition, printJoinType, printSuffix, printTable, printTableCall } from "./table.ts";

/** `|> OPERATOR ...`. */
export function printPipe(rules: PrintRules, pipe: PipeOperator): string {
  return `|> ${printOperator(rules, pipe)}`;
}

function printItems(rules: PrintRules, items: readonly SelectItem[]): string {
  return items.map((item) => printSelectItem(rules, item)).join(", ");
}

function printOperator(rules: PrintRules, pipe: PipeOperator): string {
  switch (pipe.kind) {
    case "PipeSelect":
      return joinParts(printSelectHead(rules, pipe), printWindows(rules, pipe.windows));
    case "PipeExtend":
      return joinParts("EXTEND", printItems(rules, pipe.items), printWindows(rules, pipe.windows));
    case "PipeWindow":
      return `WINDOW ${printItems(rules, pipe.items)}`;
    case "PipeSet": {
      const items = pipe.items.map((item) => `${printIdentifier(item.column)} = ${rules.expression(item.value)}`);
      return `SET ${items.join(", ")}`;
    }
    case "PipeDrop":
      return `DROP ${printIdentifiers(pipe.columns)}`;
    case "PipeRename":
      return `RENAME ${pipe.items.map((item) => `${printIdentifier(item.from)} AS ${printIdentifier(item.to)}`).join(", ")}`;
    case "PipeAs":
      return `AS ${printIdentifier(pipe.alias)}`;
    case "PipeWhere":
      return `WHERE ${rules.expression(pipe.predicate)}`;
    case "PipeLimit":
      return printLimit(rules, pipe.limit);
    case "PipeAggregate": {
      const items = pipe.items.map((item) =>
        joinParts(printSelectItem(rules, item), item.order && printSortOrder(item.order, true)),
      );
      return joinParts("AGGREGATE", items.join(", "), pipe.groupBy && printGroupBy(rules, pipe.groupBy));
    }
    case "PipeDistinct":
      return "DISTINCT";
    case "PipeOrderBy":
      return printOrderBy(rules, pipe.orderBy);
    default:
      return printTableOperator(rules, pipe);
  }
}

type TableOperator =
  | "PipeSetOperation"
  | "PipeJoin"
  | "PipeCall"
  | "PipePivot"
  | "PipeUnpivot"
  | "PipeTableSample"
  | "PipeWith"
  | "PipeRecursiveUnion";

function printTableOperator(rules: PrintRules, pipe: Extract<PipeOperator, { kind: TableOperator }>): string {
  switch (pipe.kind) {
    case "PipeSetOperation": {
      const queries = pipe.queries.map((query) => `(${rules.query(query)})`);
      return `${printSetOperationMode(pipe.mode)} ${queries.join(", ")}`;
    }
    case "PipeJoin":
      return joinParts(printJoinType(pipe.type), printTable(rules, pipe.right), printCondition(rules, pipe));
    case "PipeCall":
      return `CALL ${printTableCall(rules, pipe.function)}${printAlias(pipe.function.alias)}`;
    case "PipePivot":
      return printSuffix(rules, pipe.pivot);
    case "PipeUnpivot":
      return printSuffix(rules, pipe.unpivot);
    case "PipeTableSample":
      return printSuffix(rules, pipe.sample);
    case "PipeWith":
      return printWith(rules, pipe.with);
    case "PipeRecursiveUnion": {
      const content =
        "kind" in pipe.query ? rules.query(pipe.query) : pipe.query.map((inner) => printPipe(rules, inner)).join(" ");
      return `RECURSIVE ${printSetOperationMode(pipe.mode)} (${content})${printAlias(pipe.alias)}`;
    }
  }
}
