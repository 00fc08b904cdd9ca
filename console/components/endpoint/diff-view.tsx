import type { DiffLine } from "../../lib/changed-lines.ts";

const words = { "+": "added", "-": "removed", " ": "" } as const;

/** Lines that were added and removed, by colour and by sign. */
export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="code diff" tabIndex={0} aria-label="Differences">
      {lines.map(({ op, text }, index) => (
        <div key={`${index} ${text}`} class={`diff-line ${words[op]}`}>
          {op} {text}
        </div>
      ))}
    </section>
  );
}
