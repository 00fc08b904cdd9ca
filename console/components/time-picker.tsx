import { useState } from "preact/hooks";
import { describeRange, fromInputValue, quickRanges, resolveRange, type TimeRange, toInputValue } from "../lib/time.ts";
import { zone } from "../state/preferences.ts";
import { Button } from "./button.tsx";
import { Form } from "./fields.tsx";
import { Segments } from "./layout.tsx";
import { Menu } from "./menu.tsx";

interface TimePickerProps {
  readonly range: TimeRange;
  readonly onChange: (range: TimeRange) => void;
}

/** Chooses a range: back from now, or between two times, in local time or UTC. */
export function TimePicker({ range, onChange }: TimePickerProps) {
  return (
    <Menu label="Time range" icon="clock" text={describeRange(range, zone.value)}>
      {(close) => {
        const choose = (chosen: TimeRange) => {
          onChange(chosen);
          close();
        };
        return (
          <div class="stack">
            <ul>
              {quickRanges.map(([amount, label]) => (
                <li key={amount}>
                  <button
                    type="button"
                    class="menu-item"
                    aria-current={range.kind === "last" && range.amount === amount}
                    onClick={() => choose({ kind: "last", amount })}
                  >
                    {label}
                  </button>
                </li>
              ))}
            </ul>
            <Between range={range} onChange={choose} />
            <ZoneSwitch />
          </div>
        );
      }}
    </Menu>
  );
}

function Between({ range, onChange }: TimePickerProps) {
  const ends = resolveRange(range, Date.now());
  const [from, setFrom] = useState(toInputValue(ends.fromMs, zone.value));
  const [to, setTo] = useState(toInputValue(ends.toMs, zone.value));
  const [fromMs, toMs] = [fromInputValue(from, zone.value), fromInputValue(to, zone.value)];
  const isGood = fromMs < toMs;
  const field = (label: string, value: string, set: (text: string) => void) => (
    <label class="field">
      <span style={{ width: "36px" }}>{label}</span>
      <input
        class="input"
        type="datetime-local"
        step="1"
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <Form onSubmit={() => isGood && onChange({ kind: "between", fromMs, toMs })}>
      {field("From", from, setFrom)}
      {field("To", to, setTo)}
      {!isGood && <p class="faint">The end must be later than the start.</p>}
      <Button type="submit" class="primary" text="Show this time" disabled={!isGood} />
    </Form>
  );
}

const zones = [
  ["local", "Local time"],
  ["utc", "UTC"],
] as const;

function ZoneSwitch() {
  return (
    <Segments
      label="Time zone"
      choices={zones}
      value={zone.value}
      onChange={(chosen) => {
        zone.value = chosen;
      }}
    />
  );
}
