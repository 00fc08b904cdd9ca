import type { ParameterValue } from "../../engines/contract/query-engine.ts";
import type { Query } from "../../googlesql/ast.ts";
import type { SqlType } from "../../googlesql/types.ts";
import type { Detector } from "../../redaction/detector.ts";
import type { Budget } from "../../shared/budget.ts";

/** The types that an endpoint's parameters may have, as headers and the API write them. */
export const parameterTypes = ["string", "int64", "float64", "bool", "timestamp", "date"] as const;

export type ParameterType = (typeof parameterTypes)[number];

/** A parameter that an endpoint declares. */
export interface ParameterDefinition {
  readonly name: string;
  readonly type: ParameterType;
  readonly isRequired: boolean;
  /** The only values it may have, as text; undefined for any of its type. */
  readonly allowed: readonly string[] | undefined;
  /** For a caller that leaves it out; NULL where there is none. */
  readonly default: ParameterValue;
  readonly description: string | undefined;
  /** The query uses it and the header does not declare it: it is in the contract, and not in the document. */
  readonly isInferred?: true;
}

/** What an endpoint is. */
export interface EndpointDefinition {
  /** A UUID, in lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The saved query as it stands in the file, without the header. */
  readonly query: string;
  readonly maxRows: number;
  /** Limits of its calls besides; none of its own unless set. */
  readonly budget?: Budget;
  /** 0 when answers are not cached. */
  readonly cacheSeconds: number;
  /** Undefined when cached answers are not refreshed by themselves. */
  readonly warmEverySeconds: number | undefined;
  /** True when callers may send a query of their own over the saved query's WITH tables. */
  readonly isSandboxed: boolean;
  /** What holds where a call does not say whether personal data is redacted. */
  readonly redactsPii: boolean;
  /** What counts as personal data here; the default detectors where the file lists none. */
  readonly detectors?: readonly Detector[];
  readonly parameters: readonly ParameterDefinition[];
  /**
   * The parameter that selects whose rows a call reads: a token that pins it reads no others. Unless set, the one that
   * the query compares with a tenant's field.
   */
  readonly tenantParameter?: string;
  /** Further names of the WITH tables, for callers' queries. */
  readonly tableAliases: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** A column of an endpoint's answer. */
export interface ContractColumn {
  readonly name: string;
  /** Records without their fields, which grow with the events; UNKNOWN where no event has carried the field yet. */
  readonly type: SqlType;
}

/** What callers of an endpoint rely on. It is inferred, never written by hand. */
export interface EndpointContract {
  /** Those that the endpoint declares, then those it inherits from endpoints that it reads. */
  readonly parameters: readonly ParameterDefinition[];
  /** In the order of the answer. */
  readonly columns: readonly ContractColumn[];
}

/** Where an endpoint lives: in a file that the service reads, or in its store, which the API changes. */
export type EndpointOrigin = { readonly kind: "file"; readonly path: string } | { readonly kind: "api" };

/** An endpoint that was found good. */
export interface Endpoint {
  readonly definition: EndpointDefinition;
  readonly version: number;
  /** The saved query's syntax tree. */
  readonly savedQuery: Query;
  /** The text that the tree's spans count in. */
  readonly sourceText: string;
  readonly origin: EndpointOrigin;
  /** What owners are told: its columns' types are those that all events show together. */
  readonly contract: EndpointContract;
  /** What others are told: it comes from what sources with tenants declare, and so from no other tenant's events. */
  readonly publicContract?: EndpointContract;
  /** Of an older version: parameters by which calls of the current one are bound to a tenant, and its own are too. */
  readonly tenantParameters?: readonly string[];
  /** Ids of the endpoints whose queries are part of this one's, also through others. */
  readonly reads: readonly string[];
  /** Why a stored endpoint cannot run since what it reads has changed; undefined where it can. */
  readonly problem?: string;
  /**
   * What events have made of its query, where it does not resolve over all of them, or not over what sources declare
   * alone. It runs where it can.
   */
  readonly dataProblem?: string;
  /**
   * What its query can hardly mean, and runs all the same: fields that no event has carried. Each with line and
   * column.
   */
  readonly warnings?: readonly string[];
}
