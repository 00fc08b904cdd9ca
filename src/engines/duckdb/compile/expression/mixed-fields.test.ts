import { describe } from "vitest";
import { testMixedFields } from "../testing/mixed-suite.ts";

describe("a field with values of every shape", () => testMixedFields(false));
