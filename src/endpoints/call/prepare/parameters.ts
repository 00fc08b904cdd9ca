import type { ParameterValue } from "../../../engines/contract/query-engine.ts";
import { invalidParameter, ServiceError } from "../../../shared/errors.ts";
import type { ParameterDefinition } from "../../definition/definition.ts";
import { describeParameterType, parseParameterValue } from "../../definition/parameter-value.ts";

/** The values of a call's declared parameters, by name as declared. */
export type BoundParameters = ReadonlyMap<string, ParameterValue>;

/**
 * Selects the declared parameters from the values that a call sent, checks them and brings them into canonical form.
 * Undeclared values are ignored. A parameter that was not sent, or was sent as JSON null, gets its default, otherwise
 * NULL; an empty text counts as not sent for every type but string. Throws `missing_parameter` or `invalid_parameter`
 * with the parameter's name.
 */
export function bindParameters(
  definitions: readonly ParameterDefinition[],
  sent: ReadonlyMap<string, unknown>,
): BoundParameters {
  return new Map(definitions.map((definition) => [definition.name, bindOne(definition, sent.get(definition.name))]));
}

/** Reads the texts among a call's parameters, by their names in lower case. */
export function textReader(values: BoundParameters): (name: string) => string | undefined {
  const texts = new Map([...values].map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = texts.get(name);
    return typeof value === "string" ? value : undefined;
  };
}

function bindOne(definition: ParameterDefinition, raw: unknown): ParameterValue {
  const { name, type, allowed } = definition;
  if (raw === undefined || raw === null || (raw === "" && type !== "string")) {
    if (!definition.isRequired) return definition.default;
    throw new ServiceError("missing_parameter", `The parameter ${name} is required`, {
      parameter: name,
      ...(allowed === undefined ? {} : { allowed }),
      hint:
        allowed === undefined
          ? `Add ${name}=..., which is ${describeParameterType(type)}.`
          : `Add ${name}=..., which is one of ${allowed.join(", ")}.`,
    });
  }
  const value = parseParameterValue(type, raw);
  if (value === undefined) {
    const message = `The parameter ${name} must be ${describeParameterType(type)}`;
    throw invalidParameter(name, message, allowed && { allowed });
  }
  if (allowed !== undefined && !allowed.includes(String(value))) {
    throw invalidParameter(name, `The parameter ${name} must be one of ${allowed.join(", ")}`, { allowed });
  }
  return value;
}

/**
 * The row limit that a call asks for with `limit`: undefined when it does not. Throws `invalid_parameter` outside 1
 * to `maxRows`.
 */
export function parseLimit(raw: unknown, maxRows: number): number | undefined {
  if (raw === undefined || raw === null || raw === "") return undefined;
  const value = Number(parseParameterValue("int64", raw) ?? Number.NaN);
  if (value >= 1 && value <= maxRows) return value;
  throw invalidParameter("limit", `The parameter limit must be an integer from 1 to ${maxRows}`);
}
