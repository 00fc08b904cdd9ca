import type { Service, StartHereOptions } from "../acceptance/service.ts";

/**
 * Runs services as it needs them, and fails where the setting makes no difference. A service without settings is shared
 * by all attempts, which leave it as it is but for events.
 */
export type Attempt = (start: Start) => Promise<void>;
type Start = (
  env: Record<string, string>,
  options?: Pick<StartHereOptions, "workingDir" | "isStopped">,
) => Promise<Service>;

/** Another file's test that does it: its title. */
export interface Elsewhere {
  readonly file: string;
  readonly title: string;
}
