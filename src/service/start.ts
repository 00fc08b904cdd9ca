import type { FixedToken } from "../access/authenticator.ts";
import type { Settings } from "../config/settings.ts";
import type { Engine } from "../engines/contract/query-engine.ts";
import type { EngineOptions, EngineSizes } from "../engines/index.ts";
import type { createLogger } from "../http/observe/logger.ts";

/** The context of every step of the start. */
export interface Start {
  readonly settings: Settings;
  /** Tokens of the settings, and those of this run only. */
  readonly fixedTokens: readonly FixedToken[];
  readonly engineSizes: EngineSizes;
  readonly openEngine: (options: EngineOptions) => Promise<Engine>;
  /** Whether every service on the same metadata sees the same events. */
  readonly isEngineShared: boolean;
  /** The clock: milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Milliseconds of a clock that is never set back, for what is measured in them. */
  readonly steadyMs: () => number;
  readonly logger: ReturnType<typeof createLogger>;
  /** Each step adds a function that releases what it opened; the last one is called first. */
  readonly closers: (() => Promise<unknown>)[];
}
