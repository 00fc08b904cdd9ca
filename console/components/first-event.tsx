import { useEffect, useRef } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { useLoad } from "../lib/use-load.ts";
import { change } from "../state/explore.ts";
import { say } from "../state/toasts.ts";
import { Empty, Spinner } from "./notices.tsx";
import { SendCard } from "./send-card.tsx";

/** How often somebody who waits for the first event looks for it. */
const lookMs = 1_500;
const auditSource = "logweir.audit";

/** In a store without any event: how to send the first one, which is shown as soon as it is there. Nothing where there are events. */
export function FirstEvent() {
  const load = useLoad(async (signal) => {
    const { sources } = await callApi("countIntake", { signal });
    return sources.find(({ source, newest_event: newest }) => source !== auditSource && newest !== null) ?? "none";
  }, []);
  const found = load.value;
  useEffect(() => {
    const timer = found === "none" ? setInterval(load.reload, lookMs) : undefined;
    return () => clearInterval(timer);
  }, [found === "none"]);
  const wasEmpty = useRef(false);
  if (found === "none") wasEmpty.current = true;
  useEffect(() => {
    if (!wasEmpty.current || found === undefined || found === "none") return;
    say(`The first event is here, in ${found.source}`);
    change({ scope: `source:${found.source}`, table: undefined, text: "", language: "lql", facets: undefined });
  }, [found]);
  if (found !== "none") return null;
  return (
    <div class="page">
      <Empty title="The store is empty">
        <p class="row">
          <Spinner label="Waiting for the first event" /> Send an event: it is shown here as soon as it is stored.
        </p>
      </Empty>
      <SendCard source={undefined} onSent={load.reload} />
    </div>
  );
}
