import type { ComponentChildren } from "preact";

interface CardProps {
  readonly label: string;
  /** Its heading; the label unless given. */
  readonly title?: string;
  /** Beside the heading. */
  readonly head?: ComponentChildren;
  /** The class of its body, unless that is a stack. */
  readonly body?: string;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Card({ label, title = label, head, body = "stack", children }: CardProps) {
  return (
    <section class="card" aria-label={label}>
      <div class="card-head">
        <h2 class="grow">{title}</h2>
        {head}
      </div>
      <div class={`card-body ${body}`}>{children}</div>
    </section>
  );
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly (readonly [value: Value, words: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Buttons beside each other, of which one is pressed. */
export function Segments<Value extends string>({ label, choices, value, onChange }: SegmentsProps<Value>) {
  return (
    <fieldset class="segments" aria-label={label}>
      {choices.map(([each, words]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => onChange(each)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}

type Facts = readonly (readonly [label: string, value: string])[];

/** Figures with their labels, beside each other. */
export function Figures({ figures }: { readonly figures: Facts }) {
  return (
    <dl class="figures">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt class="soft">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Labels and what they stand for, one below the other. */
export function FactList({ facts }: { readonly facts: Facts }) {
  return (
    <dl class="keys">
      {facts.map(([label, value]) => (
        <div key={label} style={{ display: "contents" }}>
          <dt class="soft">{label}</dt>
          <dd class="plain-text">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
