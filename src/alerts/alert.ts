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

export const severities = ["info", "warning", "critical"] as const;
export const operators = [">", ">=", "<", "<=", "=", "!="] as const;
/** Names that the reference has for languages of queries; queries in `pg_sql` are not supported. */
export const languages = ["bq_sql", "lql", "pg_sql"] as const;

type Severity = (typeof severities)[number];

/** The fields of an alert, under the names of the API. `query` and what follows it is the reference's form. */
export interface AlertForm {
  readonly name: string;
  readonly description?: string;
  readonly endpoint?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly sql?: string;
  readonly lql?: string;
  readonly every?: string;
  readonly cron?: string;
  readonly zone?: string;
  readonly when?: Condition;
  readonly group_by?: readonly string[];
  readonly missing?: "ok" | "fire";
  readonly severity?: Severity;
  readonly message?: string;
  readonly remind?: string;
  readonly notify?: readonly (string | SentDestination)[];
  readonly enabled?: boolean;
  readonly query?: string;
  readonly language?: (typeof languages)[number];
  readonly webhook_notification_url?: string;
  readonly slack_hook_url?: string;
  readonly backend_ids?: readonly string[];
}

/** The rows that an alert is about: any, or those whose column compares with a value so; for a while, if `for` says so. */
export interface Condition {
  readonly rows?: "any";
  readonly column?: string;
  readonly op?: (typeof operators)[number];
  readonly value?: number | string;
  readonly for?: string;
}

export const destinationTypes = ["webhook", "slack", "alertmanager", "pagerduty", "email"] as const;

/** A destination as the API takes it. */
export interface SentDestination {
  readonly type: (typeof destinationTypes)[number];
  readonly url?: string;
  /** For `webhook`: the key of its signatures. */
  readonly secret?: string;
  /** For `pagerduty`: the routing key. */
  readonly key?: string;
  /** For `email`: the addresses. */
  readonly to?: readonly string[];
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
  readonly severity: Severity;
  /** A template; empty for the default one. */
  readonly message: string;
  readonly destinations: readonly AlertDestination[];
  readonly isEnabled: boolean;
  readonly silencedUntilMs: number | undefined;
}

/** The query to run: an endpoint by its id or name, or an owner's query. */
export type AlertQuery = { readonly kind: "endpoint" | "sql" | "lql"; readonly text: string };

/** The times of runs: every so often, at moments that its id determines, or by a cron pattern. */
export type Schedule =
  | { readonly kind: "every"; readonly ms: number; readonly offsetMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly zone: string };
