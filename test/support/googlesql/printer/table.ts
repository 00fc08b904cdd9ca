import type {
  Join,
  Pivot,
  TableExpression,
  TableFunction,
  TableFunctionArgument,
  TableSample,
  TableSuffix,
  Unnest,
  Unpivot,
  WithOffset,
} from "../../../../src/googlesql/ast.ts";
import { printArgument } from "./call.ts";
import { joinParts, printPartitionBy, printSelectExpression } from "./clause.ts";
import { BASE_LEVEL } from "./level.ts";
import { printAlias, printIdentifier, printIdentifiers, printPath, printWord } from "./name.ts";
import type { PrintRules } from "./rules.ts";

/** Prints the table after FROM. Chains of joins are long on the left, so that side is walked in a loop. */
export function printTable(rules: PrintRules, table: TableExpression): string {
  const chain: Join[] = [];
  let left = table;
  while (left.kind === "Join") {
    chain.push(left);
    left = left.left;
  }
  let printed = printRelation(rules, left);
  for (const join of chain.reverse()) {
    const condition = printCondition(rules, join);
    if (join.type === "COMMA") printed += `, ${printTable(rules, join.right)}`;
    else printed += ` ${joinParts(printJoinType(join.type), printTable(rules, join.right), condition)}`;
  }
  return printed;
}

export function printJoinType(type: Join["type"]): string {
  return type === "INNER" ? "JOIN" : `${type} JOIN`;
}

export function printCondition(rules: PrintRules, join: Pick<Join, "on" | "using">): string {
  if (join.on !== undefined) return `ON ${rules.expression(join.on)}`;
  return join.using === undefined ? "" : `USING (${printIdentifiers(join.using)})`;
}

function printRelation(rules: PrintRules, table: Exclude<TableExpression, Join>): string {
  const suffixes = printSuffixes(rules, table.suffixes);
  switch (table.kind) {
    case "TableReference": {
      const { forSystemTime } = table;
      const name = `${printPath(table.path)}${printAlias(table.alias)}`;
      const time = forSystemTime && `FOR SYSTEM_TIME AS OF ${rules.expression(forSystemTime)}`;
      return joinParts(name, printWithOffset(table.withOffset), time, suffixes);
    }
    case "Unnest":
      return joinParts(
        `${printUnnest(rules, table)}${printAlias(table.alias)}`,
        printWithOffset(table.withOffset),
        suffixes,
      );
    case "TableSubquery": {
      const lateral = table.isLateral === true ? "LATERAL " : "";
      return joinParts(`${lateral}(${rules.query(table.query)})${printAlias(table.alias)}`, suffixes);
    }
    case "TableFunction":
      return joinParts(`${printTableCall(rules, table)}${printAlias(table.alias)}`, suffixes);
    case "ParenthesizedJoin":
      return joinParts(`(${printTable(rules, table.join)})`, suffixes);
  }
}

function printWithOffset(withOffset: WithOffset | undefined): string {
  return withOffset === undefined ? "" : `WITH OFFSET${printAlias(withOffset.alias)}`;
}

function printUnnest(rules: PrintRules, unnest: Unnest): string {
  const arrays = unnest.arrays.map((array) => `${rules.expression(array.expression)}${printAlias(array.alias)}`);
  const mode = unnest.mode === undefined ? [] : [`mode => ${rules.expression(unnest.mode)}`];
  return `UNNEST(${[...arrays, ...mode].join(", ")})`;
}

/** `f(...)` without its alias. */
export function printTableCall(rules: PrintRules, call: TableFunction): string {
  const args = call.arguments.map((argument) => printTableArgument(rules, argument));
  return `${printPath(call.name)}(${args.join(", ")})`;
}

function printTableArgument(rules: PrintRules, argument: TableFunctionArgument): string {
  switch (argument.kind) {
    case "Argument":
      return printArgument(rules, argument);
    case "TableArgument": {
      const args = argument.arguments?.map((inner) => printTableArgument(rules, inner));
      return `TABLE ${printPath(argument.path)}${args === undefined ? "" : `(${args.join(", ")})`}`;
    }
    case "ModelArgument":
      return `MODEL ${argument.names.map(printPath).join(", ")}`;
    case "ConnectionArgument":
      return `CONNECTION ${argument.names.map(printPath).join(", ")}`;
    case "DescriptorArgument":
      return `DESCRIPTOR(${argument.names.map(printPath).join(", ")})`;
    case "InputTableArgument":
      return "INPUT TABLE";
  }
}

function printSuffixes(rules: PrintRules, suffixes: readonly TableSuffix[]): string {
  return suffixes.map((suffix) => printSuffix(rules, suffix)).join(" ");
}

/** PIVOT, UNPIVOT or TABLESAMPLE. */
export function printSuffix(rules: PrintRules, suffix: TableSuffix): string {
  switch (suffix.kind) {
    case "Pivot":
      return printPivot(rules, suffix);
    case "Unpivot":
      return printUnpivot(rules, suffix);
    case "TableSample":
      return printSample(rules, suffix);
  }
}

function printPivot(rules: PrintRules, pivot: Pivot): string {
  const aggregates = pivot.aggregates.map((item) => printSelectExpression(rules, item)).join(", ");
  const values = pivot.values.map((item) => printSelectExpression(rules, item)).join(", ");
  const input = rules.expression(pivot.input, BASE_LEVEL.comparison + 1);
  return `PIVOT(${aggregates} FOR ${input} IN (${values}))${printAlias(pivot.alias)}`;
}

function printUnpivot(rules: PrintRules, unpivot: Unpivot): string {
  const inputs = unpivot.inputs.map((input) => {
    const [column] = input.columns;
    const isSingle = column !== undefined && input.columns.length === 1;
    const columns = isSingle ? printPath(column) : `(${input.columns.map(printPath).join(", ")})`;
    return `${columns}${input.label === undefined ? "" : ` AS ${rules.expression(input.label)}`}`;
  });
  const nulls = unpivot.includesNulls ? "INCLUDE NULLS " : "";
  const columns = `(${printIdentifiers(unpivot.valueColumns)})`;
  const name = printIdentifier(unpivot.nameColumn);
  return `UNPIVOT ${nulls}(${columns} FOR ${name} IN (${inputs.join(", ")}))${printAlias(unpivot.alias)}`;
}

function printSample(rules: PrintRules, sample: TableSample): string {
  const { size, unit, partitionBy, repeatable, weight } = sample;
  const content = joinParts(rules.expression(size), unit, printPartitionBy(rules, partitionBy));
  return joinParts(
    `TABLESAMPLE ${printWord(sample.method)} (${content})`,
    weight && `WITH WEIGHT${printAlias(weight.alias)}`,
    repeatable && `REPEATABLE (${rules.expression(repeatable)})`,
  );
}
