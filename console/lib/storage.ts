/** Texts that the browser keeps under names. A browser may refuse storage: then nothing is kept. */
function createStorage(open: () => Storage) {
  return {
    read(name: string): string | undefined {
      try {
        return open().getItem(`logweir.${name}`) ?? undefined;
      } catch {
        return undefined;
      }
    },
    /** Undefined removes it. */
    write(name: string, text: string | undefined): void {
      try {
        if (text === undefined) open().removeItem(`logweir.${name}`);
        else open().setItem(`logweir.${name}`, text);
      } catch {
        // As above.
      }
    },
  };
}

/** Settings of the page that are kept in this browser: never a token, never a value of a log. */
export const preferences = createStorage(() => localStorage);

/** Texts that are kept as long as this tab is open. */
export const tabStorage = createStorage(() => sessionStorage);
