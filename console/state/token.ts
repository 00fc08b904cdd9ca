import { signal } from "@preact/signals";

/** The token in use: in memory, and for this tab in its session storage (`session.ts`); nowhere else. */
export const token = signal<string | undefined>(undefined);

/** The last call that the service refused though its token, or the person without one, had been good. */
export const refusedCall = signal<{ readonly token: string | undefined } | undefined>(undefined);
