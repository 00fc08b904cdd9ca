import { useState } from "preact/hooks";
import { runEndpoint } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.ts";
import { useAction } from "../../lib/use-form.ts";
import { formatCount, lineOf, type Row } from "../../lib/values.ts";
import { linkedProject } from "../../state/session.ts";
import { Button } from "../button.tsx";
import { Card } from "../layout.tsx";
import { ErrorNotice, Spinner } from "../notices.tsx";

interface Outcome {
  readonly rows: readonly Row[];
  readonly timing: string;
  readonly cache: string;
}

const placeholders: Readonly<Record<string, string>> = { timestamp: "2026-08-20T09:00:00Z", date: "2026-08-20" };
/** Rows of an answer that are shown. */
const shownRows = 50;
const shownCharacters = 160;
/** Values up to so long, such as times and ids, stay in one line. */
const unbrokenCharacters = 40;

export type Values = Readonly<Record<string, string>>;
type Parameter = Pick<Endpoint["contract"]["parameters"][number], "name" | "type" | "allowed" | "required"> & {
  readonly description: string | null;
};

/** The outcome of a run, and the function that starts one by a call with the values that are not empty. */
export function useRun(call: (sent: Values) => Promise<Response>) {
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const { error, isRunning, run } = useAction(async (values: Values) => {
    const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const response = await call(sent);
    const { result } = (await response.json()) as { readonly result: readonly Row[] };
    setOutcome({
      rows: result,
      timing: response.headers.get("server-timing") ?? "",
      cache: response.headers.get("cache-status") ?? "not cached",
    });
  });
  return { outcome: error === undefined ? outcome : undefined, error, isRunning, run };
}

/** The parameters as a form, and what a call answers: rows, time by phase, and how the cache took part. */
export function EndpointRun({ endpoint }: { readonly endpoint: Endpoint }) {
  const [values, setValues] = useState<Values>(() => ({
    ...(linkedProject.value === undefined ? {} : { project: linkedProject.value }),
  }));
  const { outcome, error, isRunning, run } = useRun((sent) => runEndpoint(endpoint.name, sent));
  return (
    <Card label="Run" head={isRunning && <Spinner label="Running" />}>
      <form
        class="row wrap"
        style={{ alignItems: "flex-end" }}
        onSubmit={(event) => {
          event.preventDefault();
          void run(values);
        }}
      >
        {endpoint.contract.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={values[parameter.name] ?? ""}
            onChange={(value) => setValues({ ...values, [parameter.name]: value })}
          />
        ))}
        <Button type="submit" class="primary" icon="play" text="Run" />
      </form>
      {error !== undefined && <ErrorNotice error={error} />}
      {outcome !== undefined && <Answer outcome={outcome} />}
    </Card>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  /** Shown where there is no value; an example of its type unless given. */
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A parameter in the control that its type asks for. */
export function ParameterField({ parameter, placeholder, value, onChange }: ParameterFieldProps) {
  const { name, type, allowed, required, description } = parameter;
  const id = `run-${name}`;
  return (
    <label class="field" for={id} title={description ?? name}>
      <span>
        {name}
        {required ? " *" : ""} <span class="faint">{type}</span>
      </span>
      {allowed !== null || type === "bool" ? (
        <select
          id={id}
          class="select"
          value={value}
          required={required}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="">{required ? "choose" : "none"}</option>
          {(allowed ?? ["true", "false"]).map(String).map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          class="input"
          inputMode={type === "int64" || type === "float64" ? "numeric" : "text"}
          placeholder={placeholder ?? placeholders[type] ?? ""}
          required={required}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

function AnswerCell({ text }: { readonly text: string }) {
  const isShort = text.length <= unbrokenCharacters;
  return (
    <td class={isShort ? "mono plain-text name" : "mono plain-text"} style={{ minWidth: isShort ? "90px" : "240px" }}>
      {text}
    </td>
  );
}

/** Rows that a run answered, with the time of each phase, and how the cache took part. */
export function Answer({ outcome: { rows, timing, cache } }: { readonly outcome: Outcome }) {
  const columns = Object.keys(rows[0] ?? {});
  return (
    <>
      <div class="row wrap">
        <span class="badge accent">{formatCount(rows.length)} rows</span>
        <span class="badge">{cache}</span>
        {timing.split(",").map((phase) => {
          const [, name, ms] = /^\s*(\w+);dur=([\d.]+)/.exec(phase) ?? [];
          return name === undefined ? null : (
            <span key={name} class="badge">
              {name} {Number(ms).toFixed(1)} ms
            </span>
          );
        })}
      </div>
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section class="scroll-x" style={{ maxHeight: "320px", overflowY: "auto" }} tabIndex={0} aria-label="Rows">
          <table class="table">
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column}>{column}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shownRows).map((row, index) => (
                <tr key={String(row.id ?? index)}>
                  {columns.map((column) => (
                    <AnswerCell key={column} text={lineOf(row[column], shownCharacters)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}
