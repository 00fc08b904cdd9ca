import { isServiceGone } from "../state/connection.ts";
import { Spinner } from "./notices.tsx";

/** Says that the service does not answer, for as long as it does not. */
export function Outage() {
  return (
    <div role="alert">
      {isServiceGone.value && (
        <div class="outage">
          <Spinner label="Looking for the service" />
          <span>The service is not responding. This page keeps what it shows and reconnects by itself.</span>
        </div>
      )}
    </div>
  );
}
