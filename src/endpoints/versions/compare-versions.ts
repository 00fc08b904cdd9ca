import { diffArrays } from "diff";
import { type EndpointContract, type EndpointDefinition, noTenantParameter } from "../definition/definition.ts";
import { describeDefinition } from "../definition/document.ts";
import { type ContractChange, compareContracts } from "./compare-contracts.ts";

/** A line of a comparison: of both texts (` `), of the old one only (`-`), or of the new one only (`+`). */
export interface DiffLine {
  readonly op: " " | "-" | "+";
  readonly text: string;
}

/** The differences between two versions of an endpoint. */
export interface VersionComparison {
  /** True where one of the changes is. */
  readonly breaking: boolean;
  /** Changes of the contract and of the settings. */
  readonly changes: readonly ContractChange[];
  /** The lines of the query; none where it is the same. */
  readonly query: readonly DiffLine[];
}

/** A definition, and the contract that it had or has. */
export interface Comparable {
  readonly definition: EndpointDefinition;
  readonly contract: EndpointContract;
}

/** Compares the query's text, the settings and the contract. */
export function compareVersions(before: Comparable, after: Comparable): VersionComparison {
  const changes = [
    ...compareContracts(before.contract, after.contract),
    ...compareSettings(before.definition, after.definition),
  ];
  const [from, to] = [before.definition.query, after.definition.query];
  return {
    breaking: changes.some((change) => change.breaking),
    changes,
    query: from === to ? [] : diffLines(from, to),
  };
}

/** Lines that may differ until the texts are not compared line by line: the work grows with the number's square. */
const maxDifferences = 1_000;

/**
 * The lines of two texts, with as few changes as possible; beyond 1,000 changed lines, all of the old text and then all
 * of the new one.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [from, to] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const changes = diffArrays(from, to, { maxEditLength: maxDifferences }) ?? [
    { removed: true, added: false, value: from },
    { removed: false, added: true, value: to },
  ];
  return changes.flatMap(({ added, removed, value }) => {
    const op = removed ? "-" : added ? "+" : " ";
    return value.map((text): DiffLine => ({ op, text }));
  });
}

/** The fields of two definitions' documents that differ, those that only one of them has among them. */
export function changedFields(before: EndpointDefinition, after: EndpointDefinition): readonly string[] {
  const [from, to] = [describeDefinition(before), describeDefinition(after)];
  const fields = Object.keys({ ...to, ...from });
  return fields.filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]));
}

function compareSettings(before: EndpointDefinition, after: EndpointDefinition): ContractChange[] {
  const [from, to] = [describeDefinition(before), describeDefinition(after)];
  return changedFields(before, after)
    .filter((field) => field !== "query" && field !== "parameters")
    .map((name) => ({
      area: "setting",
      name,
      change: "changed",
      from: describeSetting(from[name]),
      to: describeSetting(to[name]),
      breaking: breaksCallers(name, before, after),
    }));
}

function describeSetting(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function breaksCallers(field: string, before: EndpointDefinition, after: EndpointDefinition): boolean {
  switch (field) {
    case "name":
      return true;
    case "max_rows":
      return after.maxRows < before.maxRows;
    case "sandbox":
      return before.isSandboxed;
    case "tenant_parameter":
      // Tokens that pin it were bound to one tenant's rows by it, or are refused now.
      return before.tenantParameter !== undefined || after.tenantParameter === noTenantParameter;
    case "hidden_columns":
      return before.isSandboxed;
    case "table_aliases":
      return (
        before.isSandboxed &&
        Object.entries(before.tableAliases).some(([alias, table]) => after.tableAliases[alias] !== table)
      );
    default:
      return false;
  }
}
