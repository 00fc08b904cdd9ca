import fc from "fast-check";
import { type EventValue, type LogEvent, WideNumber } from "../../../src/engines/contract/query-engine.ts";

const names = ["x", "X", "_x", "project", "metadata", "Metadata", "a_b", "_timestamp", "constructor", "k1", "k2"];

const scalar: fc.Arbitrary<EventValue> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }),
  fc.constantFrom<EventValue>(new WideNumber("1e400"), true, false, "1", "null", '"', "\u0001", "\u2028"),
  fc.string({ minLength: 1, maxLength: 8 }),
);

const { value } = fc.letrec<{ value: EventValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));

/** Events of days around 1970, with fields of all shapes; their ids are unique. */
export const oddEvents: fc.Arbitrary<readonly LogEvent[]> = fc
  .array(
    fc.record({
      timestampUs: fc.bigInt({ min: -200_000_000_000n, max: 200_000_000_000n }),
      eventMessage: fc.option(fc.string({ minLength: 1, maxLength: 8 })),
      fields: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5, noNullPrototype: true }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((events) => events.map((event, index) => ({ ...event, id: `id ${index}`, hasGeneratedId: false })));
