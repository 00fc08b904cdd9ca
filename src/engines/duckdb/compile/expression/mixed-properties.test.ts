import { describe } from "vitest";
import { testRandomShapes } from "../../../../../test/support/engines/duckdb/compile/random-shapes.ts";

describe("random queries over random shapes", () => testRandomShapes({ storeCount: 2, runCount: 7 }));
