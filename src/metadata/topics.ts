/** What is told apart when the metadata changes. */
export const topics = ["tokens", "endpoints", "sources", "drains", "audit_outbox", "cache"] as const;

export type Topic = (typeof topics)[number];
