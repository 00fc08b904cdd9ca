/** Settings of the page that are kept in this browser: never a token, never a value of a log. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(`logweir.${name}`) ?? undefined;
  } catch {
    // A browser may refuse storage; then nothing is kept.
    return undefined;
  }
}

export function writePreference(name: string, value: string): void {
  try {
    localStorage.setItem(`logweir.${name}`, value);
  } catch {
    // As above.
  }
}
