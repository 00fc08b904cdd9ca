/** Chains of scans, each over one before it, as a printer builds them. */
import type { Scan } from "../../googlesql/resolved.ts";

/** The scans along the inputs of a scan (the left ones of joins). */
export interface ScanChain {
  /** The scan without an input. */
  readonly source: Scan;
  /** The scans over it, from the innermost on. */
  readonly steps: readonly Scan[];
}

/** The chain that ends in the scan. Long ones are descended without recursion; definitions of a WITH are no steps. */
export function chainOf(scan: Scan): ScanChain {
  const steps: Scan[] = [];
  let at = scan;
  for (;;) {
    const input = at.kind === "Join" ? at.left : "input" in at ? at.input : undefined;
    if (input === undefined) return { source: at, steps: steps.reverse() };
    if (at.kind !== "With") steps.push(at);
    at = input;
  }
}
