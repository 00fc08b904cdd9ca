/** The suite that every engine passes. */

import { appendCases } from "./append-cases.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { deletionCases } from "./deletion-cases.ts";
import { fieldCases } from "./field-cases.ts";
import { hostileCases } from "./hostile-cases.ts";
import { keepingCases } from "./keeping-cases.ts";
import { languageCases } from "./language-cases.ts";
import { limitCases } from "./limit-cases.ts";
import { movingCases } from "./moving-cases.ts";

export { Bench, type OpenEngine } from "./bench.ts";
export type { ConformanceCase } from "./conformance-case.ts";

/** By topic. */
export const conformanceCases: Readonly<Record<string, readonly ConformanceCase[]>> = {
  fields: fieldCases,
  language: languageCases,
  appends: appendCases,
  "stored data": keepingCases,
  deletions: deletionCases,
  export: movingCases,
  "limits and cancellation": limitCases,
  "hostile data": hostileCases,
};
