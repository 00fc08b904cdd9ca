import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/explore.css";
import { options, render } from "preact";
import { addressOf } from "./api/client.ts";
import { showControls } from "./lib/values.ts";
import { Shell } from "./shell.tsx";
import { watchConnection } from "./state/connection.ts";
import { startPreferences } from "./state/preferences.ts";
import { startRouting } from "./state/route.ts";
import { startSession } from "./state/session.ts";

/** Attributes that people read. */
const readAttributes = ["title", "aria-label", "alt", "placeholder"] as const;

/**
 * Shows the controls of every text and tooltip from now on, whoever wrote it: no component has to think of it. What is
 * typed into a field, and what is copied, stays as it is.
 */
function showControlsEverywhere(): void {
  const { vnode: before } = options;
  options.vnode = (vnode) => {
    // A text is a node without a type, and its own properties.
    const node = vnode as { readonly type: unknown; props: string | Record<string, unknown> };
    if (typeof node.props === "string") node.props = showControls(node.props);
    else if (typeof node.type === "string") {
      for (const name of readAttributes) {
        const value = node.props[name];
        if (typeof value === "string") node.props[name] = showControls(value);
      }
    }
    before?.(vnode);
  };
}

showControlsEverywhere();
startPreferences();
// Before anything else reads the address: a token in it is taken out at once.
const starting = startSession();
startRouting();
const place = document.getElementById("app");
if (place !== null) render(<Shell />, place);
void starting;
watchConnection(addressOf("/health"));
