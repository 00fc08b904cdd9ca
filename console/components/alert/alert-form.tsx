import { callApi } from "../../api/client.ts";
import { type AlertDraft, toAlertDocument } from "../../lib/alert-draft.ts";
import { useForm } from "../../lib/use-form.ts";
import { session } from "../../state/session.ts";
import { CheckField, Form, SelectField, TextField } from "../fields.tsx";
import { Card, Segments } from "../layout.tsx";
import { QueryEditor } from "../query-editor.tsx";
import { DestinationsField } from "./alert-destinations.tsx";

interface AlertFormProps {
  readonly draft: AlertDraft;
  /** The alert that is changed; a new one unless given. */
  readonly id?: string;
  readonly onSaved: (id: string) => void;
}

/** The fields of an alert: its query, its schedule, what its rows must be, and who is notified. */
export function AlertForm({ draft: first, id, onSaved }: AlertFormProps) {
  const { draft, set, error, submit } = useForm(first, async () => {
    const body = toAlertDocument(draft, id !== undefined);
    const saved =
      id === undefined ? await callApi("createAlert", { body }) : await callApi("replaceAlert", { path: { id }, body });
    onSaved(String(saved.id));
  });
  return (
    <Form onSubmit={submit} error={error} action={id === undefined ? "Create alert" : "Save"}>
      <div class="row wrap form-row">
        <TextField label="Name" isRequired value={draft.name} onInput={(name) => set({ name })} />
        <SelectField
          label="Severity"
          value={draft.severity}
          options={["info", "warning", "critical"]}
          onChange={(severity) => set({ severity })}
        />
      </div>
      <TextField
        label="Description (optional)"
        value={draft.description}
        onInput={(description) => set({ description })}
      />
      <QueryPart draft={draft} set={set} onRun={() => void submit()} />
      <SchedulePart draft={draft} set={set} />
      <ConditionPart draft={draft} set={set} />
      <NoticesPart draft={draft} set={set} />
      <CheckField
        label="Enabled: it runs by its schedule"
        isChecked={draft.isEnabled}
        onChange={(isEnabled) => set({ isEnabled })}
      />
    </Form>
  );
}

interface PartProps {
  readonly draft: AlertDraft;
  readonly set: (part: Partial<AlertDraft>) => void;
}

const kinds = [
  ["sql", "SQL"],
  ["lql", "LQL"],
  ["endpoint", "Endpoint"],
] as const;

function QueryPart({ draft, set, onRun }: PartProps & { readonly onRun: () => void }) {
  const { kind, text } = draft;
  const endpoints = (session.value?.endpoints ?? []).map(({ name }) => name);
  const change = (next: AlertDraft["kind"]) => {
    const [first = ""] = endpoints;
    set({ kind: next, text: next === "endpoint" ? first : kind === "endpoint" ? "" : text });
  };
  return (
    <Card label="Query" head=<Segments label="What runs" choices={kinds} value={kind} onChange={change} />>
      {kind === "endpoint" ? (
        <SelectField
          label="Endpoint"
          value={text}
          options={endpoints.includes(text) ? endpoints : [text, ...endpoints]}
          onChange={(name) => set({ text: name })}
        />
      ) : (
        <div class="query-text">
          <QueryEditor
            key={kind}
            language={kind}
            scope="all"
            text={text}
            label="The alert's query"
            onChange={(changed) => set({ text: changed })}
            onRun={onRun}
          />
        </div>
      )}
      {(kind === "endpoint" || draft.parameters !== "") && (
        <TextField
          label="Parameters (a JSON object)"
          lines={3}
          placeholder='{"project": "default"}'
          value={draft.parameters}
          onInput={(parameters) => set({ parameters })}
        />
      )}
    </Card>
  );
}

function SchedulePart({ draft, set }: PartProps) {
  const isCron = draft.cron !== "" || draft.every === "";
  const change = (how: string) =>
    how === "cron" ? set({ cron: "*/5 * * * *", every: "" }) : set({ cron: "", zone: "", every: "1m" });
  return (
    <div class="row wrap form-row">
      <SelectField
        label="Runs"
        value={isCron ? "cron" : "every"}
        options={[
          ["every", "Every"],
          ["cron", "By a cron pattern"],
        ]}
        onChange={change}
      />
      {isCron ? (
        <>
          <TextField label="Cron pattern" isRequired value={draft.cron} onInput={(cron) => set({ cron })} />
          <TextField
            label="Time zone (UTC unless set)"
            placeholder="Europe/Berlin"
            value={draft.zone}
            onInput={(zone) => set({ zone })}
          />
        </>
      ) : (
        <TextField label="Such as 30s, 5m, 2h" isRequired value={draft.every} onInput={(every) => set({ every })} />
      )}
    </div>
  );
}

function ConditionPart({ draft, set }: PartProps) {
  const isOfColumn = draft.column !== "";
  return (
    <Card label="Condition" title="Fires where a row has">
      <div class="row wrap form-row">
        <TextField
          label="Column (empty: any row is a reason)"
          value={draft.column}
          onInput={(column) => set({ column })}
        />
        {isOfColumn && (
          <>
            <SelectField
              label="Compared by"
              value={draft.op}
              options={[">", ">=", "<", "<=", "=", "!="]}
              onChange={(op) => set({ op })}
            />
            <TextField label="With" isRequired value={draft.value} onInput={(value) => set({ value })} />
          </>
        )}
        <TextField label="For as long as (optional)" value={draft.for} onInput={(length) => set({ for: length })} />
      </div>
      <TextField
        label="A group for each value of (columns with commas between them, optional)"
        value={draft.groupBy}
        onInput={(groupBy) => set({ groupBy })}
      />
      {isOfColumn && (
        <CheckField
          label="No rows at all are a reason too"
          isChecked={draft.firesOnMissing}
          onChange={(firesOnMissing) => set({ firesOnMissing })}
        />
      )}
    </Card>
  );
}

function NoticesPart({ draft, set }: PartProps) {
  return (
    <Card label="Notices" title="Who is notified">
      <DestinationsField value={draft.notify} onChange={(notify) => set({ notify })} />
      <TextField
        label="Message (optional; {{column}} is the value of the group's first row)"
        value={draft.message}
        onInput={(message) => set({ message })}
      />
      <TextField
        label="Remind after (optional, such as 4h)"
        value={draft.remind}
        onInput={(remind) => set({ remind })}
      />
    </Card>
  );
}
