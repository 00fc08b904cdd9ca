/** The kinds of metadata whose changes are reported separately. */
export const topics = ["tokens", "endpoints", "sources", "drains", "alerts", "audit_outbox", "cache"] as const;

export type Topic = (typeof topics)[number];
