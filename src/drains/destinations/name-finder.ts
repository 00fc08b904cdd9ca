import { Resolver } from "node:dns/promises";
import { setMaxListeners } from "node:events";
import { Admission } from "../../shared/concurrency/admission.ts";
import type { ResolvedAddress, ResolveName } from "../../shared/network/private-networks.ts";

export interface NameFinderOptions {
  /**
   * Looks a name up as other programs of the machine do: by its files, name servers and search lists. While the servers
   * are silent, for ten seconds or more, it takes one of two threads that all look-ups of the process share.
   */
  readonly lookUp: ResolveName;
  /** Whether the name servers answer about a name, be it that there is none. */
  readonly isAnswered: (name: string) => Promise<boolean>;
}

/** Finds the addresses of names. */
export interface NameFinder {
  readonly find: ResolveName;
  /** Look-ups that wait for their turn reject. */
  close(): void;
}

/**
 * Finds addresses so that names about which no server answers, however many they are, hold up no other: such a name is
 * looked up in turn with others of its kind, and once for all who ask at the same time.
 */
export function createNameFinder({ lookUp, isAnswered }: NameFinderOptions): NameFinder {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();
  const turns = new Admission({ maxRunning: 1, maxWaiting: Number.POSITIVE_INFINITY });
  const ending = new AbortController();
  // Every look-up that waits listens.
  setMaxListeners(0, ending.signal);
  /** Names whose servers answered once, and were silent when it mattered. */
  const doubted = new Set<string>();

  const find = async (name: string) => {
    const isSlow = doubted.has(name) || !(await isAnswered(name));
    const leave = isSlow ? await turns.enter(ending.signal) : undefined;
    try {
      const addresses = await lookUp(name);
      doubted.delete(name);
      return addresses;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAI_AGAIN") doubted.add(name);
      throw error;
    } finally {
      leave?.();
    }
  };
  return {
    find(name) {
      const known = underWay.get(name);
      if (known !== undefined) return known;
      const found = find(name).finally(() => underWay.delete(name));
      underWay.set(name, found);
      return found;
    },
    close: () => ending.abort(),
  };
}

/** How long a name server may take: for the first question, and twice as long for the second. */
const patienceMs = 1_000;
/** Codes of servers that said nothing. */
const silent: ReadonlySet<string> = new Set(["ETIMEOUT", "ECONNREFUSED"]);

/** Asks the name servers for both kinds of addresses, as a look-up does, without one of its threads. */
export function createNameProbe(timeout = patienceMs, servers?: readonly string[]): NameFinderOptions["isAnswered"] {
  return async (name) => {
    // Each reads which servers there are now: they may be others than at the start.
    const resolver = new Resolver({ timeout, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.every((answer) => answer.status === "fulfilled" || !silent.has(String(answer.reason.code)));
  };
}
