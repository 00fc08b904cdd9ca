/** Prints how long something took each time, in milliseconds, in one line. */
export function tell(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  const figures = `median ${at(0.5)} ms, 99% ${at(0.99)} ms, longest ${at(1)} ms`;
  process.stdout.write(`${what}: ${times.length} of ${times.length}, ${figures}\n`);
}
