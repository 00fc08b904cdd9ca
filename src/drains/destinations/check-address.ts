import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import {
  type AllowedDestinations,
  findAddresses,
  PrivateDestinationError,
  plainAddress,
  type ResolvedAddress,
  type ResolveName,
} from "../../shared/network/private-networks.ts";

export interface AddressCheckOptions {
  readonly allowed: AllowedDestinations;
  readonly resolve: ResolveName;
  /** Where this service listens; undefined before it does. */
  readonly ownAddress: () => URL | undefined;
  /** Addresses of this machine. */
  readonly localAddresses?: () => readonly string[];
}

/** A name that takes longer is looked up when events are sent. */
const patienceMs = 3_000;

function addressesOfMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/**
 * Reports why nothing may be sent to an address; undefined for nothing. What cannot be known yet, because a name has no
 * address, is found when events are sent.
 */
export function createAddressCheck(options: AddressCheckOptions): (url: string) => Promise<string | undefined> {
  const { allowed, resolve, ownAddress, localAddresses = addressesOfMachine } = options;
  const isOwn = (url: URL, addresses: readonly ResolvedAddress[]) => {
    const own = ownAddress();
    if (own === undefined || portOf(url) !== portOf(own)) return false;
    const host = bareHost(own);
    const isEverywhere = ["0.0.0.0", "::"].includes(host);
    const local = new Set(localAddresses());
    return addresses
      .map(({ address }) => plainAddress(address) ?? address)
      .some((address) => {
        const isLocal = isLoopback(address) || local.has(address);
        return address === host || (isLocal && (isEverywhere || (isLoopback(address) && isLoopback(host))));
      });
  };
  return async (text) => {
    const url = new URL(text);
    const timeout = new AbortController();
    try {
      const addresses = await Promise.race([
        findAddresses(bareHost(url), allowed, resolve),
        pause(patienceMs, [], { signal: timeout.signal, ref: false }),
      ]);
      return isOwn(url, addresses) ? "is this service itself: its events would come back" : undefined;
    } catch (error) {
      return error instanceof PrivateDestinationError ? error.message : undefined;
    } finally {
      timeout.abort();
    }
  };
}

function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Nothing beyond this machine is reached by these, the unspecified address among them. */
function isLoopback(address: string): boolean {
  return /^(127\.|0\.0\.0\.0$|::1?$)/.test(address);
}
