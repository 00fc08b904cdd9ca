import { change, query } from "../../state/explore.ts";
import { IconButton } from "../button.tsx";
import { shortName } from "../facets.tsx";
import { columnWidth, setColumnWidth, timeWidth, widthOf } from "./column-widths.ts";

/** The names of the columns, which can be moved, hidden and made wider. */
export function GridHead({ columns }: { readonly columns: readonly string[] }) {
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row" role="row" aria-rowindex={1} style={{ gap: 0, width: "100%" }}>
        <div class="cell" role="columnheader" style={{ width: `${timeWidth}px` }}>
          time
        </div>
        {columns.map((path, index) => {
          const width = widthOf(path, index === columns.length - 1);
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
              <Resizer path={path} />
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
      <IconButton
        icon="close"
        label={`Hide the column ${path}`}
        onClick={() => change({ columns: columns.filter((each) => each !== path) }, "show")}
      />
    </>
  );
}

/** Drags a column's edge; the arrow keys do the same. */
function Resizer({ path }: { readonly path: string }) {
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
        handle.onpointermove = (moved) => setColumnWidth(path, startWidth + moved.clientX - startX);
        handle.onpointerup = () => {
          handle.onpointermove = null;
        };
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        setColumnWidth(path, (event.currentTarget.parentElement?.clientWidth ?? columnWidth) + step);
      }}
    />
  );
}
