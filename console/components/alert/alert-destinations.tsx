import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Destination } from "../../lib/alert-draft.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Button, IconButton } from "../button.tsx";
import { SelectField, TextField } from "../fields.tsx";

const types = [
  ["backend", "A backend of drains"],
  ["webhook", "Webhook"],
  ["slack", "Slack"],
  ["email", "Mail"],
  ["pagerduty", "PagerDuty"],
  ["alertmanager", "Alertmanager"],
] as const;

/** For people: where notices go, without secrets. */
export function describeDestination(destination: Destination, backends: ReadonlyMap<string, string>): string {
  if (typeof destination === "string") return backends.get(destination) ?? destination;
  const { type, url, to } = destination;
  const place = Array.isArray(to) ? to.join(", ") : String(url ?? "");
  return place === "" ? type : `${type}: ${place}`;
}

/** Names of backends by their ids. */
export function useBackendNames(): ReadonlyMap<string, string> {
  const load = useLoad(async (signal) => {
    const backends = await callApi("listBackends", { signal });
    return new Map(backends.map(({ id, name }) => [id, name]));
  }, []);
  return load.value ?? new Map();
}

interface DestinationsProps {
  readonly value: readonly Destination[];
  readonly onChange: (destinations: readonly Destination[]) => void;
}

/** The destinations of an alert, of which some can be removed and others added. */
export function DestinationsField({ value, onChange }: DestinationsProps) {
  const backends = useBackendNames();
  return (
    <fieldset class="stack" aria-label="Who is notified">
      {value.length === 0 && <span class="faint">Nobody is notified yet: add a destination.</span>}
      {value.map((destination, index) => {
        const text = describeDestination(destination, backends);
        return (
          <div class="row" key={JSON.stringify(destination)}>
            <span class="badge mono plain-text">{text}</span>
            <IconButton
              icon="trash"
              label={`Remove ${text}`}
              onClick={() => onChange(value.filter((_, at) => at !== index))}
            />
          </div>
        );
      })}
      <NewDestination backends={backends} onAdd={(added) => onChange([...value, added])} />
    </fieldset>
  );
}

interface NewDestinationProps {
  readonly backends: ReadonlyMap<string, string>;
  readonly onAdd: (destination: Destination) => void;
}

/** The service checks addresses when the alert is saved. */
function NewDestination({ backends, onAdd }: NewDestinationProps) {
  const [type, setType] = useState("webhook");
  const [place, setPlace] = useState("");
  const [secret, setSecret] = useState("");
  const [firstBackend = ""] = backends.keys();
  const isBackend = type === "backend";
  const made = toDestination(type, isBackend && place === "" ? firstBackend : place.trim(), secret);
  const add = () => {
    if (made === undefined) return;
    onAdd(made);
    setPlace("");
    setSecret("");
  };
  const change = (next: string) => {
    setType(next);
    setPlace("");
    setSecret("");
  };
  return (
    <div class="row wrap form-row">
      <SelectField label="Kind of destination" value={type} options={types} onChange={change} />
      {isBackend && backends.size > 0 && (
        <SelectField label="Backend" value={place} options={[...backends]} onChange={setPlace} />
      )}
      {isBackend && backends.size === 0 && <span class="faint">There is no backend: see Drains.</span>}
      {type === "pagerduty" && <TextField label="Routing key" isSecret value={secret} onChange={setSecret} />}
      {!isBackend && type !== "pagerduty" && (
        <TextField
          label={type === "email" ? "Addresses, with commas between them" : "Address"}
          placeholder={type === "email" ? "oncall@example.com" : "https://hooks.example.com/logs"}
          value={place}
          onChange={setPlace}
        />
      )}
      {type === "webhook" && (
        <TextField label="Secret of signatures (optional)" isSecret value={secret} onChange={setSecret} />
      )}
      <Button icon="plus" text="Add" disabled={made === undefined} onClick={add} />
    </div>
  );
}

function toDestination(type: string, place: string, secret: string): Destination | undefined {
  if (type === "pagerduty") return secret === "" ? undefined : { type, key: secret };
  if (place === "") return undefined;
  if (type === "backend") return place;
  if (type === "email") return { type, to: place.split(/[\s,]+/).filter((each) => each !== "") };
  return { type, url: place, ...(secret === "" ? {} : { secret }) };
}
