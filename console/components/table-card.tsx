import type { ComponentChildren } from "preact";

/** The head of a column; that of numbers stands on the right. */
export type Heading = string | { readonly ofNumbers: string; readonly title?: string };

interface TableProps {
  readonly headings: readonly Heading[];
  /** Its rows. */
  readonly children: ComponentChildren;
}

export function Table({ headings, children }: TableProps) {
  return (
    <table class="table">
      <thead>
        <tr>
          {headings.map((heading) =>
            typeof heading === "string" ? (
              <th key={heading}>{heading}</th>
            ) : (
              <th key={heading.ofNumbers} class="number" title={heading.title}>
                {heading.ofNumbers}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A table in a card, which scrolls by itself where it is wider than the page. */
export function TableCard({ label, headings, children }: TableProps & { readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="card scroll-x" tabIndex={0} aria-label={label}>
      <Table headings={headings}>{children}</Table>
    </section>
  );
}
