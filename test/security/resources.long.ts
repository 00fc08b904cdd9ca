import { testContainment } from "./contain.ts";
import { resourceAttempts } from "./tables/resources.ts";

testContainment("contains every query that asks for too much, and goes on answering", resourceAttempts, 240_000);
