import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
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
  const curl = `curl -H "X-API-KEY: $LOGWEIR_TOKEN" -H 'Content-Type: application/json' '${origin}/api/logs?source_name=${encodeURIComponent(chosen)}' \\\n  -d '[{"event_message": "GET /orders", "project": "default", "metadata": {"level": "info"}}]'`;
  const vector = `[sinks.logweir]\ntype = "http"\ninputs = ["your_source"]\nuri = "${origin}/api/logs?source_name=${encodeURIComponent(chosen)}"\nencoding.codec = "json"\nrequest.headers.X-API-KEY = "\${LOGWEIR_TOKEN}"`;
  return (
    <section class="card" aria-label="Send events">
      <div class="card-head">
        <h2 class="grow">Send events</h2>
        {source === undefined && (
          <select
            class="select"
            aria-label="Source to send to"
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {writable.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <button type="button" class="button primary" onClick={() => void send()}>
          <Icon name="send" /> Send a test event
        </button>
      </div>
      <div class="card-body stack">
        {error !== undefined && <ErrorNotice error={error} />}
        <Snippet title="curl" text={curl} />
        <Snippet title="Vector" text={vector} />
      </div>
    </section>
  );
}
