import type { AlertForm, Condition, severities } from "./alert-form.ts";
import type { Schedule } from "./schedule.ts";

/** A query that is run by schedule, and whom its rows concern. */
export interface Alert {
  /** A UUID. */
  readonly id: string;
  /** As it was sent, with its secrets. */
  readonly form: AlertForm;
  /** The file that defines it; undefined for an alert of the API. */
  readonly file?: string;
  /** Nothing is sent before; undefined for no silence. */
  readonly silencedUntilMs?: number;
  /** Why it is silenced, for people. */
  readonly silenceComment?: string;
  /** Milliseconds since 1970, as are the other times. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A destination of notices: a backend of drains by its id or name, or an address of the alert's own. */
export type AlertDestination =
  | { readonly type: "backend"; readonly id: string }
  | { readonly type: "webhook"; readonly url: string; readonly secret?: string }
  | { readonly type: "slack" | "alertmanager"; readonly url: string }
  | { readonly type: "pagerduty"; readonly url: string; readonly key: string }
  | { readonly type: "email"; readonly to: string };

/** An alert in the terms of its runs. */
export interface AlertPlan {
  readonly id: string;
  readonly name: string;
  readonly query: AlertQuery;
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly schedule: Schedule;
  readonly condition: Condition;
  /** For how long the condition holds before the alert fires. */
  readonly forMs: number;
  /** Between reminders; undefined for none. */
  readonly remindMs: number | undefined;
  readonly groupBy: readonly string[];
  readonly firesOnMissing: boolean;
  readonly severity: (typeof severities)[number];
  /** A template; empty for the default one. */
  readonly message: string;
  readonly destinations: readonly AlertDestination[];
  readonly isEnabled: boolean;
  readonly silencedUntilMs: number | undefined;
}

/** The query to run: an endpoint by its id or name, or an owner's query. */
export type AlertQuery = { readonly kind: "endpoint" | "sql" | "lql"; readonly text: string };
