import type { TokenStore } from "../access/token.ts";
import type { AuditLog } from "../audit/audit-log.ts";

/**
 * Removes the scope `private` from pinned tokens of a release that allowed both, and reports each in the log and in the
 * audit; only once, because the next start finds none.
 */
export async function demotePinnedOwners(
  tokens: Pick<TokenStore, "demotePinnedOwners">,
  audit: Pick<AuditLog, "record">,
  warn: (message: string) => void,
): Promise<void> {
  for (const { id, scopes, pins } of await tokens.demotePinnedOwners()) {
    const pinned = Object.keys(pins).join(" ");
    const rest = scopes.length === 0 ? "no scope is left: make another token" : `it still has ${scopes.join(" ")}`;
    warn(`The token ${id} is pinned (${pinned}) and lost the scope private, which pins do not bind; ${rest}`);
    const details = { scopes: scopes.join(" "), removed_scope: "private", pinned };
    audit.record({ action: "token.update", actor: "upgrade", target: id, details });
  }
}
