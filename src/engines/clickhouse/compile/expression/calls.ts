/** Printing calls of scalar functions and operators, whose arguments are printed already. */
import type { Span } from "../../../../googlesql/diagnostic.ts";
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { MESSAGE_MARK } from "../../driver/server-error.ts";
import { scalarFunctions } from "../../functions/index.ts";
import { missingForm } from "../../functions/reasons.ts";
import type { CallContext } from "../../functions/types.ts";
import { NULL, textSql, variableSql } from "../../sql/atoms.ts";
import { bind, delayed, fallible, isTrue } from "../../sql/forms.ts";
import { Refusal, refusalIn } from "../../sql/refusal.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, currentGuard, nextAlias } from "../compilation.ts";
import { isWrapped, printNull } from "./literals.ts";

interface CallShape {
  readonly name: string;
  readonly args: readonly Sql[];
  readonly types: readonly SqlType[];
  readonly type: SqlType;
  readonly isSafe: boolean;
  readonly span: Span;
}

/** Prints a call by a row of the tables, which is handed all that it needs but the call itself. */
export function printRow(
  compilation: Compilation,
  shape: CallShape,
  print: (context: Omit<CallContext, "call">) => Sql,
): Sql {
  let refused: Refusal | undefined;
  const refuse = (reason: string) => {
    refused ??= new Refusal(`${nameOf(shape.name)}: ${reason}`, shape.span);
    return refused;
  };
  const guard = () => {
    const condition = currentGuard(compilation);
    return condition === "too long" ? refuse("it may fail, and what it depends on is too long") : condition;
  };
  const wait = (value: Sql) => (compilation.delaysFailures ? delayed(value) : value);
  const printed = print({
    args: shape.args,
    types: shape.types,
    type: shape.type,
    timeZone: compilation.timeZone,
    isSafe: shape.isSafe,
    mask: (value) => {
      const condition = guard();
      return fallible(condition === undefined ? wait(value) : sql`if(${condition}, ${wait(value)}, NULL)`);
    },
    failIf: (condition, message, value) => {
      const missing = isWrapped(shape.type) ? printNull(shape.type) : NULL;
      if (shape.isSafe) return sql`if(${isTrue(condition)}, ${missing}, ${value})`;
      const counts = guard();
      const fails = counts === undefined ? isTrue(condition) : sql`${counts} AND ${isTrue(condition)}`;
      const text = textSql(`${MESSAGE_MARK}${message}${MESSAGE_MARK}`);
      return fallible(sql`if(throwIf(${wait(fails)}, ${text}) = 0, ${value}, ${missing})`);
    },
    fresh: (prefix) => variableSql(nextAlias(compilation, prefix)),
    bind: (expressions, body) => bind(expressions, nextAlias(compilation, "x"), body, compilation.delaysFailures),
    refuse,
  });
  return refused ?? refusalIn(printed) ?? printed;
}

/** As the query's text has it. */
function nameOf(name: string): string {
  return name.startsWith("$") ? `Operator ${name.slice(1).replaceAll("_", " ")}` : `Function ${name}`;
}

/** The call over its printed arguments. */
export function printCall(compilation: Compilation, call: CallExpr, args: readonly Sql[]): Sql {
  const row = scalarFunctions[call.function];
  if (row === undefined) return new Refusal(missingForm(call.function, nameOf(call.function)), call.span);
  const types = call.arguments.map((argument) => argument?.type ?? call.type);
  const shape = { name: call.function, args, types, type: call.type, isSafe: call.isSafe, span: call.span };
  return printRow(compilation, shape, (context) => row({ ...context, call }));
}
