import { parseLifetime } from "../../access/expiry.ts";
import { isScope, scopeForms } from "../../access/scope.ts";
import type { Token, TokenStore } from "../../access/token.ts";
import { readConfiguration } from "../../config.ts";
import { openMetadata } from "../../metadata/database.ts";
import { createTokenStore } from "../../metadata/token-store.ts";
import { metadataPath } from "../../service.ts";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { formatTable } from "../table.ts";

export interface CreateTokenOptions {
  readonly scope: readonly string[];
  readonly pin: readonly string[];
  readonly expires?: string;
  readonly description?: string;
  readonly json?: boolean;
}

/** Makes a token in the data folder and prints it; a running service takes it from its next request on. */
export async function createToken(options: CreateTokenOptions, context: CliContext): Promise<void> {
  const unknown = options.scope.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new CliError(`There is no scope ${unknown}; scopes are ${scopeForms.join(", ")}`);
  const pins = Object.fromEntries(options.pin.map(parsePin));
  const lifetimeMs = options.expires === undefined ? undefined : parseLifetime(options.expires);
  if (options.expires !== undefined && lifetimeMs === undefined) {
    throw new CliError(`--expires ${options.expires}: a lifetime is a number and s, m, h, d or w, such as 30d`);
  }
  await withTokens(context, async (store) => {
    const expiresAt = lifetimeMs === undefined ? undefined : Date.now() + lifetimeMs;
    const { token, secret } = await store.create({
      description: options.description ?? "",
      scopes: [...new Set(options.scope)],
      pins,
      expiresAt,
    });
    if (options.json === true) {
      printJson(context.output, { ...describeToken(token), token: secret });
      return;
    }
    print(context.output, secret);
    print(
      context.errors,
      `Token ${token.id} was made. It is shown this once; revoke it with: logweir token revoke ${token.id}`,
    );
  });
}

/** Prints all tokens, without their values. */
export async function listTokens(options: { readonly json?: boolean }, context: CliContext): Promise<void> {
  await withTokens(context, async (store) => {
    const tokens = (await store.list()).map(describeToken);
    if (options.json === true) {
      printJson(context.output, tokens);
      return;
    }
    const rows = tokens.map((token) => {
      const pins = Object.entries(token.pins).map(([name, value]) => `${name}=${value}`);
      return [
        token.id,
        token.status,
        token.scopes.join(" "),
        pins.join(" "),
        token.expires_at ?? "never",
        token.description,
      ];
    });
    print(context.output, formatTable(["ID", "STATUS", "SCOPES", "PINS", "EXPIRES", "DESCRIPTION"], rows));
  });
}

/** Revokes a token by its id; a running service refuses it from its next request on. */
export async function revokeToken(
  id: string,
  options: { readonly json?: boolean },
  context: CliContext,
): Promise<void> {
  await withTokens(context, async (store) => {
    const token = await store.revoke(id);
    if (token === undefined)
      throw new CliError(`There is no token with the id ${id}; \`logweir token list\` shows all`);
    if (options.json === true) printJson(context.output, describeToken(token));
    else print(context.output, `Token ${id} is revoked.`);
  });
}

async function withTokens(context: CliContext, work: (store: TokenStore) => Promise<void>): Promise<void> {
  const { settings } = readConfiguration(context, context.environment);
  const metadata = await openMetadata(metadataPath(settings));
  try {
    await work(createTokenStore(metadata, Date.now));
  } finally {
    await metadata.close();
  }
}

function parsePin(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new CliError(`--pin ${text}: a pinned parameter is written name=value`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** A token as `--json` prints it. */
function describeToken(token: Token) {
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    id: token.id,
    description: token.description,
    scopes: token.scopes,
    pins: token.pins,
    created_at: time(token.createdAt),
    expires_at: time(token.expiresAt),
    revoked_at: time(token.revokedAt),
    status: statusOf(token),
  };
}

function statusOf(token: Token): "active" | "expired" | "revoked" {
  if (token.revokedAt !== undefined) return "revoked";
  return token.expiresAt !== undefined && token.expiresAt <= Date.now() ? "expired" : "active";
}
