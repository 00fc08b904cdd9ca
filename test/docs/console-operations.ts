import { generateOperations } from "../../src/client/generate-operations.ts";
import { describedService } from "../../src/http/routes/index.ts";
import { buildOpenApi } from "../../src/openapi/build-open-api.ts";

/** What the console calls: every operation that an owner may. */
export function printConsoleOperations(): string {
  const owner = { tokenId: "", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" } as const;
  return generateOperations(buildOpenApi(describedService, [], owner));
}
