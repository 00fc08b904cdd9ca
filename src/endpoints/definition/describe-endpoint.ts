import { describeContract } from "./contract.ts";
import type { Endpoint } from "./definition.ts";
import { describeDefinition } from "./document.ts";

/** An endpoint as the API shows it: its document, and what the service knows of it. */
export function describeEndpoint({
  definition,
  version,
  origin,
  contract,
  problem,
  dataProblem,
  warnings,
}: Endpoint): Readonly<Record<string, unknown>> {
  return {
    ...describeDefinition(definition),
    // The id, by the name that older clients have for it.
    token: definition.id,
    version,
    origin: origin.kind,
    file: origin.kind === "file" ? origin.path : null,
    contract: describeContract(contract),
    ...((problem ?? dataProblem) === undefined ? {} : { problem: problem ?? dataProblem }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}
