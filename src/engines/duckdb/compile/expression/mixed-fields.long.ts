import { describe } from "vitest";
import { testMixedFields } from "../../../../../test/support/engines/duckdb/compile/mixed-suite.ts";

describe("a field with values of every shape, in every place,", () => testMixedFields(true));
