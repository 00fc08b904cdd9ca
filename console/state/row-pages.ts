import { batch, signal } from "@preact/signals";
import { isAborted } from "../api/client.ts";
import type { Row } from "../lib/values.ts";

/** The rows that are shown, newest first; `absentRow` stands for those whose page was let go. */
export const rows = signal<readonly Row[]>([]);
export const rowsState = signal<{
  readonly kind: "idle" | "loading" | "loaded" | "failed";
  readonly error?: unknown;
  /** The cursor of the page behind them, where there is one. */
  readonly next?: string;
}>({ kind: "idle" });

/** In the place of a row that is asked for again once it comes into view. */
export const absentRow: Row = Object.freeze({});

/** Asks for a page: the first, or the one at a cursor. */
export type AskPage = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>;

interface Page {
  readonly from: number;
  readonly count: number;
  readonly cursor: string | undefined;
  isHere: boolean;
}

/** Pages that are held at once: a table of 100,000 rows must not fill the memory of the tab. */
const keptPages = 30;
/** How long rows are in view before those that were let go are asked for again. */
const restoreAfterMs = 80;

let pages: Page[] = [];
let open: { readonly ask: AskPage; readonly signal: AbortSignal } | undefined;
let view = { first: 0, last: 0 };
let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks for the first page. What an earlier query asked for is given up by its signal. */
export function openRows(ask: AskPage, signal: AbortSignal): void {
  open = { ask, signal };
  void load(undefined);
}

/** Asks for the page behind what is shown, where there is one; again, where it failed. */
export function loadMore(): void {
  const { kind, next } = rowsState.peek();
  if ((kind === "loaded" || kind === "failed") && next !== undefined) void load(next);
}

/** Rows that stand nowhere in pages, such as those that are followed. */
export function replaceRows(shown: readonly Row[]): void {
  pages = [];
  batch(() => {
    rows.value = shown;
    if (rowsState.peek().kind === "loaded") rowsState.value = { kind: "loaded" };
  });
}

export function clearRows(): void {
  open = undefined;
  pages = [];
  batch(() => {
    rows.value = [];
    rowsState.value = { kind: "idle" };
  });
}

/** Receives which rows are in view: those that were let go come back. */
export function noteView(first: number, last: number): void {
  view = { first, last };
  clearTimeout(timer);
  if (pages.some((page) => !page.isHere && isInView(page))) timer = setTimeout(() => void restore(), restoreAfterMs);
}

function isInView({ from, count }: Page): boolean {
  return from <= view.last && from + count > view.first;
}

async function load(cursor: string | undefined): Promise<void> {
  if (open === undefined) return;
  const { ask, signal } = open;
  rowsState.value = { kind: "loading" };
  try {
    const { result, next } = await readPage(ask, cursor, signal);
    if (cursor === undefined) pages = [];
    const shown = cursor === undefined ? [] : rows.peek();
    pages.push({ from: shown.length, count: result.length, cursor, isHere: true });
    batch(() => {
      rows.value = letGo([...shown, ...result]);
      rowsState.value = { kind: "loaded", ...(next === undefined ? {} : { next }) };
    });
  } catch (error) {
    if (isAborted(error) || signal.aborted) return;
    batch(() => {
      if (cursor === undefined) rows.value = [];
      rowsState.value = { kind: "failed", error, ...(cursor === undefined ? {} : { next: cursor }) };
    });
  }
}

/** Asks again for pages in view that were let go; what fails stays away until the view changes. */
async function restore(): Promise<void> {
  if (open === undefined) return;
  const { ask, signal } = open;
  for (const page of pages.filter((each) => !each.isHere && isInView(each))) {
    page.isHere = true;
    try {
      const { result } = await readPage(ask, page.cursor, signal);
      if (signal.aborted || !pages.includes(page)) return;
      const shown = [...rows.value];
      shown.splice(page.from, page.count, ...result.slice(0, page.count));
      rows.value = letGo(shown);
    } catch {
      page.isHere = false;
    }
  }
}

/** The same rows, without those of the pages that are farthest from the view, where there are too many. */
function letGo(shown: Row[]): readonly Row[] {
  const middle = (view.first + view.last) / 2;
  const distance = ({ from, count }: Page) => Math.abs(from + count / 2 - middle);
  const here = pages.filter(({ isHere }) => isHere).sort((a, b) => distance(a) - distance(b));
  for (const page of here.slice(keptPages)) {
    // The newest page is where the next one goes on.
    if (page === pages.at(-1)) continue;
    page.isHere = false;
    shown.fill(absentRow, page.from, page.from + page.count);
  }
  return shown;
}

async function readPage(
  ask: AskPage,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly result: readonly Row[]; readonly next: string | undefined }> {
  const response = await ask(cursor, signal);
  const { result } = (await response.json()) as { readonly result: readonly Row[] };
  return { result, next: nextCursor(response) };
}

function nextCursor(response: Response): string | undefined {
  const link = /<([^>]*)>; *rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return link === undefined ? undefined : (new URL(link, location.href).searchParams.get("cursor") ?? undefined);
}
