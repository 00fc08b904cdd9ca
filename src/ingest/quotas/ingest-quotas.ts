import { hash } from "node:crypto";
import type { LoadMeasure, TenantLoad } from "../../engines/contract/query-engine.ts";
import { type Budget, type LimitName, type TenantLimitName, tightest } from "../../shared/budget.ts";
import { type ErrorDetails, ServiceError } from "../../shared/errors.ts";
import { type Amounts, createRateBuckets, type MinuteRates, type RateUnit, type Shortage } from "./rate-buckets.ts";

/** The sender of events, and their source. */
export interface IngestSender {
  /** Undefined where no token is asked for. */
  readonly tokenId?: string;
  readonly budget?: Budget;
  readonly source: string;
  /** The source's tenant field; a source without one has no tenants. */
  readonly tenantField?: string | undefined;
}

/** Admits the events of one body. */
export interface IngestGate {
  /** The properties of the body that it needs. */
  readonly measure: LoadMeasure;
  /** Events that the token may send now: a body that holds more need not be read to its end. */
  readonly maxEvents: number;
  /** The `rate_limited` of a body that holds more than `maxEvents`. */
  refuseMore(): ServiceError;
  /**
   * Takes what the body's events need of the token's and the tenants' rates; nothing where one of them has too little
   * left. Throws `rate_limited` then, or `tenant_limit`.
   */
  admit(loads: readonly TenantLoad[]): void;
  /** To be called once, when the admitted events could not be stored. */
  giveBack(): void;
}

/** The ingest limits of tokens and tenants. */
export interface IngestQuotas {
  /** Throws `rate_limited` for a token that may send nothing for now, whatever it sends. */
  check(tokenId: string, budget: Budget): void;
  /** Undefined when no limit applies to the sender. */
  gateFor(sender: IngestSender): IngestGate | undefined;
}

export interface IngestQuotaOptions {
  /** The limits of each token beside its own budget. */
  readonly budget: Budget;
  /** The events that each tenant of a source may send in a minute. */
  readonly tenantRates: MinuteRates;
  /** A clock in milliseconds that never goes back. */
  readonly nowMs: () => number;
}

const tokenLimits = {
  events: "max_ingest_events_per_minute",
  bytes: "max_ingest_bytes_per_minute",
} as const satisfies Readonly<Record<RateUnit, LimitName>>;

const tenantLimits = {
  events: "max_tenant_events_per_minute",
  bytes: "max_tenant_bytes_per_minute",
} as const satisfies Readonly<Record<RateUnit, TenantLimitName>>;

/** A text of bounded length that represents the name. */
function keyOf(name: string): string {
  return name.length > maxNameLength ? `#${hash("sha256", name)}` : `=${name}`;
}

function isBound({ events, bytes }: MinuteRates): boolean {
  return events !== undefined || bytes !== undefined;
}

/** Tenants may have names of any length. */
const maxNameLength = 100;

/** The amounts of a body: texts such as "more than 5" if it was not read to its end. */
type KnownAmounts = Readonly<Record<RateUnit, number | string>>;

/** The amounts to be taken from one bucket. */
interface Draw {
  readonly key: string;
  readonly amounts: Amounts;
  readonly rates: MinuteRates;
  readonly refuse: (shortage: Shortage) => ServiceError;
}

function tokenDraw(key: string, rates: MinuteRates, amounts: Amounts): Draw {
  return { key, amounts, rates, refuse: (shortage) => refuseToken(shortage, amounts) };
}

function tenantDraw(source: string, tenant: string, rates: MinuteRates, amounts: Amounts): Draw {
  const whose = `The tenant ${tenant.slice(0, 200)} of the source ${source}`;
  const refuse = (shortage: Shortage) => refuseTenant(shortage, amounts, whose);
  return { key: `${source} ${keyOf(tenant)}`, amounts, rates, refuse };
}

export function createIngestQuotas({ budget: ofAll, tenantRates, nowMs }: IngestQuotaOptions): IngestQuotas {
  const buckets = { token: createRateBuckets(nowMs), tenant: createRateBuckets(nowMs) };

  const ratesOf = (budget: Budget): MinuteRates => {
    const both = tightest(ofAll, budget);
    return { events: both[tokenLimits.events], bytes: both[tokenLimits.bytes] };
  };

  return {
    check(tokenId, budget) {
      const rates = ratesOf(budget);
      if (!isBound(rates)) return;
      const least = { events: 1, bytes: 1 };
      const shortage = buckets.token.shortage(tokenId, least, rates);
      if (shortage !== undefined) throw refuseToken(shortage, least);
    },
    gateFor(sender) {
      const { tokenId, budget = {}, tenantField } = sender;
      const rates = tokenId === undefined ? {} : ratesOf(budget);
      const hasTenants = tenantField !== undefined && isBound(tenantRates);
      if (!hasTenants && !isBound(rates)) return undefined;
      let taken: readonly (readonly [keyof typeof buckets, Draw])[] = [];
      const { events: rate = Number.POSITIVE_INFINITY } = rates;
      const maxEvents = tokenId === undefined ? rate : buckets.token.eventsLeft(tokenId, rates);
      return {
        measure: { tenantField },
        maxEvents,
        refuseMore() {
          const more = { events: maxEvents + 1, bytes: 0 };
          const shortage = tokenId === undefined ? undefined : buckets.token.shortage(tokenId, more, rates);
          // Meanwhile there may be room for that one.
          const known = { ...more, events: `at least ${maxEvents + 1}` };
          return refuseToken(shortage ?? { unit: "events", rate, waitMs: 1_000, isTooMuch: false }, known);
        },
        admit(loads) {
          const draws: (readonly [keyof typeof buckets, Draw])[] = [];
          if (tokenId !== undefined && isBound(rates)) draws.push(["token", tokenDraw(tokenId, rates, sumOf(loads))]);
          for (const { tenant, eventCount: events, byteCount: bytes } of loads) {
            // Events without a tenant are limited by their token alone.
            if (hasTenants && tenant !== null)
              draws.push(["tenant", tenantDraw(sender.source, tenant, tenantRates, { events, bytes })]);
          }
          for (const [kind, draw] of draws) {
            const shortage = buckets[kind].shortage(draw.key, draw.amounts, draw.rates);
            if (shortage !== undefined) throw draw.refuse(shortage);
          }
          for (const [kind, { key, amounts, rates: each }] of draws) buckets[kind].take(key, amounts, each);
          taken = draws;
        },
        giveBack() {
          for (const [kind, { key, amounts }] of taken) buckets[kind].giveBack(key, amounts);
          taken = [];
        },
      };
    },
  };
}

function sumOf(loads: readonly TenantLoad[]): Amounts {
  return {
    events: loads.reduce((sum, { eventCount }) => sum + eventCount, 0),
    bytes: loads.reduce((sum, { byteCount }) => sum + byteCount, 0),
  };
}

function refuseToken(shortage: Shortage, amounts: KnownAmounts): ServiceError {
  const message = describe("This token", shortage, amounts);
  return new ServiceError("rate_limited", message, detailsOf(shortage, tokenLimits[shortage.unit]));
}

function refuseTenant(shortage: Shortage, amounts: Amounts, whose: string): ServiceError {
  return new ServiceError(
    "tenant_limit",
    describe(whose, shortage, amounts),
    detailsOf(shortage, tenantLimits[shortage.unit]),
  );
}

function describe(whose: string, { unit, rate, isTooMuch }: Shortage, amounts: KnownAmounts): string {
  return isTooMuch
    ? `${whose}: the body holds ${amounts[unit]} ${unit}, and ${rate} a minute are allowed`
    : `${whose}: too many ${unit}, ${rate} a minute are allowed`;
}

function detailsOf({ waitMs, isTooMuch }: Shortage, limit: LimitName | TenantLimitName): ErrorDetails {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const hint = isTooMuch
    ? "Nothing of it was stored. Send its events in smaller bodies."
    : "Nothing of the body was stored. Send it again after the seconds of Retry-After.";
  return { limit, retryAfterSeconds, hint };
}
