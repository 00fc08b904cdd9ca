import { isServiceGone } from "../state/connection.ts";
import { Spinner } from "./notices.tsx";

/** Says that the service does not answer, for as long as it does not. */
export function Outage() {
  return (
    <div role="alert">
      {isServiceGone.value && (
        <div class="outage">
          <Spinner label="Looking for the service" />
          <span>The service does not answer. What is shown stays; it goes on as soon as the service is back.</span>
        </div>
      )}
    </div>
  );
}
