import { expect, it } from "vitest";
import { errorCatalogue } from "../../src/shared/error-catalogue.ts";
import { passingCodes, passingStatuses } from "./event-stream.ts";

it("the errors of passing statuses are those that end a stream for a while only", () => {
  const passing = Object.entries(errorCatalogue).filter(([, { status }]) => passingStatuses.has(status));
  expect([...passingCodes].sort()).toEqual(passing.map(([code]) => code).sort());
});
