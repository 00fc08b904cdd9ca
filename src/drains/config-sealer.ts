import { hkdfSync } from "node:crypto";
import { createSealer, type Sealer } from "../shared/crypto/sealer.ts";

/** Encrypts configurations, so that they cannot be read from the file alone. */
export type ConfigSealer = Sealer;

/** Seals with a key derived from the service's key. */
export function createConfigSealer(serviceKey: Uint8Array): ConfigSealer {
  return createSealer(Buffer.from(hkdfSync("sha256", serviceKey, "", "logweir backends", 32)));
}
