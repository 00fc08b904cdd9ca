import { hashSecret } from "../../../src/access/secret.ts";
import type { Token } from "../../../src/access/token.ts";

/** A plain token as a store lists it, whose id is its secret. */
export const storedToken = (secret: string): Token => ({
  id: secret,
  hash: hashSecret(secret),
  description: "",
  scopes: ["query"],
  pins: {},
  budget: {},
  redaction: "fixed",
  createdAt: 0,
  expiresAt: undefined,
  revokedAt: undefined,
});
