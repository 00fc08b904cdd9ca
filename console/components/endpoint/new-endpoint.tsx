import { useState } from "preact/hooks";
import { callApi, send } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.ts";
import {
  applyProposals,
  createUuid,
  literalValue,
  type Proposal,
  proposeParameters,
  withTables,
  writeEndpointFile,
} from "../../lib/endpoint-draft.ts";
import { withoutNulls } from "../../lib/parameters.ts";
import { type Fields, useForm } from "../../lib/use-form.ts";
import { useLoad } from "../../lib/use-load.ts";
import { linkTo, navigate, route } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { say } from "../../state/toasts.ts";
import { Button } from "../button.tsx";
import { CheckField, Form, TextField } from "../fields.tsx";
import { Card } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { ErrorNotice, Spinner } from "../notices.tsx";
import { QueryEditor } from "../query-editor.tsx";
import { Snippet } from "../snippet.tsx";
import { Answer, ParameterField, useRun, type Values } from "./endpoint-run.tsx";

/** As a document has it. */
interface Parameter {
  readonly type?: string;
  readonly required?: boolean;
  readonly allowed?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

type Parameters = Readonly<Record<string, Parameter>>;

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly isSandboxed: boolean;
  readonly query: string;
  readonly parameters: Parameters;
  /** Settings taken from the endpoint whose tables the query reads. */
  readonly inherited: Pick<Partial<Endpoint>, "tenant_parameter" | "redact_pii">;
}

const empty: Draft = {
  name: "",
  description: "",
  isSandboxed: false,
  query: "SELECT timestamp, event_message\nFROM edge\nORDER BY timestamp DESC\nLIMIT 100",
  parameters: {},
  inherited: {},
};

/** The query of the address, with the tables and parameters of the endpoint that it was asked of. */
async function readDraft(parameters: URLSearchParams, signal: AbortSignal): Promise<Draft> {
  const [scope, text] = [parameters.get("s"), parameters.get("q")];
  if (scope === null || text === null) return empty;
  if (scope.startsWith("source:")) return { ...empty, query: text };
  const endpoint = await callApi("getEndpoint", { path: { endpoint: scope }, signal });
  const { tenant_parameter, redact_pii } = endpoint;
  return {
    ...empty,
    query: withTables(endpoint.query, text),
    parameters: Object.fromEntries(
      Object.entries(endpoint.parameters).map(([name, parameter]) => [name, withoutNulls<Parameter>(parameter)]),
    ),
    inherited: {
      ...(typeof tenant_parameter === "string" ? { tenant_parameter } : {}),
      ...(redact_pii === false ? {} : { redact_pii }),
    },
  };
}

/** Those parameters that the query still names. */
function usedParameters({ query, parameters }: Draft): readonly (readonly [string, Parameter])[] {
  return Object.entries(parameters).filter(([each]) => new RegExp(`@${each}\\b`, "i").test(query));
}

/** The document of the API. */
function toDocument(draft: Draft) {
  const { name, description, isSandboxed, query, inherited } = draft;
  const used = usedParameters(draft);
  return {
    name: name.trim(),
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    ...(isSandboxed ? { sandbox: true } : {}),
    ...(used.length === 0 ? {} : { parameters: Object.fromEntries(used) }),
    ...inherited,
    query,
  };
}

/** Makes an endpoint: from the query that Explore shows, or from nothing; in the service, or as a file. */
export function NewEndpoint() {
  const { parameters } = route.value;
  const load = useLoad((signal) => readDraft(parameters, signal), []);
  return (
    <div class="page">
      <div class="page-head">
        <h1>New endpoint</h1>
        <a href={linkTo("endpoints")}>All endpoints</a>
      </div>
      <Loaded load={load}>{(first) => <DraftForm first={first} />}</Loaded>
    </div>
  );
}

type PartProps = Fields<Draft>;

function DraftForm({ first }: { readonly first: Draft }) {
  const [file, setFile] = useState<string | undefined>();
  const { fields, draft, bind, error, submit } = useForm(first, async () => {
    if (isUnnamed) return;
    const { name } = await callApi("createEndpoint", { body: toDocument(draft) });
    say(`Created ${name}`);
    void refreshSession();
    navigate(`endpoints/${name}`);
  });
  const isUnnamed = draft.name.trim() === "";
  return (
    <Form onSubmit={submit} error={error}>
      <Names {...fields} />
      <Card label="Query">
        <div class="query-text">
          <QueryEditor
            language="sql"
            scope="all"
            label="The endpoint's query"
            text={draft.query}
            onChange={bind("query").onChange}
            onRun={() => void submit()}
          />
        </div>
        <Proposals {...fields} />
        <TestRun draft={draft} />
      </Card>
      <div class="row wrap">
        <Button type="submit" class="primary" text="Create endpoint" disabled={isUnnamed} />
        <Button
          text="Show as a file"
          disabled={isUnnamed}
          onClick={() => setFile(writeEndpointFile(createUuid(), toDocument(draft)))}
        />
      </div>
      {file !== undefined && <Snippet title={`endpoints/${draft.name.trim()}.sql`} text={file} />}
    </Form>
  );
}

function Names({ bind }: PartProps) {
  return (
    <>
      <TextField
        label="Name (callers use it in the address, such as checkout.errors)"
        isRequired
        maxLength={128}
        {...bind("name")}
      />
      <TextField label="Description (optional)" {...bind("description")} />
      <CheckField
        label="Callers may send queries of their own over the tables of its WITH clause"
        {...bind("isSandboxed")}
      />
    </>
  );
}

/** Literals that callers could choose: each becomes a parameter, with the literal as its default. */
function Proposals({ draft, set }: PartProps) {
  const { query, parameters } = draft;
  const proposals = proposeParameters(query, Object.keys(parameters));
  if (proposals.length === 0) return null;
  const make = (proposal: Proposal) => {
    const { name, type } = proposal;
    const value = literalValue(proposal);
    const parameter = { type, ...(value === undefined ? { required: true } : { default: value }) };
    set({ query: applyProposals(query, [proposal]), parameters: { ...parameters, [name]: parameter } });
  };
  return (
    <fieldset class="row wrap" aria-label="Literals that could be parameters">
      <span class="soft">Let callers choose:</span>
      {proposals.map((proposal) => (
        <button type="button" key={proposal.start} class="button small" onClick={() => make(proposal)}>
          <span class="mono">
            {proposal.literal.slice(0, 40)} → @{proposal.name}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

/** Rows of a test run. */
const testRows = 20;

/** Runs the draft's query with values for its parameters, before there is an endpoint. */
function TestRun({ draft }: { readonly draft: Draft }) {
  const [values, setValues] = useState<Values>({});
  const used = usedParameters(draft);
  const { outcome, error, isRunning, run } = useRun((sent) => {
    const defaults = used.map(([name, parameter]) => [name, parameter.default ?? null] as const);
    return send("runQuery", { body: { ...Object.fromEntries(defaults), ...sent, sql: draft.query, limit: testRows } });
  });
  const isReady = used.every(([name, parameter]) => parameter.required !== true || (values[name] ?? "") !== "");
  return (
    <>
      <div class="row wrap" style={{ alignItems: "flex-end" }}>
        {used.map(([name, { type = "string", required = false, allowed, default: unset, description }]) => (
          <ParameterField
            key={name}
            parameter={{
              ...{ name, type, required: false, allowed: allowed === undefined ? null : [...allowed] },
              description: description ?? null,
            }}
            placeholder={required ? "required" : unset === undefined ? "NULL" : String(unset)}
            value={values[name] ?? ""}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <Button icon="play" text="Test run" disabled={!isReady} onClick={() => void run(values)} />
        {isRunning && <Spinner label="Running" />}
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      {outcome !== undefined && <Answer outcome={outcome} />}
    </>
  );
}
