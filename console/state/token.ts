import { signal } from "@preact/signals";

/** The token in use: in memory, and for this tab in its session storage (`session.ts`); nowhere else. */
export const token = signal<string | undefined>(undefined);

/** The last token that the service refused though it had been good. */
export const refusedToken = signal<string | undefined>(undefined);
