import { type Static, type TSchema, Type } from "typebox";
import { durationPattern, durationTitle } from "./schedule.ts";

export const severities = ["info", "warning", "critical"] as const;
export const operators = [">", ">=", "<", "<=", "=", "!="] as const;
/** Names that the reference has for languages of queries; queries in `pg_sql` are not supported. */
const languages = ["bq_sql", "lql", "pg_sql"] as const;

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

const text = (maxLength: number, title?: string) =>
  Type.String({ minLength: 1, maxLength, title: title ?? `a text of 1 to ${maxLength} characters` });
const duration = (description: string) =>
  Type.String({ pattern: durationPattern, title: durationTitle, description: `${description}: ${durationTitle}` });
const anyOf = <const Value extends string>(values: readonly Value[], description = "") =>
  Type.Unsafe<Value>({ type: "string", enum: values, ...(description === "" ? {} : { description }) });
const closed = { additionalProperties: false };
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const maxQueryLength = 100_000;
const maxDestinations = 10;
const backendIds = (description: string) =>
  Type.Array(text(100), { maxItems: maxDestinations, title: "a list of ids or names of backends", description });

const When = Type.Object(
  {
    rows: optional(anyOf(["any"], "Any row is a reason")),
    column: optional(text(300)),
    op: optional(anyOf(operators)),
    value: optional(Type.Unsafe<number | string>({ type: ["number", "string"], title: "a number or a text" })),
    for: optional(duration("For how long")),
  },
  { ...closed, title: '{"rows": "any"} or an object with column, op and value; each may have for' },
);

/** The form of an alert in the API. A change may omit fields to retain them; null removes one. */
export const AlertDocument = Type.Partial(
  Type.Object({
    name: text(200),
    description: Type.String({ maxLength: 4_096 }),
    endpoint: text(300),
    parameters: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      description: "The values of the query's parameters",
    }),
    sql: text(maxQueryLength),
    lql: text(maxQueryLength),
    every: duration("Between two runs"),
    cron: text(200),
    zone: text(100),
    when: When,
    group_by: Type.Array(text(300), { maxItems: 10, title: "a list of columns" }),
    missing: anyOf(["ok", "fire"], "The state while there are no rows, for a condition on a column"),
    severity: anyOf(severities),
    message: Type.String({ maxLength: 2_000, description: "{{column}} is the value of the first row" }),
    remind: duration("Between reminders"),
    notify: Type.Unsafe<readonly (string | SentDestination)[]>({
      type: "array",
      maxItems: maxDestinations,
      title: "a list of ids or names of backends, and of objects with a type",
      items: { type: ["string", "object"] },
    }),
    enabled: Type.Boolean(),
    query: text(maxQueryLength),
    language: anyOf(languages),
    webhook_notification_url: text(4_096),
    slack_hook_url: text(4_096),
    backend_ids: backendIds("Backends that are notified"),
  }),
  closed,
);

/** The rows that an alert is about: any, or those whose column compares with a value so; for a while, if `for` says so. */
export type Condition = Readonly<Static<typeof When>>;

/** The fields of an alert, under the names of the API. `query` and what follows it is the reference's form. */
export type AlertForm = Readonly<Static<typeof AlertDocument>> & { readonly name: string };
