import { computed, effect, signal } from "@preact/signals";
import { ApiError, callApi, messageOf } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import { parseFragment } from "../lib/fragment.ts";
import { tabStorage } from "../lib/storage.ts";
import { returns } from "./connection.ts";
import { refusedCall, token } from "./token.ts";

export type Session = Answers["getSession"];

const tokenName = "token";
/** How often a page in view asks whether its token or session is still valid: it may ask for nothing else. */
const sessionMs = 30_000;

/** The state while nobody is signed in. */
export interface SignedOut {
  readonly reason?: string;
  /** The host of the issuer that people sign in with. */
  readonly issuer?: string | undefined;
  /** Where somebody who signed out here can sign out of the issuer too. */
  readonly issuerSignOut?: string;
}

/** Where signing in stands. */
export type SessionState =
  | ({ readonly kind: "signed-out" } & SignedOut)
  | { readonly kind: "loading" }
  | { readonly kind: "signed-in"; readonly session: Session }
  | { readonly kind: "failed"; readonly message: string };

export const sessionState = signal<SessionState>({ kind: "signed-out" });
/** A project that the link which signed in named. */
export const linkedProject = signal<string | undefined>(undefined);

export const session = computed(() =>
  sessionState.value.kind === "signed-in" ? sessionState.value.session : undefined,
);

/** Takes a token out of the address, which loses it at once, or from this tab's storage; then signs in with it. */
export async function startSession(): Promise<void> {
  effect(() => {
    const isCurrent = refusedCall.value !== undefined && refusedCall.value.token === token.peek();
    if (isCurrent && sessionState.peek().kind === "signed-in") endSession();
  });
  returns.subscribe((count) => {
    if (count > 0 && sessionState.peek().kind === "failed") void retrySession();
  });
  watchSession();
  restorePlace();
  const { path, parameters } = parseFragment(location.hash);
  const linked = parameters.get("token");
  if (linked !== null) {
    parameters.delete("token");
    const project = parameters.get("project");
    if (project !== null && path === "") {
      linkedProject.value = project;
      parameters.delete("project");
    }
    const rest = path === "" ? "" : `#/${path}?${parameters.toString()}`;
    history.replaceState(null, "", location.pathname + location.search + rest);
    await signIn(linked);
    return;
  }
  const kept = tabStorage.read(tokenName);
  await (kept === undefined ? enter(true) : signIn(kept));
}

/** Ends the session soon after the service does, also where nobody does anything, and when the page comes into view. */
function watchSession(): void {
  const look = () => {
    if (document.visibilityState === "hidden" || sessionState.peek().kind !== "signed-in") return;
    // A refusal ends the session; whether the service is there is shown anyway.
    callApi("getSession", {}).catch(() => undefined);
  };
  setInterval(look, sessionMs);
  document.addEventListener("visibilitychange", look);
}

/** Signs in whom the service knows without a token, unless they have just signed out; otherwise shows how to sign in. */
async function enter(mayBePerson: boolean, shown: SignedOut = {}): Promise<void> {
  sessionState.value = { kind: "loading" };
  try {
    const { issuer, is_signed_in: isKnown, problem } = await callApi("getSignIn", {});
    if (isKnown && mayBePerson) {
      sessionState.value = { kind: "signed-in", session: await callApi("getSession", {}) };
      return;
    }
    const { message, hint } = problem ?? {};
    const reason = message === undefined ? {} : { reason: hint === undefined ? message : `${message}. ${hint}` };
    sessionState.value = { kind: "signed-out", ...reason, ...shown, issuer: issuer ?? undefined };
  } catch (error) {
    sessionState.value = { kind: "failed", message: messageOf(error) };
  }
}

/** Keeps the page's place for when the issuer sends the browser back. */
export function keepPlace(): void {
  tabStorage.write("place", location.hash);
}

function restorePlace(): void {
  const place = tabStorage.read("place");
  tabStorage.write("place", undefined);
  if (place?.startsWith("#/") && location.hash === "") {
    history.replaceState(null, "", location.pathname + location.search + place);
  }
}

export async function signIn(secret: string): Promise<void> {
  const trimmed = secret.trim();
  token.value = trimmed;
  sessionState.value = { kind: "loading" };
  try {
    const read = await callApi("getSession", {});
    tabStorage.write(tokenName, trimmed);
    sessionState.value = { kind: "signed-in", session: read };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      forget();
      await enter(false, { reason: "This token is not valid: it may have expired, or was revoked." });
    } else sessionState.value = { kind: "failed", message: messageOf(error) };
  }
}

/** Reads again what the token may do. */
export async function refreshSession(): Promise<void> {
  const read = await callApi("getSession", {});
  sessionState.value = { kind: "signed-in", session: read };
}

export function retrySession(): Promise<void> {
  return token.value === undefined ? enter(true) : signIn(token.value);
}

/** Ends what was good before. A person finds the page as it was once they are signed in again. */
function endSession(): void {
  if (token.peek() !== undefined) signOut("The token expired or was revoked.");
  else void enter(false, { reason: "Your session has ended. Sign in again." });
}

/** Forgets the token everywhere, and ends the session of a person. */
export function signOut(reason?: string): void {
  const isPerson = token.peek() === undefined;
  forget();
  history.replaceState(null, "", location.pathname + location.search);
  void endAndShow(isPerson, reason === undefined ? {} : { reason });
}

async function endAndShow(isPerson: boolean, shown: SignedOut): Promise<void> {
  if (!isPerson) return await enter(false, shown);
  sessionState.value = { kind: "loading" };
  try {
    const { issuer_sign_out: place } = await callApi("signOut", {});
    await enter(false, place === null ? shown : { ...shown, issuerSignOut: place });
  } catch (error) {
    sessionState.value = { kind: "failed", message: messageOf(error) };
  }
}

function forget(): void {
  token.value = undefined;
  tabStorage.write(tokenName, undefined);
}
