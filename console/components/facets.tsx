import { useState } from "preact/hooks";
import { canFilter, splitClauses, typeOf, withFilter } from "../lib/query-text.ts";
import { countableFields, formatCount, lineOf } from "../lib/values.ts";
import { change, facetPaths, fields, overview, query } from "../state/explore.ts";
import { IconButton } from "./button.tsx";

/** Narrows the query to rows with this value of a field, or to those without it. */
export function filterBy(path: string, value: string | null, isExcluded: boolean): void {
  const { language, text, ...rest } = query.value;
  const table = rest.table;
  const field = { path, type: typeOf(fields.value, path) };
  change({
    text: withFilter(language, language === "sql" && text === "" ? defaultSql(table) : text, field, value, isExcluded),
  });
}

function defaultSql(table: string | undefined): string {
  return `SELECT *\nFROM ${table ?? "logs"}\nORDER BY timestamp DESC`;
}

/** Chosen fields with their most frequent values; a press filters, with Alt it excludes. */
export function Facets() {
  const { value: state } = overview;
  const shown = state.kind === "loaded" ? state.value : state.kind === "loading" ? state.last : undefined;
  return (
    <section class="facets" aria-label="Fields and values">
      {facetPaths.value.map((path) => (
        <Facet key={path} path={path} values={shown?.facets.find((facet) => facet.path === path)?.values} />
      ))}
      <AddFacet />
    </section>
  );
}

interface FacetProps {
  readonly path: string;
  readonly values: readonly { readonly value: string | null; readonly count: number }[] | undefined;
}

function Facet({ path, values }: FacetProps) {
  const [search, setSearch] = useState("");
  const [isSearching, setSearching] = useState(false);
  const matching = values?.filter(({ value }) => (value ?? "").toLowerCase().includes(search.toLowerCase()));
  const largest = Math.max(1, ...(values ?? []).map(({ count }) => count));
  return (
    <div class="facet">
      <div class="row">
        <h2 class="facet-name" title={path}>
          {shortName(path)}
        </h2>
        <IconButton
          icon="search"
          label={`Search values of ${path}`}
          aria-pressed={isSearching}
          onClick={() => setSearching(!isSearching)}
        />
        <IconButton
          icon="close"
          label={`Hide ${path}`}
          onClick={() => change({ facets: facetPaths.value.filter((each) => each !== path) }, "show")}
        />
      </div>
      {isSearching && <FacetSearch path={path} search={search} onSearch={setSearch} />}
      {matching?.map(({ value, count }) => (
        <FacetValue key={value ?? "\u0000"} path={path} value={value} count={count} share={count / largest} />
      ))}
      {matching === undefined && overview.value.kind === "loading" && <div class="faint">…</div>}
      {matching?.length === 0 && <div class="faint">No values</div>}
    </div>
  );
}

/** Narrows what is listed; Enter asks for rows that contain the text, also in values that are not listed. */
function FacetSearch({ path, search, onSearch }: { path: string; search: string; onSearch: (text: string) => void }) {
  const isLql = query.value.language === "lql" && canFilter("lql", path);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isLql || search === "") return;
        const escaped = search
          .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
          .replaceAll("\\", "\\\\")
          .replaceAll('"', '\\"');
        change({ text: [...splitClauses(query.value.text), `${path}:~"${escaped}"`].join(" ") });
      }}
    >
      <input
        class="input"
        style={{ width: "100%" }}
        aria-label={`Find in ${path}`}
        placeholder={isLql ? "Find; Enter filters" : "Find"}
        value={search}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
    </form>
  );
}

interface FacetValueProps {
  readonly path: string;
  readonly value: string | null;
  readonly count: number;
  readonly share: number;
}

function FacetValue({ path, value, count, share }: FacetValueProps) {
  const isOpen = canFilter(query.value.language, path);
  const label = value === null ? "missing" : value === "" ? "empty" : lineOf(value);
  return (
    <div class="facet-row">
      <button
        type="button"
        class="facet-value"
        disabled={!isOpen}
        title={`${label}\nPress to filter, with Alt to exclude`}
        onClick={(event) => filterBy(path, value, event.altKey)}
      >
        <span class="bar" style={{ width: `${Math.round(share * 100)}%` }} />
        <span class={value === null ? "value faint" : "value"}>{label.slice(0, 200)}</span>
        <span class="count">{formatCount(count)}</span>
      </button>
      <IconButton
        class="plain small exclude"
        icon="minus"
        disabled={!isOpen}
        label={`Exclude ${label.slice(0, 80)}`}
        onClick={() => filterBy(path, value, true)}
      />
    </div>
  );
}

function AddFacet() {
  const [search, setSearch] = useState("");
  const open = countableFields(fields.value).filter(({ path }) => !facetPaths.value.includes(path));
  const matching = open.filter(({ path }) => path.toLowerCase().includes(search.toLowerCase()));
  if (open.length === 0) return null;
  return (
    <div class="facet">
      <h2 class="facet-name">More fields</h2>
      <input
        class="input"
        style={{ width: "100%", margin: "6px 0" }}
        aria-label="Find a field"
        placeholder={`Find one of ${open.length} fields`}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ul>
        {matching.slice(0, search === "" ? 8 : 40).map(({ path, type }) => (
          <li key={path}>
            <button
              type="button"
              class="facet-value"
              title={path}
              onClick={() => change({ facets: [...facetPaths.value, path].slice(-12) })}
            >
              <span class="value">{shortName(path)}</span>
              <span class="count">{type.toLowerCase()}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A path without what is the same for most. */
export function shortName(path: string): string {
  return path.replace(/^metadata\./, "");
}
