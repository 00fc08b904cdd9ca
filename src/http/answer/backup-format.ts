/** How a backup travels: a line of JSON, the bytes of its files one after the other, and a last line of JSON. */

/** The first line. */
export interface BackupHead {
  readonly format: 1;
  /** ISO 8601. */
  readonly made_at: string;
  readonly sources: readonly { readonly name: string; readonly rows: number }[];
  /** Paths are relative to the data folder, with `/`. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** The last line. It is only there when everything before it can be used. */
export interface BackupTail {
  /** In hexadecimal, in the order of the files. */
  readonly sha256: readonly string[];
}

/** `manifest.json` of a backup's folder. */
export interface BackupManifest extends BackupHead, BackupTail {}
