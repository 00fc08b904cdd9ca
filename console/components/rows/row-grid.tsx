import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { readPreference, writePreference } from "../lib/storage.ts";
import { formatInstant } from "../lib/time.ts";
import { levelOf, lineOf, type Row, textOf, valueAt } from "../lib/values.ts";
import { change, loadMore, query, rows, rowsState, selectedIndex, split } from "../state/explore.ts";
import { zone } from "../state/preferences.ts";
import { shortName } from "./facets.tsx";
import { Icon } from "./icon.tsx";

const rowHeight = 28;
/** Rows that are drawn beyond those in view. */
const spareRows = 12;
/** The next page is asked for when so many rows are left. */
const nearEndRows = 200;
const timeWidth = 196;
const columnWidth = 220;

const widths: Record<string, number> = JSON.parse(readPreference("widths") ?? "{}");

/** A column's width in pixels; undefined takes what is left. */
function widthOf(path: string, isLast: boolean): number | undefined {
  return widths[path] ?? (isLast ? undefined : columnWidth);
}

interface RowGridProps {
  readonly columns: readonly string[];
  readonly onOpen: (index: number) => void;
}

/** Rows in a table of which only what is in view is drawn. Arrows move, Enter opens. */
export function RowGrid({ columns, onOpen }: RowGridProps) {
  const place = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const first = useComputed(() => Math.max(0, Math.floor(top.value / rowHeight) - spareRows));
  const last = useComputed(() => Math.ceil((top.value + height.value) / rowHeight) + spareRows);
  const version = useSignal(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);
  const all = rows.value;
  const shown = all.slice(first.value, last.value);
  const from = first.value;
  const move = (step: number) => {
    const next = Math.min(all.length - 1, Math.max(0, (selectedIndex.value ?? -1) + step));
    if (all.length === 0) return;
    selectedIndex.value = next;
    const element = place.current;
    if (element === null) return;
    const y = next * rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + 2 * rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = y + 2 * rowHeight - element.clientHeight;
    }
  };
  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height.value / rowHeight) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[
      event.key
    ];
    if (step !== undefined) {
      event.preventDefault();
      move(step);
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
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
        if (rowsState.value.kind === "loaded" && last.value > all.length - nearEndRows) loadMore();
      }}
    >
      <Head columns={columns} onResize={() => version.value++} />
      <div
        class="grid-rows"
        role="rowgroup"
        style={{ height: `${all.length * rowHeight}px` }}
        data-version={version.value}
      >
        {shown.map((row, offset) => (
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

function Head({ columns, onResize }: { readonly columns: readonly string[]; readonly onResize: () => void }) {
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row" role="row" aria-rowindex={1} style={{ gap: 0, width: "100%" }}>
        <div class="cell" role="columnheader" style={{ width: `${timeWidth}px` }}>
          time
        </div>
        {columns.map((path, index) => {
          const isLast = index === columns.length - 1;
          const width = widthOf(path, isLast);
          return (
            <div
              key={path}
              class={width === undefined ? "cell last" : "cell"}
              role="columnheader"
              style={width === undefined ? {} : { width: `${width}px` }}
              title={path}
            >
              <span class="grow" style={{ overflow: "hidden", textOverflow: "ellipsis" }}>
                {shortName(path)}
              </span>
              {columns.length > 1 && <ColumnActions path={path} index={index} />}
              <Resizer path={path} onResize={onResize} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function ColumnActions({ path, index }: { readonly path: string; readonly index: number }) {
  const { columns } = query.value;
  return (
    <>
      {index > 0 && (
        <button
          type="button"
          class="button plain small icon-only"
          aria-label={`Move ${path} to the left`}
          onClick={() => {
            const moved = columns.filter((each) => each !== path);
            moved.splice(index - 1, 0, path);
            change({ columns: moved }, "show");
          }}
        >
          <span aria-hidden="true">‹</span>
        </button>
      )}
      <button
        type="button"
        class="button plain small icon-only"
        aria-label={`Hide the column ${path}`}
        onClick={() => change({ columns: columns.filter((each) => each !== path) }, "show")}
      >
        <Icon name="close" />
      </button>
    </>
  );
}

/** Drags a column's edge; the arrow keys do the same. */
function Resizer({ path, onResize }: { readonly path: string; readonly onResize: () => void }) {
  const setWidth = (width: number) => {
    widths[path] = Math.min(2_000, Math.max(60, Math.round(width)));
    writePreference("widths", JSON.stringify(widths));
    onResize();
  };
  return (
    <button
      type="button"
      class="resizer"
      aria-label={`Width of ${path}`}
      onPointerDown={(event) => {
        const cell = event.currentTarget.parentElement;
        const startWidth = cell?.clientWidth ?? columnWidth;
        const startX = event.clientX;
        const handle = event.currentTarget;
        handle.setPointerCapture(event.pointerId);
        handle.onpointermove = (moved) => setWidth(startWidth + moved.clientX - startX);
        handle.onpointerup = () => {
          handle.onpointermove = null;
        };
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        setWidth((event.currentTarget.parentElement?.clientWidth ?? columnWidth) + step);
      }}
    />
  );
}

interface GridRowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly string[];
  readonly isSelected: boolean;
  readonly onOpen: (index: number) => void;
}

function GridRow({ row, index, columns, isSelected, onOpen }: GridRowProps) {
  const parted = split.value;
  const level = levelOf(parted === undefined ? undefined : textOf(valueAt(row, parted.path)));
  return (
    <div
      id={`row-${index}`}
      class={`grid-row level-${level}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
      onClick={() => onOpen(index)}
    >
      <div class="cell faint" role="gridcell" style={{ width: `${timeWidth}px` }}>
        {timeOf(row)}
      </div>
      {columns.map((path, at) => {
        const width = widthOf(path, at === columns.length - 1);
        return (
          <div
            key={path}
            class={width === undefined ? "cell last" : "cell"}
            role="gridcell"
            style={width === undefined ? {} : { width: `${width}px` }}
          >
            {lineOf(valueAt(row, path), 600)}
          </div>
        );
      })}
    </div>
  );
}

/** Rows need no timestamp; one in microseconds is shown to the millisecond. */
export function timeOf(row: Row): string {
  const { timestamp } = row;
  if (typeof timestamp === "number") return formatInstant(timestamp / 1000, zone.value, true);
  return textOf(timestamp);
}
