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
  /** The value when a caller omits it; NULL if there is none. */
  readonly default: ParameterValue;
  readonly description: string | undefined;
  /** The query uses it but the header does not declare it: it is in the contract, but not in the document. */
  readonly isInferred?: true;
}

/** The `tenant_parameter` of an endpoint whose calls no parameter confines to a tenant. */
export const noTenantParameter = "none";

/** The definition of an endpoint. */
export interface EndpointDefinition {
  /** A UUID, in lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The saved query as it stands in the file, without the header. */
  readonly query: string;
  readonly maxRows: number;
  /** Additional limits of its calls; none unless set. */
  readonly budget?: Budget;
  /** 0 when answers are not cached. */
  readonly cacheSeconds: number;
  /** Undefined when cached answers are not refreshed by themselves. */
  readonly warmEverySeconds: number | undefined;
  /** True when callers may send a query of their own over the saved query's WITH tables. */
  readonly isSandboxed: boolean;
  /** Applies where a call does not say whether personal data is redacted. */
  readonly redactsPii: boolean;
  /** The detectors of its redaction; the default ones when the file lists none. */
  readonly detectors?: readonly Detector[];
  readonly parameters: readonly ParameterDefinition[];
  /**
   * The parameter that selects the tenant of a call: a token that pins it reads no other tenant's rows.
   * `noTenantParameter` for none. Unless set, those that the query compares with a tenant field.
   */
  readonly tenantParameter?: string;
  /** Further names of the WITH tables, for callers' queries. */
  readonly tableAliases: Readonly<Record<string, string>>;
  /** Columns of the WITH tables that callers' queries read by name only: `*` leaves them out. */
  readonly hiddenColumns?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** A column of an endpoint's answers. */
export interface ContractColumn {
  readonly name: string;
  /** Records without their fields, which grow with the events; UNKNOWN where no event has carried the field yet. */
  readonly type: SqlType;
}

/** The part of an endpoint that callers rely on. It is inferred, never written by hand. */
export interface EndpointContract {
  /** Those that the endpoint declares, then those it inherits from endpoints that it reads. */
  readonly parameters: readonly ParameterDefinition[];
  /** In the order of the answer. */
  readonly columns: readonly ContractColumn[];
}

/** Where an endpoint is defined: in a file that the service reads, or in its store, which the API changes. */
export type EndpointOrigin = { readonly kind: "file"; readonly path: string } | { readonly kind: "api" };

/** A valid endpoint. */
export interface Endpoint {
  readonly definition: EndpointDefinition;
  readonly version: number;
  /** The saved query's syntax tree. */
  readonly savedQuery: Query;
  /** The text that the tree's spans count in. */
  readonly sourceText: string;
  readonly origin: EndpointOrigin;
  /** The contract for owners: the types of its columns are those of all events together. */
  readonly contract: EndpointContract;
  /**
   * The contract for others: it depends only on the declarations of sources with tenants, and so on no other tenant's
   * events.
   */
  readonly publicContract?: EndpointContract;
  /** In an older version: the parameters that bind calls of the current version to a tenant; its own bind them too. */
  readonly tenantParameters?: readonly string[];
  /** Ids of the endpoints whose queries are part of this one's, also through others. */
  readonly reads: readonly string[];
  /** Why a stored endpoint cannot run since something that it reads has changed; undefined when it can. */
  readonly problem?: string;
  /**
   * The problem that stored events cause in its query, which does not resolve over all of them, or not over the
   * sources' declarations alone. The endpoint runs where it can.
   */
  readonly dataProblem?: string;
  /**
   * Parts of its query that are probably mistakes, but run: fields that no event has carried. Each with line and
   * column.
   */
  readonly warnings?: readonly string[];
}
