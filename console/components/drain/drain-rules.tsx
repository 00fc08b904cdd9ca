import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/operations.ts";
import { formatAgo } from "../../lib/time.ts";
import { useAction } from "../../lib/use-form.ts";
import { useLoad } from "../../lib/use-load.ts";
import { formatCount } from "../../lib/values.ts";
import { attempt, say } from "../../state/toasts.ts";
import { Button, IconButton } from "../button.tsx";
import { Form, SelectField, TextField } from "../fields.tsx";
import { Card } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { Table } from "../table-card.tsx";

type Status = Answers["getBackend"]["status"][number];
type Rule = Answers["listRules"][number];

const counts = ["waiting", "delivered", "refused", "dropped", "removed", "excluded"] as const;
const headings = ["Source", "Events (LQL)", ...counts.map((ofNumbers) => ({ ofNumbers })), "Last delivery", "Actions"];

interface DrainRulesProps {
  readonly backend: string;
  readonly statuses: readonly Status[];
  readonly onChanged: () => void;
}

/** The rules of a drain: which events of which source go there, and what became of them. */
export function DrainRules({ backend, statuses, onChanged }: DrainRulesProps) {
  const load = useLoad((signal) => callApi("listRules", { query: { backend_id: backend }, signal }), [backend]);
  const [edited, setEdited] = useState<Rule | undefined>();
  const reload = () => {
    setEdited(undefined);
    load.reload();
    onChanged();
  };
  const remove = ({ id, source }: Rule) =>
    attempt(async () => {
      await callApi("deleteRule", { path: { id } });
      say(`No event of ${source} goes there by that rule`);
      reload();
    });
  return (
    <Card
      label="Rules"
      title="Which events go there"
      head={<Button class="plain small" text="Refresh" onClick={reload} />}
    >
      <Loaded load={load}>
        {(rules) =>
          rules.length === 0 ? (
            <p class="faint">None yet: add a rule.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
            <section class="scroll-x" tabIndex={0} aria-label="Rules with their counts">
              <Table headings={headings}>
                {rules.map((rule) => (
                  <RuleLine
                    key={rule.id}
                    rule={rule}
                    status={statuses.find(({ rule_id: id }) => id === rule.id)}
                    onEdit={() => setEdited(rule)}
                    onRemove={() => void remove(rule)}
                  />
                ))}
              </Table>
            </section>
          )
        }
      </Loaded>
      {edited === undefined ? (
        <NewRule backend={backend} onMade={reload} />
      ) : (
        <ChangedRule key={edited.id} rule={edited} onSaved={reload} onClose={() => setEdited(undefined)} />
      )}
    </Card>
  );
}

interface RuleLineProps {
  readonly rule: Rule;
  readonly status: Status | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function RuleLine({ rule: { source, lql_string: lql }, status, onEdit, onRemove }: RuleLineProps) {
  const last = status?.last_delivered_at ?? null;
  const error = status?.last_error ?? null;
  return (
    <tr>
      <td class="mono name">{source}</td>
      <td class="mono plain-text">
        {lql === "" ? <span class="faint">all</span> : lql}
        {error !== null && <div class="notice danger">{error}</div>}
      </td>
      {counts.map((count) => (
        <td key={count} class="number">
          {formatCount(status?.[count] ?? 0)}
        </td>
      ))}
      <td class="name">
        {last === null ? <span class="faint">none yet</span> : formatAgo(Date.parse(last), Date.now())}
      </td>
      <td class="name">
        <IconButton icon="edit" label={`Edit the rule of ${source}`} onClick={onEdit} />
        <IconButton icon="trash" label={`Delete the rule of ${source}`} onClick={onRemove} />
      </td>
    </tr>
  );
}

function NewRule({ backend, onMade }: { readonly backend: string; readonly onMade: () => void }) {
  const sources = useLoad(async (signal) => {
    const listed = await callApi("listSources", { signal });
    return listed.filter(({ alias_of: name }) => name === undefined).map(({ name }) => name);
  }, []);
  const [source, setSource] = useState("");
  const [lql, setLql] = useState("");
  const names = sources.value ?? [];
  const chosen = source === "" ? names[0] : source;
  const { error, run } = useAction(async () => {
    if (chosen === undefined) return;
    await callApi("createRule", { body: { backend_id: backend, source_id: chosen, lql_string: lql.trim() } });
    setLql("");
    onMade();
  });
  return (
    <Form onSubmit={run} error={error}>
      <div class="row wrap form-row">
        <SelectField label="Source" value={chosen ?? ""} options={names} onChange={setSource} />
        <LqlField value={lql} onChange={setLql} />
        <Button type="submit" icon="plus" text="Add rule" disabled={chosen === undefined} />
      </div>
    </Form>
  );
}

function LqlField(props: { readonly value: string; readonly onChange: (text: string) => void }) {
  return <TextField label="Events, in LQL (empty for all)" placeholder="m.response.status_code:>=500" {...props} />;
}

interface ChangedRuleProps {
  readonly rule: Rule;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

function ChangedRule({ rule: { id, source, lql_string: before }, onSaved, onClose }: ChangedRuleProps) {
  const [lql, setLql] = useState(before);
  const { error, run } = useAction(async () => {
    await callApi("changeRule", { path: { id }, body: { lql_string: lql.trim() } });
    say(`The rule of ${source} is changed`);
    onSaved();
  });
  return (
    <Form onSubmit={run} error={error}>
      <h3>The rule of {source}</h3>
      <div class="row wrap form-row">
        <LqlField value={lql} onChange={setLql} />
        <Button type="submit" class="primary" text="Save the rule" />
        <Button text="Leave it" onClick={onClose} />
      </div>
    </Form>
  );
}
