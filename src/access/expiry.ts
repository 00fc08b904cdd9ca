const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of `30d`, `12h`, `90m`, `45s`, `2w`; undefined for anything else. */
export function parseLifetime(text: string): number | undefined {
  const match = /^(\d{1,6})([smhdw])$/.exec(text);
  if (match === null) return undefined;
  const unit = match[2] as keyof typeof unitMs;
  return Number(match[1]) * unitMs[unit];
}
