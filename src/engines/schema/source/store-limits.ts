import { defaultSchemaLimits, type SchemaLimits } from "../../schema/grant-entries.ts";

export interface StoreLimits {
  /** Events and bytes that may wait for the disk; beyond, `append` fails with `overloaded`. */
  readonly maxPendingRows: number;
  readonly maxPendingBytes: number;
  readonly schema: SchemaLimits;
}

export const defaultStoreLimits: StoreLimits = {
  maxPendingRows: 200_000,
  maxPendingBytes: 128 * 1024 * 1024,
  schema: defaultSchemaLimits,
};
