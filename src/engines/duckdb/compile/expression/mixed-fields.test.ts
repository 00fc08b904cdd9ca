import { describe } from "vitest";
import { testMixedFields } from "../testing/mixed-suite.ts";

describe("a field that carried every shape", () => testMixedFields(false));
