/** The change of an endpoint that created a version. */
export type VersionAction = "create" | "update" | "rollback";

/** A version as lists show it. */
export interface VersionSummary {
  readonly endpointId: string;
  /** From 1; numbers belong to the id, and are never given twice. */
  readonly number: number;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The public id of the token that made it, or `file:` and the file's path. */
  readonly author: string;
  readonly action: VersionAction;
  /** The version that a rollback went back to. */
  readonly rollbackTo: number | undefined;
  /** Fields of the document that are not as in the version before. */
  readonly changed: readonly string[];
}

/** A version as it was: never changed, never renumbered. */
export interface VersionRecord extends VersionSummary {
  /** The whole document as JSON. */
  readonly document: string;
  /** As `writeContract` writes it. */
  readonly contract: string;
}

/** A version to be stored. */
export type NewVersion = Omit<VersionRecord, "number" | "createdAt">;

/** An endpoint of the store as it is now. */
export type StoredEndpoint = Pick<VersionRecord, "number" | "name" | "document" | "contract"> & { readonly id: string };

/**
 * Where the API's endpoints live, and the versions of all. Each change is one transaction: after a crash it is there
 * or not.
 */
export interface EndpointStore {
  list(): Promise<readonly StoredEndpoint[]>;
  /**
   * Saves a version as the current one, and answers its number. `base` is the number that it builds on, undefined for
   * an endpoint that the store must not have; where the store has another, nothing is saved and the answer is
   * undefined.
   */
  save(version: NewVersion, base: number | undefined): Promise<number | undefined>;
  /** Removes an endpoint whose current version is `base`; its versions stay. False where it is another. */
  remove(id: string, base: number): Promise<boolean>;
  /** Keeps versions of endpoints that live in files, all or none, and answers their numbers, in their order. */
  record(versions: readonly NewVersion[]): Promise<readonly number[]>;
  /** The newest first. */
  versions(id: string): Promise<readonly VersionSummary[]>;
  version(id: string, number: number): Promise<VersionRecord | undefined>;
  latest(id: string): Promise<VersionRecord | undefined>;
}
