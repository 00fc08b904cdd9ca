import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, both for `bench/*.ts` and for the bundle in `dist/`. */
export const rootFolder: string = dirname(dirname(fileURLToPath(import.meta.url)));
