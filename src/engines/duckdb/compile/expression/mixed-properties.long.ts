import { describe } from "vitest";
import { testRandomShapes } from "../../../../../test/support/engines/duckdb/compile/random-shapes.ts";

describe("many random queries over random shapes", () => testRandomShapes({ storeCount: 12, runCount: 400 }));
