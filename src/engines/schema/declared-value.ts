/** Values of declared fields: what fits their type, and what becomes it without a loss. */
import { isInt64 } from "../../values/number-text.ts";
import { numberText } from "../contract/parse-json.ts";
import type { EventValue } from "../contract/query-engine.ts";
import type { ValueType } from "./schema-entry.ts";
import { arrayType, isScalar, type ScalarValue } from "./value-type.ts";

/** Texts that become an INT64 without a loss, unless it is out of range: a pattern of RE2 and of JavaScript. */
export const INTEGER_TEXT = "-?[0-9]{1,19}";
/** The same of a FLOAT64. */
export const NUMBER_TEXT = "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?";

const integerPattern = new RegExp(`^${INTEGER_TEXT}$`);
const numberPattern = new RegExp(`^${NUMBER_TEXT}$`);

function toInt64(value: ScalarValue): number | bigint | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  const isText = typeof value === "string" && integerPattern.test(value);
  if (!isText && typeof value !== "bigint" && !(typeof value === "number" && Number.isInteger(value))) return undefined;
  const integer = BigInt(value);
  return isInt64(integer) ? integer : undefined;
}

function toFloat64(value: ScalarValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || (typeof value === "string" && !numberPattern.test(value))) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function toBool(value: ScalarValue): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** A number's text, as its JSON has it. */
function toText(value: ScalarValue): string {
  return typeof value === "number" ? numberText(value) : String(value);
}

/** The value in the type; undefined if it cannot be converted without loss. */
export function fitScalar(value: ScalarValue, type: ValueType): ScalarValue | undefined {
  switch (type) {
    case "STRING":
      return typeof value === "string" ? value : toText(value);
    case "INT64":
      return toInt64(value);
    case "FLOAT64":
      return toFloat64(value);
    case "BOOL":
      return toBool(value);
    default:
      return undefined;
  }
}

/** The elements as those of a declared array; undefined where one of them does not fit. */
export function fitArray(items: readonly EventValue[], type: ValueType): readonly ScalarValue[] | undefined {
  if (!type.endsWith("[]")) return undefined;
  if (arrayType(items) === type && items.every(isScalar)) return items as readonly ScalarValue[];
  const element = type.slice(0, -2) as ValueType;
  const fitted: ScalarValue[] = [];
  for (const item of items) {
    const value = isScalar(item) ? fitScalar(item, element) : undefined;
    if (value === undefined) return undefined;
    fitted.push(value);
  }
  return fitted;
}
