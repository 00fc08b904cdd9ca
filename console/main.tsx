import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/explore.css";
import { render } from "preact";
import { addressOf } from "./api/client.ts";
import { Shell } from "./shell.tsx";
import { watchConnection } from "./state/connection.ts";
import { startPreferences } from "./state/preferences.ts";
import { startRouting } from "./state/route.ts";
import { startSession } from "./state/session.ts";

startPreferences();
// Before anything else reads the address: a token in it is taken out at once.
const starting = startSession();
startRouting();
const place = document.getElementById("app");
if (place !== null) render(<Shell />, place);
void starting;
watchConnection(addressOf("/health"));
