/** A notice of a rehearsal, as far as a picture needs it. */
export interface RehearsedNotice {
  readonly at: string;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly is_reminder: boolean;
}

/** A group's times of firing, or those in which the alert could not run, in milliseconds since 1970. */
export interface Lane {
  readonly label: string;
  readonly isFailure: boolean;
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** For people: the values of a group's labels. */
export function describeLabels(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? "all rows" : parts.join(", ");
}

/** One lane for each group, in the order of their first notices; what has not ended lasts until `toMs`. */
export function toLanes(notices: readonly RehearsedNotice[], toMs: number): readonly Lane[] {
  const lanes = new Map<string, { label: string; isFailure: boolean; spans: { fromMs: number; toMs: number }[] }>();
  const open = new Map<string, { fromMs: number; toMs: number }>();
  for (const { at, status, labels, is_reminder: isReminder } of notices) {
    const isFailure = status === "failing" || status === "working";
    const key = isFailure ? "" : JSON.stringify(Object.entries(labels));
    const atMs = Date.parse(at);
    if (status === "resolved" || status === "working") {
      const span = open.get(key);
      if (span !== undefined) span.toMs = atMs;
      open.delete(key);
    } else if (!isReminder && !open.has(key)) {
      const lane = lanes.get(key) ?? { label: isFailure ? "cannot run" : describeLabels(labels), isFailure, spans: [] };
      const span = { fromMs: atMs, toMs };
      lane.spans.push(span);
      lanes.set(key, lane);
      open.set(key, span);
    }
  }
  return [...lanes.values()];
}
