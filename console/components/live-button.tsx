import { formatCount } from "../lib/values.ts";
import { heldCount, live, pauseLive, resumeLive, skippedCount, startLive, stopLive } from "../state/live.ts";
import { Icon } from "./icon.tsx";

/** Follows the query: on, paused with what came meanwhile counted, off. */
export function LiveButton() {
  const { value: state } = live;
  return (
    <span class="row" aria-live="polite">
      {state === "off" ? (
        <button type="button" class="button small" onClick={startLive}>
          <Icon name="play" /> Live
        </button>
      ) : (
        <>
          <span class={state === "on" ? "live" : "faint"}>{state === "on" ? "Live" : "Paused"}</span>
          {state === "on" ? (
            <button type="button" class="button small" onClick={pauseLive}>
              <Icon name="pause" /> Pause
            </button>
          ) : (
            <button type="button" class="button small" onClick={resumeLive}>
              <Icon name="play" /> {heldCount.value === 0 ? "Go on" : `Show ${formatCount(heldCount.value)} new`}
            </button>
          )}
          <button type="button" class="button small" onClick={stopLive}>
            <Icon name="stop" /> Stop
          </button>
          {skippedCount.value > 0 && <span class="badge warning">{formatCount(skippedCount.value)} left out</span>}
        </>
      )}
    </span>
  );
}
