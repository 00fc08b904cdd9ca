import { useState } from "preact/hooks";
import { addressOf } from "../api/client.ts";
import { Icon } from "../components/icon.tsx";
import { keepPlace, type SignedOut, signIn } from "../state/session.ts";

/** Leads to the issuer, where there is one, and asks for a token: it stays in this tab, and is sent to this service alone. */
export function SignInPage({ reason, issuer, issuerSignOut }: SignedOut) {
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
        <p class="soft">
          SQL endpoints over your logs. {issuer === undefined && "Sign in with an access token; it stays in this tab."}
        </p>
        {reason !== undefined && (
          <div class="notice warning" role="alert">
            <Icon name="warning" />
            <span>{reason}</span>
          </div>
        )}
        {issuerSignOut !== undefined && (
          <p>
            You are signed out here. <a href={issuerSignOut}>Sign out of {issuer} too</a>
          </p>
        )}
        {issuer !== undefined && (
          <>
            <a class="button primary" href={addressOf("/api/sign-in/start")} onClick={keepPlace}>
              Sign in with {issuer}
            </a>
            <p class="faint">Or with an access token; it stays in this tab.</p>
          </>
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
        <button type="submit" class={issuer === undefined ? "button primary" : "button"} disabled={token.trim() === ""}>
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
