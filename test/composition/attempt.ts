import type { Service } from "../acceptance/service.ts";

/** Runs services as it needs them, and fails where the setting makes no difference. */
export type Attempt = (start: Start) => Promise<void>;
type Start = (env: Record<string, string>, workingDir?: string) => Promise<Service>;

/** Another file's test that does it: its title. */
export interface Elsewhere {
  readonly file: string;
  readonly title: string;
}
