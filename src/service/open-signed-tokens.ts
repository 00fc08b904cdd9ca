import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Authenticator } from "../access/authenticator.ts";
import { acceptSignedTokens } from "../access/signed-tokens.ts";
import { createSigningKeys } from "../access/signing-keys.ts";
import type { Settings } from "../config/settings.ts";
import { readAnswer } from "../shared/network/read-answer.ts";
import { UserError } from "../shared/user-error.ts";
import type { Start } from "./start.ts";

const fetchLimitMs = 5_000;
const maxKeyBytes = 1_000_000;

/**
 * Accepts signed tokens besides the stored ones where `jwtKeys` is set. Throws a `UserError` where a file of the
 * settings cannot be used; an address is read when it is first needed.
 */
export async function openSignedTokens(
  { jwtKeys, jwtIssuer: issuer, jwtAudience: audience, jwtRevoked }: Settings,
  stored: Authenticator,
  { nowMs: now, logger }: Pick<Start, "nowMs" | "logger">,
): Promise<Authenticator> {
  if (jwtKeys === undefined) return stored;
  const isRemote = URL.canParse(jwtKeys);
  const keys = createSigningKeys({
    readKeys: () => (isRemote ? fetchText(jwtKeys) : readFileAt(jwtKeys)),
    readRevoked: jwtRevoked === undefined ? undefined : () => readFileAt(jwtRevoked),
    isRemote,
    onFailure: (reason) => logger.warn(`The keys of signed tokens: ${reason}`),
    now,
  });
  if (!isRemote) {
    await keys.read().catch((error: unknown) => {
      throw new UserError(`The keys of signed tokens: ${error instanceof Error ? error.message : error}`);
    });
  }
  return acceptSignedTokens(stored, { keys, issuer, audience, now });
}

async function readFileAt(path: string): Promise<string> {
  try {
    return await readFile(resolve(path), "utf8");
  } catch (error) {
    throw new UserError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function fetchText(address: string): Promise<string> {
  const { origin } = new URL(address);
  const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(fetchLimitMs) }).catch(() => {
    throw new UserError(`${origin} does not answer`);
  });
  if (!response.ok) throw new UserError(`${origin} answers ${response.status}`);
  const bytes = await readAnswer(response, maxKeyBytes).catch((error: unknown) => {
    throw new UserError(`${origin} does not answer as it should: ${error instanceof Error ? error.message : error}`);
  });
  return bytes.toString("utf8");
}
