import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/operations.ts";
import { describeLabels, type Lane, toLanes } from "../../lib/alert-lanes.ts";
import { formatInstant, lengthMs } from "../../lib/time.ts";
import { useAction } from "../../lib/use-form.ts";
import { zone } from "../../state/preferences.ts";
import { Button } from "../button.tsx";
import { SelectField } from "../fields.tsx";
import { Card } from "../layout.tsx";
import { ErrorNotice, Spinner } from "../notices.tsx";
import { Table } from "../table-card.tsx";

interface Rehearsed {
  readonly fromMs: number;
  readonly toMs: number;
  readonly answer: Answers["testAlert"];
}

const ranges = [
  ["30m", "The last 30 minutes"],
  ["1h", "The last hour"],
  ["4h", "The last 4 hours"],
  ["24h", "The last 24 hours"],
  ["7d", "The last 7 days"],
] as const;
/** Runs that the service rehearses, at most. */
const maxRuns = 300;
const shownNotices = 100;

/** The longest range whose runs the service rehearses. */
function longestRange(every: unknown): string {
  const eachMs = typeof every === "string" ? lengthMs(every) : 5 * 6e4;
  const fitting = ranges.filter(([amount]) => lengthMs(amount) / eachMs < maxRuns);
  return fitting.at(-1)?.[0] ?? "30m";
}

/** Runs an alert over the past, and draws when each group would have fired. */
export function AlertRehearsal({ id, every }: { readonly id: string; readonly every: unknown }) {
  const [range, setRange] = useState(longestRange(every));
  const [rehearsed, setRehearsed] = useState<Rehearsed | undefined>();
  const { error, isRunning, run } = useAction(async () => {
    setRehearsed(undefined);
    const toMs = Date.now();
    const fromMs = toMs - lengthMs(range);
    const body = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    setRehearsed({ fromMs, toMs, answer: await callApi("testAlert", { path: { id }, body }) });
  });
  return (
    <Card label="Dry run" title="Dry run over the past" head={isRunning && <Spinner label="Running" />}>
      <div class="row wrap form-row">
        <SelectField label="Over" value={range} options={ranges} onChange={setRange} />
        <Button text="Dry run" disabled={isRunning} onClick={() => void run()} />
        <span class="faint">Nobody is notified.</span>
      </div>
      {error !== undefined && !isRunning && <ErrorNotice error={error} />}
      {rehearsed !== undefined && <Outcome {...rehearsed} />}
    </Card>
  );
}

function Outcome({ fromMs, toMs, answer: { runs, notices } }: Rehearsed) {
  const lanes = toLanes(notices, toMs);
  const count = notices.length;
  return (
    <>
      <p class="soft" role="status">
        {`${runs} runs would have sent ${count === 1 ? "one notice" : `${count === 0 ? "no" : count} notices`}.`}
      </p>
      {lanes.length > 0 && (
        <div class="lanes">
          {lanes.map((lane) => (
            <LaneRow key={lane.label} lane={lane} fromMs={fromMs} toMs={toMs} />
          ))}
          <div class="row faint lane-ends">
            <span class="grow">{formatInstant(fromMs, zone.value)}</span>
            <span>{formatInstant(toMs, zone.value)}</span>
          </div>
        </div>
      )}
      {notices.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section class="scroll-x" tabIndex={0} aria-label="Notices of the dry run">
          <Table headings={["Time", "Status", "Group", "Message", { ofNumbers: "Rows" }]}>
            {notices.slice(0, shownNotices).map((notice) => (
              <tr key={`${notice.at}${notice.status}${JSON.stringify(notice.labels)}`}>
                <td class="name">{formatInstant(Date.parse(notice.at), zone.value)}</td>
                <td class="name">{notice.is_reminder ? "reminder" : notice.status}</td>
                <td class="mono">{describeLabels(notice.labels)}</td>
                <td class="plain-text">{notice.message}</td>
                <td class="number">{notice.row_count}</td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}

interface LaneRowProps {
  readonly lane: Lane;
  readonly fromMs: number;
  readonly toMs: number;
}

function LaneRow({ lane: { label, isFailure, spans }, fromMs, toMs }: LaneRowProps) {
  const share = (ms: number) => `${(100 * ms) / (toMs - fromMs)}%`;
  const times = `${spans.length} ${spans.length === 1 ? "time" : "times"}`;
  return (
    <>
      <span class="mono lane-label" title={label}>
        {label}
      </span>
      <div class="lane" role="img" aria-label={`${label}: ${isFailure ? "failed" : "fired"} ${times}`}>
        {spans.map((span) => (
          <span
            key={span.fromMs}
            class={isFailure ? "failing" : ""}
            style={{ left: share(span.fromMs - fromMs), width: share(span.toMs - span.fromMs) }}
          />
        ))}
      </div>
    </>
  );
}
