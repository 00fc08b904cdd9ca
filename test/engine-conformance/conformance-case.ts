import { strict as assert } from "node:assert";
import { EngineError, type EngineErrorCode } from "../../src/engines/contract/query-engine.ts";
import type { Bench } from "./bench.ts";

/** Something that an engine has to do. */
export interface ConformanceCase {
  /** A sentence about the engine; `notSupported` names a case by it. */
  readonly name: string;
  /** Only in the long form. */
  readonly isLong?: boolean;
  /** Rejects where the engine does something else. Cases run one after the other on one bench. */
  run(bench: Bench): Promise<unknown>;
}

/** Rejects unless the work fails with the code, and answers the failure. */
export async function failsWith(code: EngineErrorCode, work: Promise<unknown>): Promise<EngineError> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof EngineError, `expected EngineError ${code}, not ${String(failure)}`);
  assert.equal(failure.code, code, failure.message);
  return failure;
}
