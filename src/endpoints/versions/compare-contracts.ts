import { formatContractType, isUnknownYet } from "../definition/contract.ts";
import type { ContractColumn, EndpointContract, ParameterDefinition } from "../definition/definition.ts";

/** One change of a contract, or of a setting. */
export interface ContractChange {
  readonly area: "column" | "parameter" | "setting";
  /** The name of the column or parameter that changed. */
  readonly name: string;
  readonly change:
    | "added"
    | "removed"
    | "retyped"
    | "moved"
    | "required"
    | "optional"
    | "allowed"
    | "default"
    | "changed";
  /** As texts for people; null where there was none, or is none now. */
  readonly from: string | null;
  readonly to: string | null;
  /** True when a caller of the old one may break with the new one. */
  readonly breaking: boolean;
}

/**
 * Lists the differences of two contracts, columns first; parameters are compared without case, as callers' queries name
 * them.
 */
export function compareContracts(before: EndpointContract, after: EndpointContract): readonly ContractChange[] {
  return [...compareColumns(before.columns, after.columns), ...compareParameters(before.parameters, after.parameters)];
}

function compareColumns(before: readonly ContractColumn[], after: readonly ContractColumn[]): ContractChange[] {
  const area = "column";
  const changes: ContractChange[] = [];
  const old = new Map(before.map(({ name, type }) => [name, type]));
  const current = new Map(after.map(({ name, type }) => [name, type]));
  for (const [name, type] of old) {
    const from = formatContractType(type);
    const next = current.get(name);
    if (next === undefined) {
      changes.push({ area, name, change: "removed", from, to: null, breaking: true });
      continue;
    }
    const to = formatContractType(next);
    if (from !== to) changes.push({ area, name, change: "retyped", from, to, breaking: !isUnknownYet(type) });
  }
  for (const [name, type] of current) {
    if (old.has(name)) continue;
    changes.push({ area, name, change: "added", from: null, to: formatContractType(type), breaking: false });
  }
  const kept = [...old.keys()].filter((name) => current.has(name));
  const order = [...current.keys()].filter((name) => old.has(name));
  for (const [index, name] of order.entries()) {
    // Rows are objects that clients read by name; reading a CSV or an Arrow table by position is the client's own
    // choice.
    if (name === kept[index]) continue;
    const from = String(kept.indexOf(name) + 1);
    changes.push({ area, name, change: "moved", from, to: String(index + 1), breaking: false });
  }
  return changes;
}

function compareParameters(
  before: readonly ParameterDefinition[],
  after: readonly ParameterDefinition[],
): ContractChange[] {
  const area = "parameter";
  const old = new Map(before.map((parameter) => [parameter.name.toLowerCase(), parameter]));
  const current = new Map(after.map((parameter) => [parameter.name.toLowerCase(), parameter]));
  const changes: ContractChange[] = [];
  for (const [key, parameter] of old) {
    const next = current.get(key);
    const { name, type } = parameter;
    if (next === undefined) changes.push({ area, name, change: "removed", from: type, to: null, breaking: true });
    else changes.push(...compareParameter(parameter, next));
  }
  for (const [key, { name, type, isRequired }] of current) {
    if (!old.has(key)) changes.push({ area, name, change: "added", from: null, to: type, breaking: isRequired });
  }
  return changes;
}

function compareParameter(before: ParameterDefinition, after: ParameterDefinition): ContractChange[] {
  const area = "parameter";
  const { name } = after;
  const changes: ContractChange[] = [];
  // Callers send the name as it is written.
  if (before.name !== name) {
    changes.push({ area, name, change: "changed", from: before.name, to: name, breaking: true });
  }
  if (before.type !== after.type) {
    changes.push({ area, name, change: "retyped", from: before.type, to: after.type, breaking: true });
  }
  if (before.isRequired !== after.isRequired) {
    const [from, to] = [before, after].map(({ isRequired }) => (isRequired ? "required" : "optional"));
    const change = after.isRequired ? "required" : "optional";
    changes.push({ area, name, change, from: from ?? null, to: to ?? null, breaking: after.isRequired });
  }
  const [oldValues, newValues] = [before.allowed, after.allowed];
  if (oldValues?.join("\n") !== newValues?.join("\n")) {
    const isNarrower = newValues !== undefined && (oldValues?.some((value) => !newValues.includes(value)) ?? true);
    const [from, to] = [oldValues, newValues].map((values) => values?.join(", ") ?? null);
    changes.push({ area, name, change: "allowed", from: from ?? null, to: to ?? null, breaking: isNarrower });
  }
  if (!after.isRequired && !before.isRequired && before.default !== after.default) {
    const [from, to] = [before, after].map(({ default: value }) => (value === null ? null : String(value)));
    changes.push({ area, name, change: "default", from: from ?? null, to: to ?? null, breaking: false });
  }
  return changes;
}
