import { linkTo } from "../state/route.ts";
import { session } from "../state/session.ts";

/** How to send events, for tokens that may. */
export function SendHint() {
  if (session.value?.may.ingest !== true) return null;
  return (
    <p>
      <a href={linkTo("sources")}>How to send events</a>
    </p>
  );
}
