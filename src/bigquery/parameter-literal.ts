import { MAX_QUERY_LENGTH } from "../googlesql/limits.ts";
import { printString } from "../googlesql/string-literal.ts";
import { invalidParameter, ServiceError } from "../shared/errors.ts";

/** BigQuery's `QueryParameterType`. */
interface ParameterType {
  readonly type?: string;
  readonly arrayType?: ParameterType;
  readonly structTypes?: readonly { readonly name?: string; readonly type?: ParameterType }[];
  readonly rangeElementType?: ParameterType;
}

/** BigQuery's `QueryParameterValue`. */
interface ParameterValue {
  readonly value?: unknown;
  readonly arrayValues?: readonly ParameterValue[] | null;
  readonly structValues?: Readonly<Record<string, ParameterValue>> | null;
  /** A bound that is absent, or has no value, is unbounded. */
  readonly rangeValue?: { readonly start?: ParameterValue | null; readonly end?: ParameterValue | null } | null;
}

/** BigQuery's `QueryParameter`; one without a name is positional. */
export interface QueryParameter {
  readonly name?: string;
  readonly parameterType?: ParameterType;
  readonly parameterValue?: ParameterValue;
}

/** Types whose texts are those of their literals: `DATE '2026-08-20'`. */
const byLiteral = ["NUMERIC", "BIGNUMERIC", "DATE", "DATETIME", "TIME", "TIMESTAMP", "JSON"];
const names: Readonly<Record<string, string>> = {
  INTEGER: "INT64",
  FLOAT: "FLOAT64",
  BOOLEAN: "BOOL",
  DECIMAL: "NUMERIC",
  BIGDECIMAL: "BIGNUMERIC",
};
const scalars = [...byLiteral, "INT64", "FLOAT64", "BOOL", "STRING", "BYTES", "INTERVAL"];
const rangeElements = ["DATE", "DATETIME", "TIMESTAMP"];

/** Types that are deeper than any query's would only exhaust the stack. */
const maxDepth = 50;

/**
 * The value as a GoogleSQL expression of its type, on one line. Throws `invalid_parameter`, and `query_too_long` for
 * one of more characters than the maximum.
 */
export function toLiteral({ name, parameterType = {}, parameterValue = {} }: QueryParameter, maximum: number): string {
  const shown = name ?? "?";
  const parts: string[] = [];
  let length = 0;
  const write: Write = (text) => {
    length += text.length;
    if (length > maximum) throw refuseLongLiterals();
    parts.push(text);
  };
  try {
    printValue(shown, parameterType, parameterValue ?? {}, write);
    return parts.join("");
  } catch (error) {
    if (error instanceof TypeError) throw refuse(shown, "is not of the form of BigQuery's parameters");
    throw error;
  }
}

/** Takes the next part of an expression: each element has its type, so that a small body may describe a huge text. */
type Write = (text: string) => void;

/** The error of values that are longer than a query may be once they stand in it. */
export function refuseLongLiterals(): ServiceError {
  const message = `The query with its parameters' values is longer than ${MAX_QUERY_LENGTH} characters`;
  return new ServiceError("query_too_long", message, { parameter: "queryParameters" });
}

/** The plain value of a parameter, for one that an endpoint declares. Throws `invalid_parameter` for any other. */
export function toPlainValue({ name = "?", parameterType, parameterValue }: QueryParameter): unknown {
  const { arrayType, structTypes, rangeElementType } = parameterType ?? {};
  if ((arrayType ?? structTypes ?? rangeElementType) === undefined) return parameterValue?.value ?? null;
  throw refuse(name, "is one of the endpoint's, which take no arrays, records or ranges");
}

function refuse(parameter: string, problem: string): ServiceError {
  return invalidParameter(parameter, `The query parameter ${parameter.slice(0, 200)} ${problem}`);
}

function printType(shown: string, sent: ParameterType, depth = 0): string {
  const { type = "", arrayType, structTypes, rangeElementType } = sent;
  const kind = names[type.toUpperCase()] ?? type.toUpperCase();
  if (depth > maxDepth) throw refuse(shown, "is nested too deeply");
  if (kind === "ARRAY") return `ARRAY<${printType(shown, arrayType ?? {}, depth + 1)}>`;
  if (kind === "STRUCT") {
    const fields = (structTypes ?? []).map(({ name, type: each = {} }) => {
      const inner = printType(shown, each, depth + 1);
      return name === undefined || name === "" ? inner : `${quoteName(shown, name)} ${inner}`;
    });
    return `STRUCT<${fields.join(", ")}>`;
  }
  if (kind === "RANGE") {
    const element = (rangeElementType?.type ?? "").toUpperCase();
    if (rangeElements.includes(element)) return `RANGE<${element}>`;
    throw refuse(shown, "is a range, whose elements must be of type DATE, DATETIME or TIMESTAMP");
  }
  if (scalars.includes(kind)) return kind;
  throw refuse(shown, `has the type ${type.slice(0, 100) || "none"}, which cannot be sent`);
}

function quoteName(shown: string, name: string): string {
  if (/^\w+$/.test(name)) return `\`${name}\``;
  throw refuse(shown, "has a field whose name is not of letters, digits and _");
}

function printValue(shown: string, type: ParameterType, sent: ParameterValue, write: Write): void {
  const printed = printType(shown, type);
  const { value, arrayValues, structValues, rangeValue } = sent;
  if (printed.startsWith("ARRAY<")) {
    if (arrayValues === null || arrayValues === undefined) {
      write(`CAST(NULL AS ${printed})`);
      return;
    }
    write(`${printed}[`);
    for (const [index, each] of [...arrayValues].entries()) {
      if (index > 0) write(", ");
      printValue(shown, type.arrayType ?? {}, each, write);
    }
    write("]");
    return;
  }
  if (printed.startsWith("STRUCT<")) {
    if (structValues === null || structValues === undefined) {
      write(`CAST(NULL AS ${printed})`);
      return;
    }
    write(`${printed}(`);
    for (const [index, { name = "", type: each = {} }] of (type.structTypes ?? []).entries()) {
      if (index > 0) write(", ");
      printValue(shown, each, structValues[name] ?? {}, write);
    }
    write(")");
    return;
  }
  if (printed.startsWith("RANGE<") && rangeValue !== null && rangeValue !== undefined) {
    write("RANGE(");
    printValue(shown, type.rangeElementType ?? {}, rangeValue.start ?? {}, write);
    write(", ");
    printValue(shown, type.rangeElementType ?? {}, rangeValue.end ?? {}, write);
    write(")");
    return;
  }
  write(value === null || value === undefined ? `CAST(NULL AS ${printed})` : printScalar(shown, printed, value));
}

function printScalar(shown: string, type: string, sent: unknown): string {
  if (typeof sent === "object") throw refuse(shown, `must be a text that is a value of ${type}`);
  const text = String(sent);
  if (!text.isWellFormed()) throw refuse(shown, "holds half of a surrogate pair");
  switch (type) {
    case "STRING":
      return printString(text);
    case "BYTES":
      return `FROM_BASE64(${printString(text)})`;
    case "BOOL":
      if (/^(?:true|false)$/i.test(text)) return text.toUpperCase();
      throw refuse(shown, "must be true or false");
    case "INT64":
      // LIMIT takes nothing but a literal.
      if (/^\d{1,19}$/.test(text)) return text;
      if (/^[+-]?\d{1,19}$/.test(text)) return `(${text})`;
      throw refuse(shown, "must be an integer of 64 bits");
    case "FLOAT64":
    case "INTERVAL":
      return `CAST(${printString(text)} AS ${type})`;
    default:
      return `${type} ${printString(text)}`;
  }
}
