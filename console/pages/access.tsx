import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { Button } from "../components/button.tsx";
import { Confirm } from "../components/confirm.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Snippet } from "../components/snippet.tsx";
import { TableCard } from "../components/table-card.tsx";
import { TokenForm } from "../components/token-form.tsx";
import { readLastUse } from "../lib/audit-queries.ts";
import { formatPin, type Pin } from "../lib/pins.ts";
import { formatAgo, formatInstant } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { zone } from "../state/preferences.ts";
import { session } from "../state/session.ts";
import { say } from "../state/toasts.ts";

interface TokenRow {
  readonly id: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly pins: Readonly<Record<string, Pin>>;
  readonly budget: Readonly<Record<string, number>>;
  readonly redaction: string;
  readonly expires_at: string | null;
  readonly status: string;
}

type Asked = { readonly kind: "create" } | { readonly kind: "revoke" | "rotate"; readonly token: TokenRow };

const headings = ["Description", "Scopes", "Pins and limits", "Expires", "Last used", "Actions"];

/** Access tokens: who may do what, and how they are made and taken back. */
export function AccessPage() {
  const load = useLoad(
    async (signal) => (await callApi("listAccessTokens", { signal })) as unknown as readonly TokenRow[],
    [],
  );
  const use = useLoad((signal) => readLastUse(signal).catch(() => new Map<string, number>()), []);
  const [asked, setAsked] = useState<Asked | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const finish = (made?: string) => {
    setAsked(undefined);
    if (made !== undefined) setSecret(made);
    load.reload();
  };
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="grow">Access</h1>
        <Button class="primary" icon="plus" text="New token" onClick={() => setAsked({ kind: "create" })} />
      </div>
      <Loaded load={load}>
        {(tokens) => (
          <TableCard label="Access tokens" headings={headings}>
            {tokens.map((token) => (
              <TokenLine key={token.id} token={token} lastUse={use.value?.get(callerId(token.id))} onAsk={setAsked} />
            ))}
          </TableCard>
        )}
      </Loaded>
      {asked?.kind === "create" && (
        <Dialog title="New access token" onClose={() => setAsked(undefined)}>
          <TokenForm onMade={finish} />
        </Dialog>
      )}
      {asked !== undefined && asked.kind !== "create" && <Question asked={asked} onDone={finish} />}
      {secret !== undefined && (
        <Dialog title="The token's value" onClose={() => setSecret(undefined)}>
          <div class="stack">
            <p>It is shown this once: copy it now.</p>
            <Snippet title="Token" text={secret} />
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Who calls by a token: a person is the same in each of their sessions. */
function callerId(id: string): string {
  return id.startsWith("oidc:") ? id.replace(/-[^:]*$/, "") : id;
}

interface TokenLineProps {
  readonly token: TokenRow;
  readonly lastUse: number | undefined;
  readonly onAsk: (asked: Asked) => void;
}

function TokenLine({ token, lastUse, onAsk }: TokenLineProps) {
  const { id, description, scopes, pins, budget, expires_at: expires, status } = token;
  const bounds = [
    ...Object.entries(pins).map(([name, pin]) => [name, formatPin(pin)] as const),
    ...Object.entries(budget),
  ];
  const isOwn = callerId(id) === session.value?.token.id;
  return (
    <tr>
      <td>
        {description === "" ? <span class="faint">none</span> : description}{" "}
        {isOwn && <span class="badge accent">this one</span>}
        <div class="faint mono">{id}</div>
      </td>
      <td>
        {scopes.map((scope) => (
          <span key={scope} class="badge">
            {scope}
          </span>
        ))}
      </td>
      <td>
        {bounds.map(([name, value]) => (
          <div key={name} class="mono">
            {name}={String(value)}
          </div>
        ))}
      </td>
      <td>
        {status === "expired" && <span class="badge danger">expired</span>}
        {expires === null ? (
          <span class="faint">never</span>
        ) : (
          formatInstant(Date.parse(expires), zone.value).slice(0, 16)
        )}
      </td>
      <td>{lastUse === undefined ? <span class="faint">not seen</span> : formatAgo(lastUse, Date.now())}</td>
      <td>
        <div class="row">
          {/* The value of a person's session is nobody else's. */}
          {!id.startsWith("oidc:") && (
            <Button class="small" text="Rotate" onClick={() => onAsk({ kind: "rotate", token })} />
          )}
          <Button class="small danger" text="Revoke" onClick={() => onAsk({ kind: "revoke", token })} />
        </div>
      </td>
    </tr>
  );
}

interface QuestionProps {
  readonly asked: Exclude<Asked, { readonly kind: "create" }>;
  readonly onDone: (secret?: string) => void;
}

/** Asks before a token is revoked or rotated. */
function Question({ asked: { kind, token }, onDone }: QuestionProps) {
  const name = token.description === "" ? token.id : token.description;
  const path = { id: token.id };
  if (kind === "revoke") {
    const revoke = async () => {
      await callApi("revokeAccessToken", { path });
      say("Revoked");
    };
    const text = `Calls with “${name}” are refused from the next one on. This cannot be undone.`;
    return <Confirm title="Revoke the token" text={text} action="Revoke" act={revoke} onClose={() => onDone()} />;
  }
  const rotate = async () => onDone((await callApi("rotateAccessToken", { path, body: { grace: "1h" } })).token);
  const text = `“${name}” gets a new value; the old one stays valid for one more hour.`;
  const close = (isDone: boolean) => (isDone ? undefined : onDone());
  return <Confirm isHarmless title="Rotate the token" text={text} action="Rotate" act={rotate} onClose={close} />;
}
