import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { senderSnippets } from "../lib/sender-snippets.ts";
import { session } from "../state/session.ts";
import { say } from "../state/toasts.ts";
import { Icon } from "./icon.tsx";
import { ErrorNotice } from "./notices.tsx";
import { Snippet } from "./snippet.tsx";

interface SendCardProps {
  /** The first that may be written to unless given. */
  readonly source: string | undefined;
  readonly onSent: () => void;
}

/** How to send events, and a test event that appears at once. */
export function SendCard({ source, onSent }: SendCardProps) {
  const writable = session.value?.ingest_sources ?? [];
  const [chosen, setChosen] = useState(source ?? writable[0] ?? "");
  const [protocol, setProtocol] = useState("curl");
  const [error, setError] = useState<unknown>(undefined);
  if (writable.length === 0 || (source !== undefined && !writable.includes(source))) return null;
  const origin = new URL(".", location.href.split("#")[0]).href.replace(/\/$/, "");
  const send = async () => {
    try {
      await callApi("sendEvents", {
        query: { source_name: chosen },
        body: [
          { event_message: "Hello from the console", project: "default", metadata: { level: "info", test: true } },
        ],
      });
      setError(undefined);
      say(`Sent a test event to ${chosen}`);
      onSent();
    } catch (failure) {
      setError(failure);
    }
  };
  const snippets = senderSnippets(origin, chosen);
  const shown = snippets.find((each) => each.protocol === protocol) ?? snippets[0];
  return (
    <section class="card" aria-label="Send events">
      <div class="card-head">
        <h2 class="grow">Send events</h2>
        {source === undefined && (
          <Choice label="Source to send to" names={writable} value={chosen} onChange={setChosen} />
        )}
        <button type="button" class="button primary" onClick={() => void send()}>
          <Icon name="send" /> Send a test event
        </button>
      </div>
      <div class="card-body stack">
        {error !== undefined && <ErrorNotice error={error} />}
        <div class="row wrap">
          <span class="soft">How</span>
          <Choice
            label="How to send"
            names={snippets.map((each) => each.protocol)}
            value={shown?.protocol ?? ""}
            onChange={setProtocol}
          />
        </div>
        {shown !== undefined && <Snippet title={shown.protocol} text={shown.text} />}
      </div>
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function Choice({ label, names, value, onChange }: ChoiceProps) {
  return (
    <select class="select" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
