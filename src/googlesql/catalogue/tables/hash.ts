import { type FunctionDefinition, NEVER_FAILS, scalarsOf } from "../types.ts";

function define(name: string, summary: string, result: string): FunctionDefinition {
  const signatures = [`(STRING) -> ${result}`, `(BYTES) -> ${result}`];
  return { name, kind: "scalar", signatures, area: "hash", summary, ...NEVER_FAILS };
}

const utility = scalarsOf("utility");

function refuse(area: string, name: string, summary: string, refused: string): FunctionDefinition {
  return { name, kind: "scalar", signatures: [], area, summary, refused };
}

const NO_KEYS = "queries here hold no encryption keys";
const NO_SESSION = "an endpoint's query runs for a token, not for a user's session";

/** Names of the encryption functions, none of which is offered. */
const ENCRYPTION = `
  AEAD.DECRYPT_BYTES AEAD.DECRYPT_STRING AEAD.ENCRYPT DETERMINISTIC_DECRYPT_BYTES DETERMINISTIC_DECRYPT_STRING
  DETERMINISTIC_ENCRYPT KEYS.ADD_KEY_FROM_RAW_BYTES KEYS.KEYSET_CHAIN KEYS.KEYSET_FROM_JSON KEYS.KEYSET_LENGTH
  KEYS.KEYSET_TO_JSON KEYS.NEW_KEYSET KEYS.NEW_WRAPPED_KEYSET KEYS.REWRAP_KEYSET KEYS.ROTATE_KEYSET
  KEYS.ROTATE_WRAPPED_KEYSET DLP_DETERMINISTIC_DECRYPT DLP_DETERMINISTIC_ENCRYPT DLP_KEY_CHAIN
`;

/** Hash, utility, session and encryption functions. */
export const hashFunctions: readonly FunctionDefinition[] = [
  define("FARM_FINGERPRINT", "FarmHash's Fingerprint64, signed", "INT64"),
  define("MD5", "MD5, 16 bytes", "BYTES"),
  define("SHA1", "SHA-1, 20 bytes", "BYTES"),
  define("SHA256", "SHA-256, 32 bytes", "BYTES"),
  define("SHA512", "SHA-512, 64 bytes", "BYTES"),
  utility("ERROR", "Fails the query with a message", ["(STRING) -> T"]),
  utility("GENERATE_UUID", "A random UUID, version 4, in lower case", ["() -> STRING"], {
    ...NEVER_FAILS,
    volatility: "row",
  }),
  utility("TYPEOF", "The name of an expression's type", ["(ANY) -> STRING"], NEVER_FAILS),
  refuse("security", "SESSION_USER", "Who runs the query", NO_SESSION),
  refuse("utility", "EXTERNAL_QUERY", "Queries another database", "a query here reads its own sources only"),
  ...ENCRYPTION.trim()
    .split(/\s+/)
    .map((name) => refuse("encryption", name, "Encryption", NO_KEYS)),
];
