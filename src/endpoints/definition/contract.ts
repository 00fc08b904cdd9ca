import type { ParameterValue } from "../../engines/contract/query-engine.ts";
import { formatType, MIXED, type SqlType } from "../../googlesql/types.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import type { PlannedQuery } from "../call/plan/planned-query.ts";
import {
  type ContractColumn,
  type Endpoint,
  type EndpointContract,
  type ParameterDefinition,
  type ParameterType,
  parameterTypes,
} from "./definition.ts";

/** The contract of a query that was compiled, and of the parameters that its callers may send. */
export function inferContract(
  parameters: readonly ParameterDefinition[],
  { columns, paging }: Pick<PlannedQuery, "columns" | "paging">,
): EndpointContract {
  const shown = columns.slice(0, columns.length - (paging?.hiddenCount ?? 0));
  return { parameters, columns: shown.map(({ name, type }): ContractColumn => ({ name, type: withoutFields(type) })) };
}

/** The endpoint as shown to a caller: only owners see fields that other tenants' events have carried. */
export function showEndpoint(endpoint: Endpoint, isOwner: boolean): Endpoint {
  if (isOwner) return endpoint;
  const known = shown.get(endpoint);
  if (known !== undefined) return known;
  const { contract, publicContract = { parameters: contract.parameters, columns: [] } } = endpoint;
  const made = { ...endpoint, contract: publicContract };
  shown.set(endpoint, made);
  return made;
}

/** Endpoints as they were shown to others than owners: thousands of them are shown at each list. */
const shown = new WeakMap<Endpoint, Endpoint>();

/** Records lose their fields: events bring new ones at any time. */
function withoutFields(type: SqlType): SqlType {
  switch (type.kind) {
    case "RECORD":
      return { kind: "RECORD", fields: [], isRepeated: true, isOpen: true };
    case "MIXED":
      return MIXED;
    case "ARRAY":
      return { kind: "ARRAY", element: withoutFields(type.element) };
    case "STRUCT":
      return { kind: "STRUCT", fields: type.fields.map((field) => ({ ...field, type: withoutFields(field.type) })) };
    default:
      return type;
  }
}

/**
 * A column's type as contracts show it: as GoogleSQL writes it, with `RECORD` for a record of events and `UNKNOWN`
 * for what no event has carried.
 */
export function formatContractType(type: SqlType): string {
  switch (type.kind) {
    case "ARRAY":
      return `ARRAY<${formatContractType(type.element)}>`;
    case "STRUCT": {
      const fields = type.fields.map(
        ({ name, type: field }) => (name === undefined ? "" : `${name} `) + formatContractType(field),
      );
      return `STRUCT<${fields.join(", ")}>`;
    }
    case "RECORD":
    case "UNKNOWN":
      return type.kind;
    default:
      return formatType(type);
  }
}

/** True when events have not determined the whole type yet. */
export function isUnknownYet(type: SqlType): boolean {
  switch (type.kind) {
    case "UNKNOWN":
      return true;
    case "ARRAY":
      return isUnknownYet(type.element);
    case "STRUCT":
      return type.fields.some((field) => isUnknownYet(field.type));
    default:
      return false;
  }
}

/** A value as documents write it: what they are read with reads it again. */
function describeValue(type: ParameterType, value: ParameterValue): ParameterValue | number {
  if (typeof value !== "string") return value;
  if (type === "timestamp") return formatIsoTimestamp(BigInt(value));
  if (type === "bool") return value === "true";
  const isNumber = type === "float64" || (type === "int64" && Number.isSafeInteger(Number(value)));
  return isNumber ? Number(value) : value;
}

/** A parameter in the names that files and the API share. */
export function describeParameter(parameter: ParameterDefinition) {
  const { type, isRequired, allowed, description } = parameter;
  return {
    type,
    required: isRequired,
    allowed: allowed?.map((value) => describeValue(type, value)) ?? null,
    default: describeValue(type, parameter.default),
    description: description ?? null,
  };
}

/** The contract as the API shows it. */
export function describeContract({ parameters, columns }: EndpointContract) {
  return {
    parameters: parameters.map((parameter) => ({ name: parameter.name, ...describeParameter(parameter) })),
    columns: columns.map(({ name, type }) => ({ name, type: formatContractType(type) })),
  };
}

/** The stored form of the contract of a version. */
export function writeContract(contract: EndpointContract): string {
  return JSON.stringify(contract);
}

/** A contract that `writeContract` wrote. */
export function readContract(text: string): EndpointContract {
  const { parameters, columns } = JSON.parse(text) as EndpointContract;
  return {
    // JSON leaves out what is undefined, and a type of a later version of the service is none that this one knows.
    parameters: parameters
      .filter(({ type }) => parameterTypes.includes(type))
      .map((parameter) => ({ ...parameter, allowed: parameter.allowed, description: parameter.description })),
    columns,
  };
}
