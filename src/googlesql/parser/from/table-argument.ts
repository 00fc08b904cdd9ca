import type { Path, TableFunctionArgument } from "../../ast.ts";
import { parseArgument } from "../call.ts";
import { parseList } from "../clause.ts";
import type { Cursor } from "../cursor.ts";

/** An argument of a table function: an expression, a table, a model, a connection or a list of columns. */
export function parseTableArgument(cursor: Cursor): TableFunctionArgument {
  cursor.enter();
  const argument = parseArgumentInside(cursor);
  cursor.leave();
  return argument;
}

function parseArgumentInside(cursor: Cursor): TableFunctionArgument {
  const { start, code } = cursor.token;
  const next = cursor.peek();
  if (code === "SELECT" || (code === "WITH" && next.code !== "(")) {
    const message =
      "Syntax error: Each subquery argument for table-valued function calls must be enclosed in parentheses. To " +
      `fix this, replace ${code}... with (${code}...)`;
    throw cursor.error(message, cursor.token);
  }
  if (code === "INPUT" && next.code === "TABLE") {
    cursor.advance();
    cursor.advance();
    return { kind: "InputTableArgument", span: cursor.spanFrom(start) };
  }
  const isDescriptor = code === "DESCRIPTOR" && next.code === "(";
  if (isDescriptor) {
    cursor.advance();
    const names = cursor.identifierList().map((name) => cursor.pathOf([name]));
    return { kind: "DescriptorArgument", span: cursor.spanFrom(start), names };
  }
  const isNamed = cursor.isIdentifier(next) || (code === "CONNECTION" && next.code === "DEFAULT");
  if (isNamed && code === "TABLE") return parseTableName(cursor, start);
  if (isNamed && (code === "MODEL" || code === "CONNECTION")) {
    cursor.advance();
    const name: Path = cursor.is("DEFAULT") ? cursor.pathOf([cursor.takeIdentifier()]) : cursor.path();
    const kind = code === "MODEL" ? "ModelArgument" : "ConnectionArgument";
    return { kind, span: cursor.spanFrom(start), names: [name] };
  }
  return parseArgument(cursor);
}

/** `TABLE a.b`, or `TABLE f(...)`, a table function of its own. */
function parseTableName(cursor: Cursor, start: number): TableFunctionArgument {
  cursor.advance();
  const path = cursor.path();
  if (!cursor.take("(")) return { kind: "TableArgument", span: cursor.spanFrom(start), path };
  const args = cursor.is(")") ? [] : parseList(cursor, parseTableArgument);
  cursor.expect(")");
  return { kind: "TableArgument", span: cursor.spanFrom(start), path, arguments: args };
}
