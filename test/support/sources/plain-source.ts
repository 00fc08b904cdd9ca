import type { Source } from "../../../src/sources/source.ts";

/** A source with nothing but its names. */
export const plainSource = (name: string, ...aliases: string[]): Source => ({
  name,
  aliases,
  kind: "log",
  description: "",
  retentionDays: undefined,
  knownFields: [],
});
