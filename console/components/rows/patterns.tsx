import { useMemo } from "preact/hooks";
import { expressionOf, groupByShape } from "../../lib/patterns.ts";
import { splitClauses } from "../../lib/query-text.ts";
import { formatCount, textOf } from "../../lib/values.ts";
import { change, query } from "../../state/explore.ts";
import { absentRow, rows } from "../../state/row-pages.ts";
import { IconButton } from "../button.tsx";
import { Empty } from "../notices.tsx";

const shownPatterns = 200;

/** Messages of the rows that are loaded, grouped by shape with their counts. */
export function Patterns() {
  const all = rows.value.filter((row) => row !== absentRow);
  const patterns = useMemo(() => groupByShape(all.map((row) => textOf(row.event_message))), [rows.value]);
  if (all.length === 0) return <Empty title="No rows to group" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="grow" style={{ overflow: "auto" }} aria-label="Patterns" tabIndex={0}>
      {patterns.slice(0, shownPatterns).map(({ shape, count, sample }) => (
        <div key={shape} class="pattern-row">
          <span class="mono" style={{ width: "64px", textAlign: "right", flex: "none" }}>
            {formatCount(count)}
          </span>
          <span class="faint" style={{ width: "48px", flex: "none" }}>
            {((100 * count) / all.length).toFixed(count * 20 < all.length ? 1 : 0)}%
          </span>
          <span class="mono plain-text grow" title={sample.slice(0, 1_000)}>
            {shape}
          </span>
          {query.value.language === "lql" && (
            <IconButton
              icon="plus"
              label="Only rows of this pattern"
              onClick={() => change({ text: [...splitClauses(query.value.text), clauseOf(shape)].join(" ") })}
            />
          )}
        </div>
      ))}
    </section>
  );
}

/** The filter for messages of a shape. */
function clauseOf(shape: string): string {
  return `~"${expressionOf(shape).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
