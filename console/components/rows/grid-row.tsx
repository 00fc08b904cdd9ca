import { formatInstant } from "../../lib/time.ts";
import { levelOf, lineOf, type Row, textOf, valueAt } from "../../lib/values.ts";
import { split } from "../../state/explore.ts";
import { zone } from "../../state/preferences.ts";
import { absentRow } from "../../state/row-pages.ts";
import { timeWidth, widthOf } from "./column-widths.ts";

/** Pixels of a row: the same for all, so that a row's place is a product. */
export const rowHeight = 28;

interface GridRowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly string[];
  readonly isSelected: boolean;
  readonly onOpen: (index: number) => void;
}

/** A row, as one line. */
export function GridRow({ row, index, columns, isSelected, onOpen }: GridRowProps) {
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
            {row === absentRow ? "…" : lineOf(valueAt(row, path), 600)}
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
