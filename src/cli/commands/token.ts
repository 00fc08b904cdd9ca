import { parseLifetime } from "../../access/expiry.ts";
import { formatPin, maxPinValues, type Pin, type Pins, toPin } from "../../access/pins.ts";
import { isPinnedOwner, isScope, redactionPolicies, scopeForms } from "../../access/scope.ts";
import type { NewToken, Token, TokenStore } from "../../access/token.ts";
import { describeToken, pinnedOwnerMessage } from "../../access/token-document.ts";
import type { AuditChange } from "../../audit/audit-event.ts";
import { readConfiguration } from "../../config/config.ts";
import { createAuditOutbox } from "../../metadata/audit-outbox.ts";
import { openMetadata } from "../../metadata/open-metadata.ts";
import { createTokenStore } from "../../metadata/token-store.ts";
import { metadataPlace } from "../../service/data-folder.ts";
import { type Budget, isLimitValue, type LimitName, limitDefinitions, limitNames } from "../../shared/budget.ts";
import { CliError, type CommandContext, print, printAnswer } from "../context.ts";
import { limitOption, readLimit } from "../limit-options.ts";
import { type NewKeyFile, openNewKeyFile } from "../output/new-key-file.ts";
import { formatTable } from "../output/table.ts";

interface CreateTokenOptions extends Readonly<Record<string, unknown>> {
  readonly scope: readonly string[];
  readonly pin: readonly string[];
  readonly expires?: string;
  readonly description?: string;
  readonly redaction?: string;
  /** The path of a key file to be written. */
  readonly bigqueryKey?: string;
}

/** Makes a token in the data folder and prints it; a running service takes it within 20 milliseconds. */
export async function createToken(context: CommandContext, _: unknown, options: CreateTokenOptions): Promise<void> {
  const unknown = options.scope.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new CliError(`There is no scope ${unknown}; scopes are ${scopeForms.join(", ")}`);
  const pins = parsePins(options.pin);
  if (isPinnedOwner(options.scope, pins)) throw new CliError(`--scope private with --pin: ${pinnedOwnerMessage}`);
  const lifetimeMs = options.expires === undefined ? undefined : parseLifetime(options.expires);
  if (options.expires !== undefined && lifetimeMs === undefined) {
    throw new CliError(`--expires ${options.expires}: a lifetime is a number and s, m, h, d or w, such as 30d`);
  }
  const budget = parseBudget(options);
  const redaction = redactionPolicies.find((policy) => policy === options.redaction);
  if (options.redaction !== undefined && redaction === undefined) {
    throw new CliError(`--redaction ${options.redaction}: must be one of ${redactionPolicies.join(", ")}`);
  }
  await withTokens(context, async (store, note) => {
    const { bigqueryKey } = options;
    const keyFile = bigqueryKey === undefined ? undefined : await openNewKeyFile({ bigqueryKey, pins }, context);
    const { token, secret } = await createWithFile(store, keyFile, {
      description: options.description ?? "",
      scopes: [...new Set(options.scope)],
      pins,
      budget,
      ...(redaction === undefined ? {} : { redaction }),
      expiresAt: lifetimeMs === undefined ? undefined : Date.now() + lifetimeMs,
    });
    await note({ action: "token.create", target: token.id, details: { scopes: token.scopes.join(" ") } });
    const key = token.key === undefined ? [] : [`${bigqueryKey} signs in at ${token.key.tokenUri} as this token.`];
    const shown = `It is shown this once; revoke it with: logweir token revoke ${token.id}`;
    printSecret(context, token, secret, [`Token ${token.id} was made. ${shown}`, ...key]);
  });
}

/** Either both are there in the end, or neither works. */
async function createWithFile(
  store: TokenStore,
  file: NewKeyFile | undefined,
  fresh: NewToken,
): ReturnType<TokenStore["create"]> {
  if (file === undefined) return store.create(fresh);
  let id: string | undefined;
  try {
    const made = await store.create({ ...fresh, key: file.key });
    id = made.token.id;
    await file.write(id);
    return made;
  } catch (error) {
    await file.discard().catch(() => undefined);
    if (id !== undefined) await store.revoke(id);
    throw error;
  }
}

/** Prints all tokens, without their values. */
export async function listTokens(context: CommandContext): Promise<void> {
  await withTokens(context, async (store) => {
    const tokens = (await store.list()).map((token) => describeToken(token, Date.now()));
    const rows = tokens.map((token) => {
      const pins = Object.entries(token.pins).map(([name, pin]) => formatPin(name, pin));
      const [scopes, expires] = [token.scopes.join(" "), token.expires_at ?? "never"];
      return [token.id, token.status, scopes, pins.join(" "), expires, token.description];
    });
    printAnswer(context, tokens, formatTable(["ID", "STATUS", "SCOPES", "PINS", "EXPIRES", "DESCRIPTION"], rows));
  });
}

/** Revokes a token by its id; a running service refuses it within 20 milliseconds. */
export async function revokeToken(context: CommandContext, id: string): Promise<void> {
  await withTokens(context, async (store, note) => {
    const token = await store.revoke(id);
    if (token === undefined)
      throw new CliError(`There is no token with the id ${id}; \`logweir token list\` shows all`);
    await note({ action: "token.revoke", target: id });
    printAnswer(context, describeToken(token, Date.now()), `Token ${id} is revoked.`);
  });
}

/** Gives a token another value and prints it; the old one is refused within 20 milliseconds, or after `--grace`. */
export async function rotateToken(
  context: CommandContext,
  id: string,
  options: { readonly grace?: string },
): Promise<void> {
  const graceMs = options.grace === undefined ? 0 : parseLifetime(options.grace);
  if (graceMs === undefined) {
    throw new CliError(`--grace ${options.grace}: a time is a number and s, m, h, d or w, such as 10m`);
  }
  await withTokens(context, async (store, note) => {
    const rotated = await store.rotate(id, graceMs);
    if (rotated === undefined) {
      throw new CliError(`There is no token with the id ${id} that was not revoked; \`logweir token list\` shows all`);
    }
    await note({ action: "token.rotate", target: id, details: { grace_seconds: graceMs / 1000 } });
    const { token, secret } = rotated;
    const until = graceMs === 0 ? "is refused from now on" : `counts for ${options.grace} more`;
    const key = "Its key file remains valid; to end it too, revoke the token and make another.";
    const shown = `Token ${id} has another value, which is shown this once; the old one ${until}.`;
    printSecret(context, token, secret, token.key === undefined ? [shown] : [shown, key]);
  });
}

/** Prints a token's value, with notes for whoever reads it at a terminal. */
function printSecret(context: CommandContext, token: Token, secret: string, notes: readonly string[]): void {
  printAnswer(context, { ...describeToken(token, Date.now()), token: secret }, () => {
    print(context.output, secret);
    for (const note of notes) print(context.errors, note);
  });
}

/** Records the command's action in the audit outbox of the service. */
type NoteChange = (change: Pick<AuditChange, "action" | "target" | "details">) => Promise<void>;

async function withTokens(
  context: CommandContext,
  work: (store: TokenStore, note: NoteChange) => Promise<void>,
): Promise<void> {
  const { settings } = readConfiguration(context, context.environment);
  const metadata = await openMetadata(metadataPlace(settings), (message) => print(context.errors, message));
  try {
    const outbox = createAuditOutbox(metadata, Date.now);
    await work(createTokenStore(metadata, Date.now), (change) => outbox.put({ ...change, actor: "command" }));
  } finally {
    await metadata.close();
  }
}

function parseBudget(options: CreateTokenOptions): Budget {
  const budget: Partial<Record<LimitName, number>> = {};
  for (const name of limitNames) {
    const text = readLimit(name, options);
    if (text === undefined) continue;
    if (!/^\d{1,15}$/.test(text) || !isLimitValue(name, Number(text))) {
      const { minimum, maximum } = limitDefinitions[name];
      throw new CliError(`${limitOption(name)} ${text}: must be an integer from ${minimum} to ${maximum}`);
    }
    budget[name] = Number(text);
  }
  return budget;
}

/** `name=value`, several of one name for a list, or `name^=prefix`. */
function parsePins(texts: readonly string[]): Pins {
  const values = new Map<string, string[]>();
  const prefixes = new Map<string, string>();
  for (const text of texts) {
    const [, name, sign, value = ""] = /^([^=^]+)(\^?=)(.*)$/s.exec(text) ?? [];
    if (name === undefined || (sign === "^=" && value === "")) {
      throw new CliError(`--pin ${text}: a pinned parameter is written name=value, or name^=prefix`);
    }
    if (prefixes.has(name) || (sign === "^=" && values.has(name))) {
      throw new CliError(`--pin ${text}: ${name} is pinned to values or to one prefix, not to both`);
    }
    if (sign === "^=") prefixes.set(name, value);
    else values.set(name, [...(values.get(name) ?? []), value]);
  }
  const long = [...values].find(([, each]) => each.length > maxPinValues);
  if (long !== undefined) throw new CliError(`--pin ${long[0]}: a parameter has ${maxPinValues} values at most`);
  return Object.fromEntries([
    ...[...values].map(([name, each]): [string, Pin] => [name, toPin(each)]),
    ...[...prefixes].map(([name, prefix]): [string, Pin] => [name, { prefix }]),
  ]);
}
