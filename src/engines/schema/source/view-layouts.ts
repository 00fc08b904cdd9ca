/** Layouts of a source's views: created on demand, and the same object for as long as it is referenced. */
import { LRUCache } from "lru-cache";
import type { TableLayout } from "../layout.ts";

/** The fields of cached views that are not in use, some 500 bytes each. */
const MAX_KEPT_FIELDS = 100_000;
/** References to layouts that are gone, above which they are cleared away. */
const MAX_LEFT = 4096;

function sizeOf({ leaves, presence, definition }: TableLayout): number {
  return 10 + leaves.size + presence.size + definition.columns.length;
}

export class ViewLayouts {
  readonly #kept = new LRUCache<string, TableLayout>({ maxSize: MAX_KEPT_FIELDS, sizeCalculation: sizeOf });
  readonly #known = new Map<string, WeakRef<TableLayout>>();
  #whole: { readonly key: string; readonly layout: TableLayout } | undefined;

  /** The layout of a tenant's view. */
  of(key: string, create: () => TableLayout): TableLayout {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const layout = this.#known.get(key)?.deref() ?? create();
    this.#kept.set(key, layout);
    if (this.#known.size > MAX_LEFT) this.#clearLeft();
    this.#known.set(key, new WeakRef(layout));
    return layout;
  }

  /** That of everything; the one before is let go of. */
  whole(key: string, create: () => TableLayout): TableLayout {
    if (this.#whole?.key !== key) this.#whole = { key, layout: create() };
    return this.#whole.layout;
  }

  clear(): void {
    this.#kept.clear();
    this.#known.clear();
    this.#whole = undefined;
  }

  #clearLeft(): void {
    for (const [key, layout] of this.#known) if (layout.deref() === undefined) this.#known.delete(key);
  }
}
