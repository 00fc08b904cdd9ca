import { createHash } from "node:crypto";
import type { AlertPlan } from "./alert.ts";

/** A group of rows that meet the condition in one run. */
export interface FoundGroup {
  /** Distinguishes the groups of an alert. */
  readonly key: string;
  /** The columns that the rows are grouped by, as texts. */
  readonly labels: Readonly<Record<string, string>>;
  /** The value that met the condition, as JSON; undefined for a condition on rows. */
  readonly value: string | undefined;
  readonly message: string;
  /** The first rows, as a JSON array. */
  readonly rows: string;
  readonly rowCount: number;
}

/** The outcome of a run: the groups that meet the condition, or why there is none. */
export type RunOutcome =
  | { readonly kind: "found"; readonly groups: readonly FoundGroup[]; readonly sources: readonly string[] }
  | { readonly kind: "failed"; readonly reason: string };

/** A group that is not `ok`. `resolved` lasts until the next run. */
export interface GroupState {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string | undefined;
  readonly status: "pending" | "firing" | "resolved";
  /** Since when the condition holds; of a resolved group, since when it does not. Milliseconds since 1970, as all times. */
  readonly sinceMs: number;
  /** When its firing was last reported; undefined where that was never reported. */
  readonly notifiedAtMs: number | undefined;
  /** Destinations that were not notified of it after all, and are to be. */
  readonly untold?: readonly string[];
}

/** The reason why an alert cannot run, while it cannot. */
export interface Failure {
  readonly reason: string;
  readonly sinceMs: number;
  readonly notifiedAtMs: number | undefined;
  readonly untold?: readonly string[];
}

/** A message about an alert. `failing`: it cannot run; `working`: it can again. */
export interface Notice {
  /** The same however often it is sent. */
  readonly id: string;
  /** The same for all notices from firing to resolved, and from failing to working. */
  readonly incident: string;
  readonly status: "firing" | "resolved" | "failing" | "working";
  readonly isReminder: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: string;
  readonly message: string;
  /** Since when it fires or fails. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** As JSON; `[]` unless it fires. */
  readonly rows: string;
  readonly rowCount: number;
  /** Destinations without knowledge of the incident: if present, they alone get its opening, all others its end. */
  readonly untold?: readonly string[];
}

/** The groups of an alert, and whether it can run. */
export interface AlertState {
  readonly groups: readonly GroupState[];
  readonly failure: Failure | undefined;
}

export const alertStatuses = ["ok", "pending", "firing", "resolved", "failing"] as const;

/** The status of an alert as a whole: the most urgent of its groups, or that it cannot run. */
export function statusOf({ groups, failure }: AlertState): (typeof alertStatuses)[number] {
  if (failure !== undefined) return "failing";
  const urgency = ["firing", "pending", "resolved"] as const;
  return urgency.find((status) => groups.some((group) => group.status === status)) ?? "ok";
}

type Rules = Pick<AlertPlan, "id" | "name" | "forMs" | "remindMs" | "silencedUntilMs">;

/** An alert that never ran. */
export const startState: AlertState = { groups: [], failure: undefined };

/**
 * The state after a run, and the notices of it. A silence holds back what begins and reminders, and says what still
 * fires once it is over; the end of what was reported is always reported. A run that failed leaves groups as they are.
 */
export function advance(
  rules: Rules,
  state: AlertState,
  outcome: RunOutcome,
  nowMs: number,
): { readonly state: AlertState; readonly notices: readonly Notice[] } {
  if (outcome.kind === "failed") return fail(rules, state, outcome.reason, nowMs);
  const before = new Map(state.groups.map((group) => [group.key, group]));
  const found = new Set(outcome.groups.map(({ key }) => key));
  const steps = [
    ...outcome.groups.map((group) => hold(rules, before.get(group.key), group, nowMs)),
    ...state.groups.filter(({ key }) => !found.has(key)).map((group) => resolve(rules, group, nowMs)),
  ];
  return {
    state: { groups: steps.flatMap(({ group }) => group ?? []), failure: undefined },
    notices: [...recover(rules, state.failure, nowMs), ...steps.flatMap(({ notice }) => notice ?? [])],
  };
}

interface Step {
  readonly group?: GroupState;
  readonly notice?: Notice;
}

/** The condition holds. */
function hold(rules: Rules, before: GroupState | undefined, found: FoundGroup, nowMs: number): Step {
  const { key, labels, value } = found;
  // A clock that was ahead says nothing of how long it holds.
  const isAhead = before?.status === "pending" && before.sinceMs > nowMs;
  const isNew = before === undefined || before.status === "resolved" || isAhead;
  const sinceMs = isNew ? nowMs : before.sinceMs;
  const notifiedAtMs = isNew ? undefined : before.notifiedAtMs;
  const group = { key, labels, value, sinceMs, notifiedAtMs };
  const isFiring = (!isNew && before.status === "firing") || nowMs - sinceMs >= rules.forMs;
  if (!isFiring) return { group: { ...group, status: "pending" } };
  const repeated = isNew || before.untold === undefined ? {} : { untold: before.untold };
  const isRepeated = repeated.untold !== undefined;
  if (!isDue(rules, isRepeated ? undefined : notifiedAtMs, nowMs)) {
    return { group: { ...group, ...repeated, status: "firing" } };
  }
  const isReminder = notifiedAtMs !== undefined && !isRepeated;
  const notice = makeNotice(rules, "firing", key, { ...found, ...repeated, isReminder, sinceMs, atMs: nowMs });
  return { group: { ...group, status: "firing", notifiedAtMs: nowMs }, notice };
}

/** The condition does not hold. */
function resolve(rules: Rules, { notifiedAtMs, untold, ...group }: GroupState, nowMs: number): Step {
  if (group.status !== "firing") return {};
  const { key, labels, sinceMs } = group;
  const resolved: GroupState = { ...group, status: "resolved", sinceMs: nowMs, notifiedAtMs: undefined };
  if (notifiedAtMs === undefined) return { group: resolved };
  const message = `${rules.name} is resolved`;
  const notice = makeNotice(rules, "resolved", key, { labels, message, sinceMs, atMs: nowMs, untold });
  return { group: resolved, notice };
}

function fail(rules: Rules, state: AlertState, reason: string, nowMs: number): ReturnType<typeof advance> {
  const { sinceMs = nowMs, notifiedAtMs, untold } = state.failure ?? {};
  if (!isDue(rules, untold === undefined ? notifiedAtMs : undefined, nowMs)) {
    return { state: { ...state, failure: { ...state.failure, reason, sinceMs, notifiedAtMs } }, notices: [] };
  }
  const message = `${rules.name} cannot run: ${reason}`;
  const isReminder = notifiedAtMs !== undefined && untold === undefined;
  const content = { labels: {}, message, isReminder, sinceMs, atMs: nowMs, untold };
  return {
    state: { ...state, failure: { reason, sinceMs, notifiedAtMs: nowMs } },
    notices: [makeNotice(rules, "failing", "failure", content)],
  };
}

function recover(rules: Rules, failure: Failure | undefined, nowMs: number): readonly Notice[] {
  if (failure?.notifiedAtMs === undefined) return [];
  const { sinceMs, untold } = failure;
  const message = `${rules.name} runs again`;
  return [makeNotice(rules, "working", "failure", { labels: {}, message, sinceMs, atMs: nowMs, untold })];
}

function isDue({ remindMs, silencedUntilMs }: Rules, notifiedAtMs: number | undefined, nowMs: number): boolean {
  if (silencedUntilMs !== undefined && nowMs < silencedUntilMs) return false;
  // Also by a clock that was ahead when it was reported.
  return notifiedAtMs === undefined || (remindMs !== undefined && Math.abs(nowMs - notifiedAtMs) >= remindMs);
}

type NoticeContent = Pick<Notice, "labels" | "message" | "sinceMs" | "atMs"> &
  Partial<Pick<Notice, "rows" | "rowCount" | "isReminder">> & {
    readonly value?: string | undefined;
    readonly untold?: readonly string[] | undefined;
  };

function makeNotice(rules: Rules, status: Notice["status"], key: string, content: NoticeContent): Notice {
  const { labels, value, untold, message, sinceMs, atMs, rows = "[]", rowCount = 0, isReminder = false } = content;
  const incident = incidentOf(rules.id, sinceMs, key);
  return {
    id: `${incident}-${status}-${atMs}`,
    incident,
    status,
    isReminder,
    labels,
    ...(value === undefined ? {} : { value }),
    ...(untold === undefined ? {} : { untold }),
    message,
    sinceMs,
    atMs,
    rows,
    rowCount,
  };
}

/** True for a notice that begins an incident, false for one that ends it. */
export function isOpening(status: Notice["status"]): boolean {
  return status === "firing" || status === "failing";
}

/** Names the time that a group of an alert fires, or that it fails. A group's key is never `failure`. */
export function incidentOf(alertId: string, sinceMs: number, key: string): string {
  return createHash("sha256").update(`${alertId} ${sinceMs} ${key}`).digest("hex").slice(0, 32);
}
