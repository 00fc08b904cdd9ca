import type { Stage } from "./stages.mjs";

export interface StageResult {
  readonly name: string;
  /** Undefined when it passed. */
  readonly problem: string | undefined;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** Of its output, where it ran beside another and failed. */
  readonly lastLines: readonly string[];
}

export function runStages(
  stages: readonly Stage[],
  env: Readonly<Record<string, string | undefined>>,
  rows?: number,
): Promise<readonly StageResult[]>;
export function describeResults(results: readonly StageResult[]): string;
export function describeFailures(results: readonly StageResult[]): string;
