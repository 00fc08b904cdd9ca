import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { senderSnippets } from "../lib/sender-snippets.ts";
import { useAction } from "../lib/use-form.ts";
import { session } from "../state/session.ts";
import { say } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { Choice } from "./fields.tsx";
import { Card } from "./layout.tsx";
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
  const { error, run } = useAction(async () => {
    const metadata = { level: "info", test: true };
    const body = [{ event_message: "Hello from the console", project: "default", metadata }];
    await callApi("sendEvents", { query: { source_name: chosen }, body });
    say(`Sent a test event to ${chosen}`);
    onSent();
  });
  if (writable.length === 0 || (source !== undefined && !writable.includes(source))) return null;
  const origin = new URL(".", location.href.split("#")[0]).href.replace(/\/$/, "");
  const snippets = senderSnippets(origin, chosen);
  const shown = snippets.find((each) => each.protocol === protocol) ?? snippets[0];
  return (
    <Card
      label="Send events"
      head={
        <>
          {source === undefined && (
            <Choice label="Source to send to" names={writable} value={chosen} onChange={setChosen} />
          )}
          <Button class="primary" icon="send" text="Send a test event" onClick={() => void run()} />
        </>
      }
    >
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
    </Card>
  );
}
