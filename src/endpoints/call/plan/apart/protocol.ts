/** Messages between the service and the thread that plans long queries. */
import type { TableDefinition } from "../../../../googlesql/relation.ts";
import type { Endpoint } from "../../../definition/definition.ts";
import type { QueryTarget } from "../../../definition/query-target.ts";
import type { QueryShape } from "../../../explore/query-shape.ts";
import type { Scope } from "../../../tenants/tenant-tables.ts";
import type { Place } from "../compile-query.ts";
import type { CallTenants, ConsumerQuery } from "../plan.ts";
import type { PlannedQuery } from "../planned-query.ts";

/** The data that the thread starts with. */
export interface PlanningData {
  /** Whose compiler it uses, by the name that the thread's entry has for it. */
  readonly engine: string;
  /** Woken once an answer lies at `questions`. */
  readonly flag: Int32Array;
}

/** A query to plan. Objects are known by numbers, and sent once. */
export interface PlanningTask {
  readonly target: NumberedObject<QueryTarget>;
  readonly consumer: Omit<ConsumerQuery, "shape"> | undefined;
  /** The shape of the consumer's query. */
  readonly shape: QueryShape["made"] | undefined;
  readonly rowLimit: number | undefined;
  readonly place: Place;
  readonly tenants: Omit<CallTenants, "readValue">;
  readonly nowMs: number;
  /** Forget all objects first. */
  readonly isFresh: boolean;
}

export interface NumberedObject<T> {
  /** 0 for none. */
  readonly number: number;
  /** Absent where the thread has it. */
  readonly object?: T;
}

/** A table with the layout that its engine's compiler goes by. */
export interface DescribedTable {
  readonly definition: TableDefinition;
  readonly layout: object | undefined;
}

/** A question of the thread, whose answer it waits for. */
export type Question =
  | { readonly kind: "table"; readonly name: string; readonly tenant: string | null | undefined }
  | { readonly kind: "endpoint"; readonly name: string }
  | { readonly kind: "names"; readonly of: "tables" | "endpoints" }
  /** A parameter of the call. */
  | { readonly kind: "value"; readonly name: string };

/** A question with its number, by which the thread knows its answer. */
export interface AskedQuestion {
  readonly number: number;
  readonly question: Question;
}

/** The answer to the question of a number; without a value where there is none, because of a defect. */
export interface NumberedAnswer {
  readonly number: number;
  readonly isFailed?: true;
  readonly value?: QuestionAnswer;
}

export type QuestionAnswer =
  | NumberedObject<DescribedTable>
  | NumberedObject<Endpoint>
  | readonly string[]
  | string
  | undefined;

/** A planned query, and what was looked up for it, by number. */
export interface PlannedApart {
  readonly query: PlannedQuery;
  readonly sources: readonly { readonly name: string; readonly scope: Scope; readonly number: number }[];
  readonly endpoints: readonly (readonly [name: string, number: number])[];
}

/** An error of planning, as data. */
export type PlanningFailure =
  | {
      readonly kind: "service";
      readonly code: string;
      readonly message: string;
      readonly details: object;
      readonly cause: PlanningFailure | undefined;
    }
  | { readonly kind: "sql"; readonly text: string; readonly diagnostics: readonly object[] }
  | { readonly kind: "lql"; readonly text: string; readonly message: string; readonly offset: number }
  /** A defect. */
  | { readonly kind: "other"; readonly message: string };

export type PlanningOutcome =
  | { readonly planned: PlannedApart; readonly failure?: undefined }
  | { readonly planned?: undefined; readonly failure: PlanningFailure };
