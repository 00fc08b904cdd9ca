import { readParameters } from "./parameters.ts";
/** An alert's condition, schedule and query as a form holds them: texts, empty for what is not set. */
export interface AlertDraft {
  readonly name: string;
  readonly description: string;
  readonly kind: "sql" | "lql" | "endpoint";
  /** The query's text, or the endpoint's name. */
  readonly text: string;
  /** A JSON object: the values of the query's parameters. */
  readonly parameters: string;
  readonly every: string;
  readonly cron: string;
  readonly zone: string;
  /** Empty for any row. */
  readonly column: string;
  readonly op: string;
  readonly value: string;
  readonly for: string;
  /** Columns with commas between them. */
  readonly groupBy: string;
  readonly firesOnMissing: boolean;
  readonly severity: string;
  readonly message: string;
  readonly remind: string;
  readonly notify: readonly Destination[];
  readonly isEnabled: boolean;
}

/** A destination of notices: a backend by its id or name, or an address of the alert's own. */
export type Destination = string | (Readonly<Record<string, unknown>> & { readonly type: string });

/** The draft of a new alert. Its query has an upper bound of time, so that it can be rehearsed over the past. */
export const newAlert: AlertDraft = {
  name: "",
  description: "",
  kind: "sql",
  text: [
    "SELECT COUNT(*) AS n",
    "FROM edge",
    "WHERE timestamp BETWEEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 5 MINUTE) AND CURRENT_TIMESTAMP()",
    "  AND metadata.response.status_code >= 500",
  ].join("\n"),
  parameters: "",
  every: "1m",
  cron: "",
  zone: "",
  column: "n",
  op: ">=",
  value: "10",
  for: "",
  groupBy: "",
  firesOnMissing: false,
  severity: "warning",
  message: "",
  remind: "",
  notify: [],
  isEnabled: true,
};

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** The draft of an alert that the API shows. */
export function readAlertDraft(alert: Readonly<Record<string, unknown>>): AlertDraft {
  const when = (alert.when ?? {}) as Readonly<Record<string, unknown>>;
  const parameters = alert.parameters as object | undefined;
  return {
    name: textOf(alert.name),
    description: textOf(alert.description),
    ...readQuery(alert),
    parameters: parameters === undefined ? "" : JSON.stringify(parameters, undefined, 2),
    every: textOf(alert.every),
    cron: textOf(alert.cron),
    zone: textOf(alert.zone),
    column: textOf(when.column),
    op: when.op === undefined ? ">=" : textOf(when.op),
    value: typeof when.value === "string" ? quoteIfNumber(when.value) : textOf(when.value),
    for: textOf(when.for),
    groupBy: ((alert.group_by as readonly string[] | undefined) ?? []).join(", "),
    firesOnMissing: alert.missing === "fire",
    severity: alert.severity === undefined ? "warning" : textOf(alert.severity),
    message: textOf(alert.message),
    remind: textOf(alert.remind),
    notify: (alert.notify as readonly Destination[] | undefined) ?? [],
    isEnabled: alert.enabled !== false,
  };
}

function readQuery(alert: Readonly<Record<string, unknown>>): Pick<AlertDraft, "kind" | "text"> {
  for (const kind of ["sql", "lql", "endpoint"] as const) {
    if (typeof alert[kind] === "string") return { kind, text: alert[kind] };
  }
  return { kind: alert.language === "lql" ? "lql" : "sql", text: textOf(alert.query) };
}

const numberForm = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A text that looks like a number stands in quotes, as a caller writes it. */
function quoteIfNumber(text: string): string {
  return numberForm.test(text) || /^".*"$/.test(text) ? JSON.stringify(text) : text;
}

function readValue(text: string): number | string {
  if (numberForm.test(text)) return Number(text);
  if (!/^".*"$/.test(text)) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

/**
 * The document of the API. That of a change has null for what is empty, which removes the field. Throws `Error` for
 * parameters that are no JSON object.
 */
export function toAlertDocument(draft: AlertDraft, isChange: boolean): Readonly<Record<string, unknown>> {
  const groupBy = draft.groupBy.split(",").map((each) => each.trim());
  const optional = {
    description: draft.description.trim(),
    parameters: readParameters(draft.parameters),
    when: toCondition(draft),
    group_by: groupBy.filter((each) => each !== ""),
    missing: draft.firesOnMissing && draft.column.trim() !== "" ? "fire" : "",
    message: draft.message.trim(),
    remind: draft.remind.trim(),
    notify: draft.notify,
    ...(draft.cron.trim() === "" ? {} : { zone: draft.zone.trim() }),
  };
  const isSet = (value: unknown) =>
    !(value === undefined || value === "" || (Array.isArray(value) && value.length === 0));
  const given = Object.entries(optional).map(([field, value]) => [field, isSet(value) ? value : null] as const);
  return {
    name: draft.name.trim(),
    [draft.kind]: draft.kind === "endpoint" ? draft.text.trim() : draft.text,
    ...(draft.cron.trim() === "" ? { every: draft.every.trim() } : { cron: draft.cron.trim() }),
    severity: draft.severity,
    enabled: draft.isEnabled,
    ...Object.fromEntries(given.filter(([, value]) => isChange || value !== null)),
  };
}

function toCondition({ column, op, value, for: length }: AlertDraft): object | undefined {
  const lasting = length.trim() === "" ? {} : { for: length.trim() };
  if (column.trim() !== "") return { column: column.trim(), op, value: readValue(value.trim()), ...lasting };
  return length.trim() === "" ? undefined : { rows: "any", ...lasting };
}
