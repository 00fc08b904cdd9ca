import { useEffect, useState } from "preact/hooks";
import { type Language, sqlTemplate } from "../lib/query-text.ts";
import { resolveRange } from "../lib/time.ts";
import {
  change,
  currentTable,
  missingParameters,
  openScope,
  type ParameterInfo,
  query,
  run,
  scopeParameters,
  scopes,
  tables,
  toParameters,
} from "../state/explore.ts";
import { linkTo, navigate } from "../state/route.ts";
import { session } from "../state/session.ts";
import { copyText } from "../state/toasts.ts";
import { Button, IconButton } from "./button.tsx";
import { Choice } from "./fields.tsx";
import type { IconName } from "./icon.tsx";
import { Segments } from "./layout.tsx";
import { QueryEditor } from "./query-editor.tsx";
import { SavedViews } from "./saved-views.tsx";
import { TimePicker } from "./time-picker.tsx";

/** Where to look, what for, and when. */
export function ExploreToolbar() {
  const { language, text, range } = query.value;
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const runDraft = () => (draft === text ? run() : change({ text: draft }));
  return (
    <section class="query-bar" aria-label="Query">
      <div class="row wrap">
        <ScopeChoice />
        <TableChoice />
        {scopeParameters.value.map((parameter) => (
          <ParameterInput key={parameter.name} parameter={parameter} />
        ))}
        <span class="grow" />
        <div class="row">
          <ZoomButtons />
          <TimePicker range={range} onChange={(chosen) => change({ range: chosen })} />
          <SavedViews />
          {session.value?.may.manage === true && <SaveAsEndpoint draft={draft} />}
          <ToolButton icon="link" label="Copy a link to this view" onClick={copyLink} />
        </div>
      </div>
      <div class="editor-row">
        <LanguageSwitch language={language} />
        <QueryEditor
          language={language}
          text={draft}
          label={language === "lql" ? "Search in LQL" : "Query in SQL"}
          onChange={setDraft}
          onRun={runDraft}
        />
        <Button class="primary" icon="play" text="Run" onClick={runDraft} />
      </div>
    </section>
  );
}

function ToolButton({ label, ...props }: { icon: IconName; label: string; onClick: () => void }) {
  return <IconButton {...props} class="" label={label} title={label} />;
}

function copyLink(): void {
  void copyText(new URL(linkTo("explore", toParameters(query.value)), location.href).href, "a link");
}

/** Leads to a new endpoint with this query; LQL, which endpoints are not written in, begins with all rows of its table. */
function SaveAsEndpoint({ draft }: { readonly draft: string }) {
  const { scope, language } = query.value;
  const text = language === "sql" && draft.trim() !== "" ? draft : sqlTemplate(currentTable.value?.name ?? "");
  return (
    <ToolButton
      icon="endpoint"
      label="Save as endpoint"
      onClick={() => navigate("endpoints/new", new URLSearchParams({ s: scope, q: text }))}
    />
  );
}

const languages = [
  ["lql", "LQL"],
  ["sql", "SQL"],
] as const;

function LanguageSwitch({ language }: { readonly language: Language }) {
  const choose = (chosen: Language) => {
    if (chosen === language) return;
    const table = currentTable.value?.name ?? "";
    change({ language: chosen, text: chosen === "sql" ? sqlTemplate(table) : "" });
  };
  return <Segments label="Language" choices={languages} value={language} onChange={choose} />;
}

function ScopeChoice() {
  const { scope } = query.value;
  const all = scopes.value;
  if (all.length === 1) return <strong class="mono">{scope}</strong>;
  const endpoints = all.filter((each) => !each.startsWith("source:"));
  const sources = all.filter((each) => each.startsWith("source:"));
  const options = (names: readonly string[]) =>
    names.map((name) => (
      <option key={name} value={name}>
        {name.replace(/^source:/, "")}
      </option>
    ));
  return (
    <select
      class="select"
      aria-label="Endpoint or source"
      value={scope}
      onChange={(event) => {
        change({
          scope: event.currentTarget.value,
          table: undefined,
          text: "",
          language: "lql",
          columns: ["event_message"],
          facets: undefined,
        });
      }}
    >
      {endpoints.length > 0 && <optgroup label="Endpoints">{options(endpoints)}</optgroup>}
      {sources.length > 0 && <optgroup label="Sources">{options(sources)}</optgroup>}
    </select>
  );
}

function TableChoice() {
  const { value: state } = tables;
  const known = state.kind === "loaded" ? state.value : [];
  if (known.length < 2) return null;
  return (
    <Choice
      label="Table"
      names={known.map(({ name }) => name)}
      value={currentTable.value?.name ?? ""}
      onChange={(table) => {
        const isSql = query.value.language === "sql";
        change({ table, text: isSql ? sqlTemplate(table) : "", facets: undefined, columns: ["event_message"] });
      }}
    />
  );
}

/** A parameter of the endpoint's, in the control that its type asks for. */
function ParameterInput({ parameter }: { readonly parameter: ParameterInfo }) {
  const { name, allowed, required, description } = parameter;
  const value = query.value.parameters[name] ?? "";
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const set = (changed: string) => {
    if (changed === value) return;
    change({ parameters: { ...query.value.parameters, [name]: changed } }, "show");
    void openScope();
  };
  return (
    <label class="field" title={description ?? name} for={`parameter-${name}`}>
      <span>{name}</span>
      {allowed === null ? (
        <input
          id={`parameter-${name}`}
          class="input"
          size={14}
          required={required}
          value={draft}
          aria-invalid={missingParameters.value.includes(name)}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onBlur={() => set(draft)}
          onKeyDown={(event) => {
            if (event.key === "Enter") set(draft);
          }}
        />
      ) : (
        <select
          id={`parameter-${name}`}
          class="select"
          value={value}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {!required && <option value="">any</option>}
          {allowed.map((each) => (
            <option key={String(each)} value={String(each)}>
              {String(each)}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}

/** The keyboard's way to what dragging over the chart does. */
function ZoomButtons() {
  const zoom = (factor: number) => {
    const { fromMs, toMs } = resolveRange(query.value.range, Date.now());
    const middle = (fromMs + toMs) / 2;
    const half = Math.max(500, ((toMs - fromMs) / 2) * factor);
    change({ range: { kind: "between", fromMs: Math.round(middle - half), toMs: Math.round(middle + half) } });
  };
  return (
    <>
      <ToolButton icon="plus" label="Zoom in on the time" onClick={() => zoom(0.5)} />
      <ToolButton icon="minus" label="Zoom out of the time" onClick={() => zoom(2)} />
    </>
  );
}
