import { useEffect, useRef, useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import { canFilter } from "../../lib/query-text.ts";
import { useLoad } from "../../lib/use-load.ts";
import { lineOf, type Row, textOf, unwrap } from "../../lib/values.ts";
import { change, currentTable, ownParameters, query, selectedIndex, toParameters } from "../../state/explore.ts";
import { linkTo } from "../../state/route.ts";
import { rows } from "../../state/row-pages.ts";
import { copyText } from "../../state/toasts.ts";
import { Button, IconButton } from "../button.tsx";
import { filterBy } from "../facets.tsx";
import type { IconName } from "../icon.tsx";
import { Loaded } from "../loaded.tsx";
import { timeOf } from "./grid-row.tsx";

interface RecordPanelProps {
  readonly row: Row;
  readonly onClose: () => void;
}

/** A row as a tree, every value of which can be copied and filtered by; its neighbours in time; a link to it. */
export function RecordPanel({ row, onClose }: RecordPanelProps) {
  const [showsAround, setShowsAround] = useState(false);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    setShowsAround(false);
  }, [row]);
  useEffect(() => {
    panel.current?.focus();
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") onClose();
    };
    const element = panel.current;
    element?.addEventListener("keydown", onKey);
    return () => element?.removeEventListener("keydown", onKey);
  }, [onClose]);
  const hasPlace = typeof row.timestamp === "number" && typeof row.id === "string";
  return (
    <section class="record" aria-label="Record" tabIndex={-1} ref={panel}>
      <header>
        <span class="mono grow record-time">{timeOf(row)}</span>
        <StepButtons />
        {hasPlace && (
          <Button
            class="small"
            icon="around"
            text="Show around"
            aria-pressed={showsAround}
            onClick={() => setShowsAround(!showsAround)}
          />
        )}
        {hasPlace && (
          <IconButton
            icon="link"
            label="Copy a link to this record"
            onClick={() => void copyText(linkToRow(row), "a link")}
          />
        )}
        <IconButton
          icon="copy"
          label="Copy the record as JSON"
          onClick={() => void copyText(JSON.stringify(unwrap(row), null, 2), "the record")}
        />
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="record-body" tabIndex={0} aria-label={showsAround ? "Rows around it" : "Fields"}>
        {showsAround ? <Around row={row} /> : <Tree value={row} path="" depth={0} />}
      </section>
    </section>
  );
}

function StepButtons() {
  const index = selectedIndex.value ?? 0;
  const go = (to: number) => {
    selectedIndex.value = to;
  };
  return (
    <>
      <Button class="plain small" text="Newer" disabled={index === 0} onClick={() => go(index - 1)} />
      <Button
        class="plain small"
        text="Older"
        disabled={index >= rows.value.length - 1}
        onClick={() => go(index + 1)}
      />
    </>
  );
}

/** An address that shows this row first: its second, with its id as the filter. */
function linkToRow(row: Row): string {
  const ms = Math.floor(Number(row.timestamp) / 1000);
  const text = `id:"${String(row.id).replaceAll(/["\\]/g, "\\$&")}"`;
  const range = { kind: "between", fromMs: ms - 60_000, toMs: ms + 60_000 } as const;
  const shown = { ...query.value, language: "lql", text, range } as const;
  return new URL(linkTo("explore", toParameters(shown)), location.href).href;
}

function Around({ row }: { readonly row: Row }) {
  const load = useLoad(
    async (signal) => {
      const place = { table: currentTable.value?.name, timestamp: row.timestamp, id: row.id };
      const body = { ...ownParameters(), ...place, count: 25 };
      const { result } = await callApi("showAround", { path: { endpoint: query.value.scope }, body, signal });
      return result as readonly Row[];
    },
    [row],
  );
  return (
    <Loaded load={load}>
      {(around) => (
        <ol class="stack" style={{ gap: "2px" }}>
          {around.map((each) => (
            <li key={String(each.id)} class="leaf" aria-current={each.id === row.id}>
              <span class="key mono">{timeOf(each).slice(11)}</span>
              <span class={each.id === row.id ? "value current-row" : "value"}>
                {lineOf(each.event_message ?? unwrap(each), 400)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}

interface TreeProps {
  readonly value: unknown;
  /** Dotted; empty for the row itself. */
  readonly path: string;
  readonly depth: number;
}

/** Entries that are drawn at once: a record of thousands of keys is opened in parts. */
const pageEntries = 200;
const maxDepth = 40;

function Tree({ value, path, depth }: TreeProps) {
  const [shownCount, setShownCount] = useState(pageEntries);
  const inner = unwrapOne(value);
  const entries = Object.entries(inner as object);
  return (
    <div class={depth === 0 ? "tree" : undefined}>
      <ul style={depth === 0 ? { border: 0, margin: 0, padding: 0 } : {}}>
        {entries.slice(0, shownCount).map(([key, each]) => (
          <li key={key}>
            <Entry name={key} value={each} path={path === "" ? key : `${path}.${key}`} depth={depth} />
          </li>
        ))}
      </ul>
      {entries.length > shownCount && (
        <Button class="small" onClick={() => setShownCount(shownCount + 1_000)}>
          {entries.length - shownCount} more
        </Button>
      )}
    </div>
  );
}

function Entry({ name, value, path, depth }: TreeProps & { readonly name: string }) {
  const inner = unwrapOne(value);
  const isBranch = typeof inner === "object" && inner !== null && Object.keys(inner).length > 0 && depth < maxDepth;
  if (!isBranch) return <Leaf name={name} value={inner} path={path} />;
  return (
    <details open={depth < 3}>
      <summary>{name.slice(0, 200)}</summary>
      <Tree value={inner} path={path} depth={depth + 1} />
    </details>
  );
}

/** Characters of a value that are shown before somebody asks for more. */
const shownCharacters = 4_000;

function Leaf({ name, value, path }: { readonly name: string; readonly value: unknown; readonly path: string }) {
  const [isWhole, setWhole] = useState(false);
  const text = value === null || value === undefined ? "null" : textOf(value);
  const isCut = !isWhole && text.length > shownCharacters;
  const isOpen = canFilter(query.value.language, path) && path !== "timestamp" && text.length < 2_000;
  const filterValue = value === null || value === undefined ? null : text;
  return (
    <div class="leaf">
      <span class="key">{name.slice(0, 200)}</span>
      <span class={value === null ? "value faint" : "value"}>
        {isCut ? `${text.slice(0, shownCharacters)}… ` : text}
        {isCut && (
          <Button class="small" onClick={() => setWhole(true)}>
            Show all {text.length} characters
          </Button>
        )}
      </span>
      <span class="actions">
        {isOpen && (
          <>
            <LeafAction
              label={`Only rows with this ${name}`}
              icon="plus"
              onClick={() => filterBy(path, filterValue, false)}
            />
            <LeafAction label={`Without this ${name}`} icon="minus" onClick={() => filterBy(path, filterValue, true)} />
          </>
        )}
        <LeafAction label={`Show ${name} as a column`} icon="columns" onClick={() => toggleColumn(path)} />
        <LeafAction label={`Copy ${name}`} icon="copy" onClick={() => void copyText(text, name)} />
      </span>
    </div>
  );
}

function LeafAction({ label, ...props }: { label: string; icon: IconName; onClick: () => void }) {
  return <IconButton {...props} label={label.slice(0, 120)} title={label.slice(0, 120)} />;
}

function toggleColumn(path: string): void {
  const { columns } = query.value;
  const rest = columns.filter((each) => each !== path);
  change({ columns: rest.length < columns.length ? rest : [...columns, path] }, "show");
}

/** A list of one record is the record. */
function unwrapOne(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return value;
  const only: unknown = value[0];
  return typeof only === "object" && only !== null ? only : value;
}
