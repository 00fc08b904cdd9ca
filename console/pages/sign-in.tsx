import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { signIn } from "../state/session.ts";

/** Asks for a token: it stays in this tab, and is sent to this service alone. */
export function SignInPage({ reason }: { readonly reason: string | undefined }) {
  const [token, setToken] = useState("");
  return (
    <main class="sign-in">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") void signIn(token);
        }}
      >
        <h1>Logweir</h1>
        <p class="soft">SQL endpoints over your logs. Sign in with an access token; it stays in this tab.</p>
        {reason !== undefined && (
          <div class="notice warning" role="alert">
            <Icon name="warning" />
            <span>{reason}</span>
          </div>
        )}
        <label class="field">
          <span>Access token</span>
          <input
            class="input mono"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary" disabled={token.trim() === ""}>
          Sign in
        </button>
        <p class="faint">
          A new service prints a link that signs in. Afterwards, <span class="mono">logweir token create</span> makes
          tokens.
        </p>
      </form>
    </main>
  );
}
