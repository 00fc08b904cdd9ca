import { computed, effect, signal } from "@preact/signals";
import { ApiError, callApi, messageOf } from "../api/client.ts";
import type { Answers } from "../api/operations.generated.ts";
import { parseFragment } from "../lib/fragment.ts";
import { returns } from "./connection.ts";
import { refusedCall, token } from "./token.ts";

export type Session = Answers["getSession"];

const storageKey = "logweir.token";

/** Where signing in stands. */
export type SessionState =
  | { readonly kind: "signed-out"; readonly reason?: string }
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
  const kept = readKept();
  await (kept === undefined ? signInAsPerson() : signIn(kept));
}

/** Signs in whom the service knows without a token, if it does. */
async function signInAsPerson(): Promise<void> {
  sessionState.value = { kind: "loading" };
  try {
    const { is_signed_in: isKnown, problem } = await callApi("getSignIn", {});
    if (isKnown) sessionState.value = { kind: "signed-in", session: await callApi("getSession", {}) };
    else if (problem === null) sessionState.value = { kind: "signed-out" };
    else sessionState.value = { kind: "signed-out", reason: [problem.message, problem.hint ?? ""].join(". ") };
  } catch (error) {
    sessionState.value = { kind: "failed", message: messageOf(error) };
  }
}

export async function signIn(secret: string): Promise<void> {
  const trimmed = secret.trim();
  token.value = trimmed;
  sessionState.value = { kind: "loading" };
  try {
    const read = await callApi("getSession", {});
    keep(trimmed);
    sessionState.value = { kind: "signed-in", session: read };
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status === 401;
    if (isRefused) forget();
    sessionState.value = isRefused
      ? { kind: "signed-out", reason: "This token is not valid: it may have expired, or was revoked." }
      : { kind: "failed", message: messageOf(error) };
  }
}

/** Reads again what the token may do. */
export async function refreshSession(): Promise<void> {
  const read = await callApi("getSession", {});
  sessionState.value = { kind: "signed-in", session: read };
}

export function retrySession(): Promise<void> {
  return token.value === undefined ? startSession() : signIn(token.value);
}

/** Ends what was good before. A person finds the page as it was once they are signed in again. */
function endSession(): void {
  if (token.peek() !== undefined) signOut("The token expired or was revoked.");
  else sessionState.value = { kind: "signed-out", reason: "Your session has ended. Sign in again." };
}

/** Forgets the token everywhere. */
export function signOut(reason?: string): void {
  forget();
  sessionState.value = reason === undefined ? { kind: "signed-out" } : { kind: "signed-out", reason };
  history.replaceState(null, "", location.pathname + location.search);
}

function readKept(): string | undefined {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(secret: string): void {
  try {
    sessionStorage.setItem(storageKey, secret);
  } catch {
    // Without storage the token lasts as long as the page.
  }
}

function forget(): void {
  token.value = undefined;
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // As above.
  }
}
