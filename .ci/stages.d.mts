/** One gate. */
export interface Stage {
  readonly name: string;
  /** What fails it, in a few words. */
  readonly finds: string;
  /** For bash, in the project's folder. */
  readonly command: string;
  readonly limitSeconds: number;
  /** Neighbours with a lane run beside those of the other lane. */
  readonly lane?: string;
  /** Nothing is tried after it where it fails. */
  readonly isNeeded?: boolean;
}

export const stages: readonly Stage[];
export const nightlyStages: readonly Stage[];
