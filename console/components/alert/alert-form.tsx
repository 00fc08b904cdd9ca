import { callApi } from "../../api/client.ts";
import { type AlertDraft, toAlertDocument } from "../../lib/alert-draft.ts";
import { type Fields, useForm } from "../../lib/use-form.ts";
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
  const { fields, draft, set, bind, error, submit } = useForm(first, async () => {
    const body = toAlertDocument(draft, id !== undefined);
    const saved =
      id === undefined ? await callApi("createAlert", { body }) : await callApi("replaceAlert", { path: { id }, body });
    onSaved(String(saved.id));
  });
  return (
    <Form onSubmit={submit} error={error} action={id === undefined ? "Create alert" : "Save"}>
      <div class="row wrap form-row">
        <TextField label="Name" isRequired {...bind("name")} />
        <SelectField
          label="Severity"
          value={draft.severity}
          options={["info", "warning", "critical"]}
          onChange={(severity) => set({ severity })}
        />
      </div>
      <TextField label="Description (optional)" {...bind("description")} />
      <QueryPart {...fields} onRun={() => void submit()} />
      <SchedulePart {...fields} />
      <ConditionPart {...fields} />
      <NoticesPart {...fields} />
      <CheckField label="Enabled: it runs by its schedule" {...bind("isEnabled")} />
    </Form>
  );
}

type PartProps = Fields<AlertDraft>;

const kinds = [
  ["sql", "SQL"],
  ["lql", "LQL"],
  ["endpoint", "Endpoint"],
] as const;

function QueryPart({ draft, set, bind, onRun }: PartProps & { readonly onRun: () => void }) {
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
          {...bind("parameters")}
        />
      )}
    </Card>
  );
}

function SchedulePart({ draft, set, bind }: PartProps) {
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
          <TextField label="Cron pattern" isRequired {...bind("cron")} />
          <TextField label="Time zone (UTC unless set)" placeholder="Europe/Berlin" {...bind("zone")} />
        </>
      ) : (
        <TextField label="Such as 30s, 5m, 2h" isRequired {...bind("every")} />
      )}
    </div>
  );
}

function ConditionPart({ draft, set, bind }: PartProps) {
  const isOfColumn = draft.column !== "";
  return (
    <Card label="Condition" title="Fires where a row has">
      <div class="row wrap form-row">
        <TextField label="Column (empty: any row is a reason)" {...bind("column")} />
        {isOfColumn && (
          <>
            <SelectField
              label="Compared by"
              value={draft.op}
              options={[">", ">=", "<", "<=", "=", "!="]}
              onChange={(op) => set({ op })}
            />
            <TextField label="With" isRequired {...bind("value")} />
          </>
        )}
        <TextField label="For as long as (optional)" {...bind("for")} />
      </div>
      <TextField label="A group for each value of (columns with commas between them, optional)" {...bind("groupBy")} />
      {isOfColumn && <CheckField label="No rows at all are a reason too" {...bind("firesOnMissing")} />}
    </Card>
  );
}

function NoticesPart({ bind }: PartProps) {
  return (
    <Card label="Notices" title="Who is notified">
      <DestinationsField {...bind("notify")} />
      <TextField label="Message (optional; {{column}} is the value of the group's first row)" {...bind("message")} />
      <TextField label="Remind after (optional, such as 4h)" {...bind("remind")} />
    </Card>
  );
}
