/** One gate. */
export interface Stage {
  readonly name: string;
  /** What fails it, in a few words. */
  readonly finds: string;
  /** For bash, in the project's folder. */
  readonly command: string;
  readonly limitSeconds: number;
  /** The stages of a run that must have passed before: the installation, unless others are named. */
  readonly needs?: readonly string[];
}

export const stages: readonly Stage[];
export const nightlyStages: readonly Stage[];
