/** PIVOT, UNPIVOT and TABLESAMPLE, after a table or as pipe operators. */
import type { Expression, Identifier, Path, Pivot, TableSample, TableSuffix, Unpivot } from "../../ast.ts";
import { parseAliasedExpression, parseList, parsePartitionBy } from "../clause.ts";
import type { Cursor } from "../cursor.ts";
import { parseString, parseVariable } from "../literal.ts";
import { parseType } from "../type.ts";

/** PIVOT and UNPIVOT are no reserved words: what follows distinguishes the clause from a name. */
export function isPivotOrUnpivot(cursor: Cursor): boolean {
  const next = cursor.peek().code;
  if (cursor.is("PIVOT")) return next === "(";
  return cursor.is("UNPIVOT") && (next === "(" || next === "INCLUDE" || next === "EXCLUDE");
}

/** At most one PIVOT or UNPIVOT, as the grammar has it. */
export function parsePivots(cursor: Cursor): TableSuffix[] {
  if (!isPivotOrUnpivot(cursor)) return [];
  return [cursor.is("PIVOT") ? parsePivot(cursor) : parseUnpivot(cursor)];
}

/** Any number of TABLESAMPLE clauses. */
export function parseSamples(cursor: Cursor): TableSample[] {
  const samples: TableSample[] = [];
  while (cursor.is("TABLESAMPLE")) samples.push(parseTableSample(cursor));
  return samples;
}

/** `PIVOT(aggregate FOR input IN (values)) [alias]`. */
export function parsePivot(cursor: Cursor): Pivot {
  const { start } = cursor.advance();
  cursor.expect("(");
  const aggregates = parseList(cursor, parseAliasedExpression);
  cursor.expect("FOR");
  const input = cursor.rules.operand(cursor);
  cursor.expect("IN");
  cursor.expect("(");
  const values = parseList(cursor, parseAliasedExpression);
  cursor.expect(")");
  cursor.expect(")");
  const alias = cursor.optionalAlias();
  return { kind: "Pivot", span: cursor.spanFrom(start), aggregates, input, values, ...(alias && { alias }) };
}

/** `UNPIVOT [INCLUDE NULLS|EXCLUDE NULLS] (values FOR name IN (columns)) [alias]`. */
export function parseUnpivot(cursor: Cursor): Unpivot {
  const { start } = cursor.advance();
  const includesNulls = cursor.take("INCLUDE");
  if (includesNulls || cursor.take("EXCLUDE")) cursor.expect("NULLS");
  cursor.expect("(");
  const valueColumns = parsePaths(cursor).map((path) => readColumnName(cursor, path));
  cursor.expect("FOR");
  const nameColumn = readColumnName(cursor, cursor.path());
  if (!cursor.take("IN")) throw cursor.expected('"." or keyword IN');
  cursor.expect("(");
  const inputs = parseList(cursor, parseUnpivotInput);
  cursor.expect(")");
  cursor.expect(")");
  const alias = cursor.optionalAlias();
  const span = cursor.spanFrom(start);
  return { kind: "Unpivot", span, includesNulls, valueColumns, nameColumn, inputs, ...(alias && { alias }) };
}

function parseUnpivotInput(cursor: Cursor): Unpivot["inputs"][number] {
  const columns = parsePaths(cursor);
  const isLabelNeeded = cursor.take("AS");
  const label = parseUnpivotLabel(cursor);
  if (label === undefined && isLabelNeeded) throw cursor.expected("integer literal or string literal");
  return { columns, ...(label && { label }) };
}

/** `a`, or `(a, b)`. */
function parsePaths(cursor: Cursor): Path[] {
  if (!cursor.take("(")) return [cursor.path()];
  const paths = parseList(cursor, (inner) => inner.path());
  cursor.expect(")");
  return paths;
}

/** The grammar takes any path where a new column is named. */
function readColumnName(cursor: Cursor, path: Path): Identifier {
  const name = path.parts.at(-1);
  if (name === undefined) throw cursor.unexpected();
  if (path.parts.length > 1)
    cursor.refuse("UNPIVOT must name its columns by one name each", path.span, "invalid_query");
  return name;
}

function parseUnpivotLabel(cursor: Cursor): Expression | undefined {
  const { kind, start, value } = cursor.token;
  if (kind === "string") return parseString(cursor);
  if (kind !== "integer") return undefined;
  cursor.advance();
  return { kind: "IntLiteral", span: cursor.spanFrom(start), text: value };
}

/** `TABLESAMPLE method (size ROWS|PERCENT) ...`. */
export function parseTableSample(cursor: Cursor): TableSample {
  const { start } = cursor.advance();
  const method = cursor.identifier().name.toUpperCase();
  cursor.expect("(");
  const size = parseSize(cursor, true);
  if (!cursor.is("ROWS") && !cursor.is("PERCENT")) throw cursor.expected("keyword PERCENT or keyword ROWS");
  const unit = cursor.advance().code === "ROWS" ? "ROWS" : "PERCENT";
  const partitionBy = parsePartitionBy(cursor);
  cursor.expect(")");
  const weight = parseWeight(cursor);
  const repeatable = parseRepeatable(cursor);
  return {
    kind: "TableSample",
    span: cursor.spanFrom(start),
    method,
    size,
    unit,
    ...(partitionBy.length > 0 && { partitionBy }),
    ...(repeatable && { repeatable }),
    ...(weight && { weight }),
  };
}

function parseWeight(cursor: Cursor): TableSample["weight"] {
  if (!cursor.takeAll("WITH", "WEIGHT")) return undefined;
  const isRepeatable = cursor.is("REPEATABLE") && cursor.peek().code === "(";
  const alias = isRepeatable ? undefined : cursor.optionalAlias();
  return { ...(alias && { alias }) };
}

function parseRepeatable(cursor: Cursor): Expression | undefined {
  if (!cursor.is("REPEATABLE") || cursor.peek().code !== "(") return undefined;
  cursor.advance();
  cursor.expect("(");
  const seed = parseSize(cursor, false);
  cursor.expect(")");
  return seed;
}

/** A number, a parameter, or a cast of one of them. */
function parseSize(cursor: Cursor, allowsFloat: boolean): Expression {
  const { kind, start, value, code } = cursor.token;
  if (kind === "integer" || (allowsFloat && kind === "float")) {
    cursor.advance();
    const span = cursor.spanFrom(start);
    return kind === "integer" ? { kind: "IntLiteral", span, text: value } : { kind: "FloatLiteral", span, text: value };
  }
  if (code === "CAST") {
    cursor.advance();
    cursor.expect("(");
    const operand = parseSize(cursor, false);
    cursor.expect("AS");
    const type = parseType(cursor);
    cursor.expect(")");
    return { kind: "Cast", span: cursor.spanFrom(start), isSafe: false, operand, type };
  }
  const variable = parseVariable(cursor);
  if (variable === undefined) throw cursor.unexpected();
  return variable;
}
