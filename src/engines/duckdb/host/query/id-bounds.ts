/** The times that a statement's conditions on ids are bounded by, as the id filter knows them. */

import type { BoundValue } from "../../driver/connection.ts";
import { DuckDBTimestampValue, TIMESTAMP } from "../../driver/driver.ts";
import { FIRST_US, LAST_US } from "../../statement-plan.ts";
import type { TimeRange } from "../ids/id-filter.ts";
import type { HostQuery } from "../protocol.ts";

/** Where the events of an id may be; undefined: anywhere; null: nowhere. */
export type FindIdRange = (table: string, id: string) => TimeRange | null;

function toBounds(range: TimeRange | null): readonly [bigint, bigint] {
  if (range === null) return [LAST_US, FIRST_US];
  return range === undefined ? [FIRST_US, LAST_US] : [range.fromUs, range.toUs];
}

/** The values of the query's last parameters: two for each of its conditions on an id. */
export function boundIds({ plan, parameters }: HostQuery, findRange: FindIdRange): readonly BoundValue[] {
  return (plan?.idConditions ?? []).flatMap(({ table, id }) => {
    const value = typeof id === "number" ? parameters[id]?.value : id;
    // No event has NULL for an id, but a condition on it is NULL, and bounds must leave it so.
    const range = typeof value === "string" ? findRange(table, value) : undefined;
    return toBounds(range).map((us) => ({ value: new DuckDBTimestampValue(us), type: TIMESTAMP }));
  });
}
