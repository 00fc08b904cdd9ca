import { nameSettings } from "./setting-definition.ts";

/** The settings of alerts. */
export const alertSettings = nameSettings({
  alertsDir: {
    type: { kind: "text" },
    default: undefined,
    description:
      "The folder to read alert files from, see [alerts.md](alerts.md#alerts-as-files); `./alerts` if it exists.",
  },
  smtpUrl: {
    type: { kind: "text", findProblem: findMailServerProblem },
    default: undefined,
    mask: maskMailServer,
    description:
      "The server that alerts send mail by, see [alerts.md](alerts.md#mail): `smtp://USER:PASSWORD@HOST:587`, or " +
      "`smtps://` for TLS from the start. It may be in a private network.",
  },
  smtpFrom: {
    type: {
      kind: "text",
      form: /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/,
      formText: "an address such as alerts@example.com",
    },
    default: undefined,
    description: "The address that mail of alerts comes from.",
  },
});

function findMailServerProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== "";
  if (isServer && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "" && canDecode(url))
    return undefined;
  return "must be smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host if needed";
}

function canDecode({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** The server without user and password. */
function maskMailServer(text: string): string {
  if (findMailServerProblem(text) !== undefined) return "(set)";
  const { protocol, host, username } = new URL(text);
  return `${protocol}//${username === "" ? "" : "********@"}${host}`;
}
