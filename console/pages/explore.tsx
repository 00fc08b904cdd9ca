import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf, runEndpoint } from "../api/client.ts";
import { Button } from "../components/button.tsx";
import { ExploreToolbar } from "../components/explore-toolbar.tsx";
import { Facets } from "../components/facets.tsx";
import { FirstEvent } from "../components/first-event.tsx";
import { Histogram } from "../components/histogram.tsx";
import { Segments } from "../components/layout.tsx";
import { Menu } from "../components/menu.tsx";
import { Empty, ErrorNotice, Spinner } from "../components/notices.tsx";
import { Patterns } from "../components/rows/patterns.tsx";
import { RecordPanel } from "../components/rows/record-panel.tsx";
import { RowGrid } from "../components/rows/row-grid.tsx";
import { UnseenEvents } from "../components/unseen-events.tsx";
import { parseFragment } from "../lib/fragment.ts";
import { countsByLevel, levelNames } from "../lib/series.ts";
import { formatCount } from "../lib/values.ts";
import { returns } from "../state/connection.ts";
import {
  addedText,
  callParameters,
  change,
  followAddress,
  missingParameters,
  openScope,
  overview,
  query,
  queryWarnings,
  readAddress,
  run,
  scopes,
  selectedIndex,
  stop,
  tables,
} from "../state/explore.ts";
import { heldCount, live, pauseLive, resumeLive, skippedCount, startLive, stopLive } from "../state/live.ts";
import { showsFacets } from "../state/preferences.ts";
import { linkTo } from "../state/route.ts";
import { loadMore, rows, rowsState } from "../state/row-pages.ts";
import { session } from "../state/session.ts";
import { attempt } from "../state/toasts.ts";

/** Search, counts over time, fields and values, rows. */
export function ExplorePage() {
  const [view, setView] = useState<"rows" | "patterns">("rows");
  useEffect(() => {
    readAddress();
    void openScope();
    const onBack = () => {
      // The address of another page is that page's.
      const { path } = parseFragment(location.hash);
      if (path !== "explore" && path !== "") return;
      followAddress();
    };
    window.addEventListener("popstate", onBack);
    const known = returns.peek();
    const unsubscribe = returns.subscribe((count) => {
      if (count <= known) return;
      if (overview.peek().kind === "failed") run();
      else if (rowsState.peek().kind === "failed") continueRows();
    });
    return () => {
      unsubscribe();
      window.removeEventListener("popstate", onBack);
      stopLive();
      stop();
    };
  }, []);
  const onSelect = useCallback((fromMs: number, toMs: number) => {
    if (toMs - fromMs >= 2) change({ range: { kind: "between", fromMs, toMs } });
  }, []);
  const closeRecord = useCallback(() => {
    selectedIndex.value = undefined;
    document.querySelector<HTMLElement>(".grid")?.focus();
  }, []);
  if (scopes.value.length === 0) {
    return (
      <Empty title="Nothing to explore">
        <p>This token may run no endpoint that takes queries. Ask whoever gave it to you for one that may.</p>
      </Empty>
    );
  }
  const selected = selectedIndex.value === undefined ? undefined : rows.value[selectedIndex.value];
  const shows = showsFacets.value;
  return (
    <div class="explore">
      <h1 class="visually-hidden">Explore</h1>
      <ExploreToolbar />
      <Counts onSelect={onSelect} />
      <div class={shows ? "explore-body" : "explore-body no-facets"}>
        {shows && <Facets />}
        <section class="rows" aria-label="Results">
          <RowsBar view={view} onView={setView} />
          {view === "patterns" ? <Patterns /> : <Rows />}
        </section>
      </div>
      {selected !== undefined && view === "rows" && <RecordPanel row={selected} onClose={closeRecord} />}
    </div>
  );
}

function Counts({ onSelect }: { readonly onSelect: (fromMs: number, toMs: number) => void }) {
  const { value: state } = overview;
  if (state.kind === "idle") return null;
  if (state.kind === "failed") {
    // The rows show the same error, with its place.
    return rowsState.value.kind === "failed" ? null : <ErrorNotice error={state.error} />;
  }
  const shown = state.kind === "loaded" ? state.value : state.last;
  return (
    <section class="histogram" aria-label="Rows over time">
      <div class="summary">
        {state.kind === "loading" && <Spinner label="Counting" />}
        {shown !== undefined && (
          <>
            <span>
              <b>{formatCount(shown.total)}</b> {shown.total === 1 ? "event" : "events"}
            </span>
            {countsByLevel(shown.series)
              // The worst first: in a narrow window it must not be the one that is left out.
              .toReversed()
              .filter(() => shown.series.some(({ value }) => value !== null))
              .map(({ level, total }) => (
                <span key={level}>
                  <span class="swatch" style={{ background: `var(--series-${level})` }} />
                  {formatCount(total)} {levelNames[level]}
                </span>
              ))}
            {shown.is_truncated && <span class="badge warning">some values left out</span>}
          </>
        )}
      </div>
      {shown !== undefined && <Histogram overview={shown} onSelect={onSelect} />}
    </section>
  );
}

const views = [
  ["rows", "Rows"],
  ["patterns", "Patterns"],
] as const;
type View = (typeof views)[number][0];

function RowsBar({ view, onView }: { readonly view: View; readonly onView: (view: View) => void }) {
  const { kind, next, error } = rowsState.value;
  const count = rows.value.length;
  return (
    <div class="rows-bar">
      <Button
        class="small"
        icon="filter"
        text="Fields"
        aria-pressed={showsFacets.value}
        onClick={() => {
          showsFacets.value = !showsFacets.value;
        }}
      />
      <Segments label="View" choices={views} value={view} onChange={onView} />
      <span class="grow" aria-live="polite">
        {kind === "loading" ? (
          <Spinner />
        ) : (
          `${formatCount(count)} ${count === 1 ? "row" : "rows"} loaded${next === undefined ? "" : ", more below"}`
        )}
        {kind === "failed" && count > 0 && (
          <Button
            class="small"
            text="The next rows could not be loaded: try again"
            title={messageOf(error)}
            onClick={continueRows}
          />
        )}
      </span>
      <LiveButton />
      <ExportMenu />
    </div>
  );
}

function Rows() {
  const { kind, error } = rowsState.value;
  const [missing] = missingParameters.value;
  if (missing !== undefined) {
    return (
      <Empty title={`Which ${missing}?`}>
        <p>
          {query.value.scope} shows the rows of one {missing}: type it above.
        </p>
      </Empty>
    );
  }
  // A later page that failed takes no rows away.
  if (kind === "failed" && rows.value.length === 0) {
    return (
      <div class="card-body">
        <ErrorNotice error={error} addedText={addedText()} onRetry={continueRows} />
      </div>
    );
  }
  if (rows.value.length === 0) {
    if (kind !== "loaded") return <Empty title="Loading" />;
    return <NoRows />;
  }
  return (
    <RowGrid
      columns={shownColumns()}
      onOpen={(index) => {
        selectedIndex.value = index;
      }}
    />
  );
}

/** Asks again for what failed: the tables, the query, or the page behind the rows that are there. */
function continueRows(): void {
  if (tables.value.kind === "failed") void openScope();
  else if (rows.value.length === 0) run();
  else loadMore();
}

/** The chosen columns; all of a query's own that has none of them. */
function shownColumns(): readonly string[] {
  const { columns } = query.value;
  const [first = {}] = rows.value;
  const own = Object.keys(first);
  const isKnown = columns.some((path) => own.includes(path.split(".")[0] ?? ""));
  return isKnown && columns.length > 0 ? columns : own.filter((name) => name !== "timestamp");
}

function NoRows() {
  const { text, range } = query.value;
  return (
    <>
      {session.value?.may.manage === true && <FirstEvent />}
      <Empty title="No rows">
        <p>{text === "" ? "No events in this time range." : "No row in this time range matches the query."}</p>
        {queryWarnings.value.map((warning) => (
          <div key={warning} class="notice warning">
            {warning}
          </div>
        ))}
        <div class="row wrap">
          {range.kind === "last" && range.amount !== "7d" && (
            <Button text="Search the last 7 days" onClick={() => change({ range: { kind: "last", amount: "7d" } })} />
          )}
          {text !== "" && <Button text="Clear the query" onClick={() => change({ text: "" })} />}
        </div>
        {session.value?.may.manage === true && <UnseenEvents />}
        <SendHint />
      </Empty>
    </>
  );
}

/** How to send events, for tokens that may. */
function SendHint() {
  if (session.value?.may.ingest !== true) return null;
  return (
    <p>
      <a href={linkTo("sources")}>How to send events</a>
    </p>
  );
}

/** Follows the query: on, paused with what came meanwhile counted, off. */
function LiveButton() {
  const { value: state } = live;
  return (
    <span class="row" aria-live="polite">
      {state === "off" ? (
        <Button class="small" icon="play" text="Live" onClick={startLive} />
      ) : (
        <>
          <span class={state === "on" ? "live" : "faint"}>{state === "on" ? "Live" : "Paused"}</span>
          {state === "on" ? (
            <Button class="small" icon="pause" text="Pause" onClick={pauseLive} />
          ) : (
            <Button class="small" icon="play" onClick={resumeLive}>
              {heldCount.value === 0 ? "Go on" : `Show ${formatCount(heldCount.value)} new`}
            </Button>
          )}
          <Button class="small" icon="stop" text="Stop" onClick={stopLive} />
          {skippedCount.value > 0 && <span class="badge warning">{formatCount(skippedCount.value)} left out</span>}
        </>
      )}
    </span>
  );
}

const formats = { json: "JSON", ndjson: "NDJSON", csv: "CSV", parquet: "Parquet", arrow: "Arrow" };

/** The rows of the query as a file, in each format of the service. */
function ExportMenu() {
  return (
    <Menu label="Export" icon="download">
      {(close) => (
        <ul>
          {Object.entries(formats).map(([format, label]) => (
            <li key={format}>
              <button
                type="button"
                class="menu-item"
                onClick={() => {
                  close();
                  void exportAs(format);
                }}
              >
                {label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}

/** A page of rows in a form of the service's, as a file. */
function exportAs(format: string): Promise<void> {
  return attempt(async () => {
    const parameters = { ...callParameters(), format };
    const response = await runEndpoint(query.value.scope, parameters, { headers: { accept: "*/*" } });
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = url;
    link.download = `logs.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
}
