import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { loadMore, rows, rowsState, selectedIndex } from "../../state/explore.ts";
import { noteView } from "../../state/row-pages.ts";
import { GridHead } from "./grid-head.tsx";
import { GridRow, rowHeight } from "./grid-row.tsx";

/** Rows that are drawn beyond those in view, on either side. */
const spareRows = 8;
/** The next page is asked for when so many rows are left. */
const nearEndRows = 200;

interface RowGridProps {
  readonly columns: readonly string[];
  readonly onOpen: (index: number) => void;
}

/** Rows in a table of which only what is in view is drawn. Arrows move, Enter opens. */
export function RowGrid({ columns, onOpen }: RowGridProps) {
  const place = useRef<HTMLDivElement>(null);
  const { first, last, onScroll } = useView(place);
  const from = Math.max(0, first.value - spareRows);
  const all = rows.value;
  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, last.value - first.value - 2);
    const step = stepOf(event.key, page);
    if (step !== undefined) {
      event.preventDefault();
      select(step, place.current);
    }
    if (event.key === "Enter" && selectedIndex.value !== undefined) onOpen(selectedIndex.value);
  };
  return (
    <div
      class="grid"
      ref={place}
      role="grid"
      tabIndex={0}
      aria-label="Rows"
      aria-rowcount={all.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={selectedIndex.value === undefined ? undefined : `row-${selectedIndex.value}`}
      onKeyDown={onKey}
      onScroll={onScroll}
    >
      <GridHead columns={columns} />
      <div class="grid-rows" role="rowgroup" style={{ height: `${all.length * rowHeight}px` }}>
        {all.slice(from, last.value + spareRows).map((row, offset) => (
          <GridRow
            key={from + offset}
            row={row}
            index={from + offset}
            columns={columns}
            isSelected={selectedIndex.value === from + offset}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}

interface View {
  readonly first: ReadonlySignal<number>;
  readonly last: ReadonlySignal<number>;
  readonly onScroll: () => void;
}

/** Which rows are in view. Pages that it comes near are asked for, and those that were let go come back. */
function useView(place: RefObject<HTMLElement | null>): View {
  const top = useSignal(0);
  const height = useSignal(600);
  const first = useComputed(() => Math.floor(top.value / rowHeight));
  const last = useComputed(() => Math.ceil((top.value + height.value) / rowHeight));
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);
  useSignalEffect(() => {
    noteView(first.value, last.value);
    // Also once a page has come while somebody waited at its end: then nothing scrolls any more.
    if (rowsState.value.kind === "loaded" && last.value > rows.value.length - nearEndRows) loadMore();
  });
  const onScroll = () => {
    top.value = place.current?.scrollTop ?? 0;
  };
  return { first, last, onScroll };
}

/** How many rows a key goes on; undefined for keys that go nowhere. */
function stepOf(key: string, page: number): number | undefined {
  const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
  return Object.hasOwn(steps, key) ? steps[key as keyof typeof steps] : undefined;
}

/** Selects the row so many further, and scrolls to where it is seen. */
function select(step: number, grid: HTMLElement | null): void {
  const count = rows.value.length;
  if (count === 0) return;
  const next = Math.min(count - 1, Math.max(0, (selectedIndex.value ?? -1) + step));
  selectedIndex.value = next;
  if (grid === null) return;
  const y = next * rowHeight;
  if (y < grid.scrollTop) grid.scrollTop = y;
  else if (y + 2 * rowHeight > grid.scrollTop + grid.clientHeight) {
    grid.scrollTop = y + 2 * rowHeight - grid.clientHeight;
  }
}
