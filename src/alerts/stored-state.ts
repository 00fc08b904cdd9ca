import type { AlertPlan } from "./alert.ts";
import { type AlertState, incidentOf, isOpening, type Notice, startState } from "./alert-state.ts";
import type { Redactions } from "./redactions.ts";

/** A notice, and the destinations that have yet to get it. */
export interface Waiting {
  readonly notice: Notice;
  readonly to: readonly string[];
  /** The sources that its rows are of; absent where they are not known. */
  readonly sources?: readonly string[];
  /** How the endpoints redacted that they were read through. */
  readonly redactions?: Redactions;
}

/** The state of an alert as it is stored: with the notices that are still to be sent. */
export interface StoredState extends AlertState {
  readonly lastRunAtMs: number | undefined;
  readonly waiting: readonly Waiting[];
  /**
   * Notices that were given up: too many waited, their destination refused them or is gone, or their events were
   * deleted and they are over.
   */
  readonly droppedCount: number;
  /** Why a destination did not take the last notice that was sent to it. */
  readonly deliveryError: string | undefined;
}

export const noState: StoredState = {
  ...startState,
  lastRunAtMs: undefined,
  waiting: [],
  droppedCount: 0,
  deliveryError: undefined,
};

/** `undefined` fields are absent in JSON. */
export function readState(text: string | undefined): StoredState {
  return text === undefined ? noState : { ...noState, ...(JSON.parse(text) as Partial<StoredState>) };
}

/** Notices of an alert that wait, and characters of theirs, at most. */
const maxWaiting = { notices: 1_000, characters: 4_000_000 } as const;

/** Adds the notices of a run to those that wait; where they are too many or too long, the oldest are given up. */
export function addWaiting(
  state: StoredState,
  notices: readonly Notice[],
  destinations: readonly string[],
  origin: Pick<Waiting, "sources" | "redactions"> = {},
): Pick<StoredState, "waiting" | "droppedCount"> {
  const added = notices.flatMap((notice): readonly Waiting[] => {
    const to = audienceOf(notice, destinations);
    return to.length === 0 ? [] : [{ notice, to, ...origin }];
  });
  const all = [...state.waiting, ...added];
  let characters = 0;
  let first = all.length;
  while (first > Math.max(0, all.length - maxWaiting.notices)) {
    characters += lengthOf(all[first - 1]?.notice);
    if (characters > maxWaiting.characters) break;
    first--;
  }
  return { waiting: all.slice(first), droppedCount: state.droppedCount + first };
}

function audienceOf({ status, untold }: Notice, destinations: readonly string[]): readonly string[] {
  if (untold === undefined) return destinations;
  const isForUnnotified = isOpening(status);
  return destinations.filter((key) => untold.includes(key) === isForUnnotified);
}

function lengthOf(notice: Notice | undefined): number {
  return (notice?.rows.length ?? 0) + (notice?.message.length ?? 0);
}

/** Takes a destination off a notice that it has got, or will not get; none where it was the last. */
export function withoutDestination({ notice, to, ...waiting }: Waiting, key: string): readonly Waiting[] {
  const rest = to.filter((each) => each !== key);
  return rest.length === 0 ? [] : [{ ...waiting, notice, to: rest }];
}

/** Whether a notice may show events of a source. */
export function mayShow(source: string): (waiting: Waiting) => boolean {
  return ({ notice, sources }) => isOpening(notice.status) && sources?.includes(source) !== false;
}

/**
 * The state without notices that show what is not to be shown any longer, and were not sent: they are taken back with
 * their ends. What still holds is reported again by the next run. Undefined where nothing changes.
 */
export function takeBack(
  { id, destinations }: Pick<AlertPlan, "id" | "destinations">,
  state: StoredState,
  isOver: (waiting: Waiting) => boolean,
): StoredState | undefined {
  /** By incidents: destinations that do not get to know of it. */
  const untold = new Map<string, readonly string[]>();
  const taken: Waiting[] = [];
  const waiting = state.waiting.flatMap((each): readonly Waiting[] => {
    const { notice, to } = each;
    if (isOver(each)) {
      taken.push(each);
      if (!notice.isReminder) untold.set(notice.incident, to);
      return [];
    }
    const unknown = isOpening(notice.status) ? [] : (untold.get(notice.incident) ?? []);
    const rest = to.filter((key) => !unknown.includes(key));
    return rest.length === 0 ? [] : [{ ...each, to: rest }];
  });
  if (taken.length === 0) return undefined;
  const markUnnotified = <T extends { readonly sinceMs: number; readonly notifiedAtMs: number | undefined }>(
    key: string,
    known: T,
  ): T => {
    const to = untold.get(incidentOf(id, known.sinceMs, key));
    if (to === undefined) return known;
    return to.length < destinations.length ? { ...known, untold: to } : { ...known, notifiedAtMs: undefined };
  };
  const { failure } = state;
  const groups = state.groups.map((group) => (group.status === "firing" ? markUnnotified(group.key, group) : group));
  const open = new Set(groups.map(({ key, sinceMs }) => incidentOf(id, sinceMs, key)));
  if (failure !== undefined) open.add(incidentOf(id, failure.sinceMs, "failure"));
  const lost = taken.filter(({ notice }) => !open.has(notice.incident)).length;
  return {
    ...state,
    waiting,
    groups,
    failure: failure && markUnnotified("failure", failure),
    droppedCount: state.droppedCount + lost,
  };
}
