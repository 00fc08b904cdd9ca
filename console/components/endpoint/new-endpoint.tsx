import { useEffect, useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.generated.ts";
import {
  applyProposals,
  createUuid,
  literalValue,
  type Proposal,
  proposeParameters,
  withTables,
  writeEndpointFile,
} from "../../lib/endpoint-draft.ts";
import { showControls } from "../../lib/values.ts";
import { linkTo, navigate, route } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { say } from "../../state/toasts.ts";
import { Form } from "../fields.tsx";
import { Problems } from "../notices.tsx";
import { QueryEditor } from "../query-editor.tsx";
import { Snippet } from "../snippet.tsx";

type Parameters = Readonly<Record<string, object>>;

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
      Object.entries(endpoint.parameters).map(([name, parameter]) => [name, withoutNulls(parameter)]),
    ),
    inherited: {
      ...(typeof tenant_parameter === "string" ? { tenant_parameter } : {}),
      ...(redact_pii === false ? {} : { redact_pii }),
    },
  };
}

const withoutNulls = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

/** The document of the API; parameters that the query no longer names are left out. */
function toDocument({ name, description, isSandboxed, query, parameters, inherited }: Draft) {
  const used = Object.entries(parameters).filter(([each]) => new RegExp(`@${each}\\b`, "i").test(query));
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
  const [draft, setDraft] = useState<Draft | undefined>();
  const [error, setError] = useState<unknown>(undefined);
  const { parameters } = route.value;
  useEffect(() => {
    const controller = new AbortController();
    readDraft(parameters, controller.signal).then(setDraft, (failure: unknown) => {
      if (!controller.signal.aborted) setError(failure);
    });
    return () => controller.abort();
  }, []);
  return (
    <div class="page">
      <div class="page-head">
        <h1>New endpoint</h1>
        <a href={linkTo("endpoints")}>All endpoints</a>
      </div>
      {error !== undefined && <Problems error={error} />}
      {draft !== undefined && (
        <DraftForm draft={draft} set={(part) => setDraft({ ...draft, ...part })} onError={setError} />
      )}
    </div>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly set: (part: Partial<Draft>) => void;
}

function DraftForm({ draft, set, onError }: PartProps & { readonly onError: (error: unknown) => void }) {
  const [file, setFile] = useState<string | undefined>();
  const isUnnamed = draft.name.trim() === "";
  const create = async () => {
    if (isUnnamed) return;
    try {
      const { name } = await callApi("createEndpoint", { body: toDocument(draft) });
      say(`Created ${name}`);
      void refreshSession();
      navigate(`endpoints/${name}`);
    } catch (failure) {
      onError(failure);
    }
  };
  return (
    <Form onSubmit={create}>
      <Names draft={draft} set={set} />
      <section class="card" aria-label="Query">
        <div class="card-head">
          <h2>Query</h2>
        </div>
        <div class="card-body stack">
          <div class="query-text">
            <QueryEditor
              language="sql"
              scope="all"
              text={draft.query}
              label="The endpoint's query"
              onChange={(query) => set({ query })}
              onRun={() => void create()}
            />
          </div>
          <Proposals draft={draft} set={set} />
        </div>
      </section>
      <div class="row wrap">
        <button type="submit" class="button primary" disabled={isUnnamed}>
          Create endpoint
        </button>
        <button
          type="button"
          class="button"
          disabled={isUnnamed}
          onClick={() => setFile(writeEndpointFile(createUuid(), toDocument(draft)))}
        >
          Show as a file
        </button>
      </div>
      {file !== undefined && <Snippet title={`endpoints/${draft.name.trim()}.sql`} text={file} />}
    </Form>
  );
}

function Names({ draft, set }: PartProps) {
  return (
    <>
      <label class="field">
        <span>Name (callers use it in the address, such as checkout.errors)</span>
        <input
          class="input"
          required
          maxLength={128}
          value={draft.name}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Description (optional)</span>
        <input
          class="input"
          value={draft.description}
          onInput={(event) => set({ description: event.currentTarget.value })}
        />
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={draft.isSandboxed}
          onChange={(event) => set({ isSandboxed: event.currentTarget.checked })}
        />
        <span>Callers may send queries of their own over the tables of its WITH clause</span>
      </label>
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
            {showControls(proposal.literal.slice(0, 40))} → @{proposal.name}
          </span>
        </button>
      ))}
    </fieldset>
  );
}
