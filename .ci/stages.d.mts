/** One gate. */
export interface Stage {
  readonly name: string;
  /** What fails it, in a few words. */
  readonly finds: string;
  /** For bash, in the project's folder. */
  readonly command: string;
  readonly limitSeconds: number;
  /** It runs alone, before the others, and nothing is tried after it where it fails. */
  readonly isNeeded?: boolean;
}

export const stages: readonly Stage[];
export const nightlyStages: readonly Stage[];
