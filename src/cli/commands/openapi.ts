import { resolve } from "node:path";
import { readConfiguration } from "../../config/config.ts";
import { openTestBench } from "../../endpoint-tests/test-bench.ts";
import { describedService } from "../../http/routes/index.ts";
import { buildOpenApi } from "../../openapi/build-open-api.ts";
import type { OpenApiDocument } from "../../openapi/open-api-document.ts";
import { type CliContext, type CommandContext, printJson } from "../context.ts";
import { readAnswer } from "../service-call.ts";

interface OpenApiOptions {
  /** A folder of endpoint files, instead of a service. */
  readonly from?: string;
  readonly sources?: string;
}

/** Prints the OpenAPI document of what the token may do, or of the endpoints of a folder. */
export async function printOpenApi(
  context: CommandContext,
  _: unknown,
  { from, sources }: OpenApiOptions,
): Promise<void> {
  const document =
    from === undefined
      ? await readAnswer<OpenApiDocument>(context, "/api/openapi.json")
      : await describeFolder(from, sources, context);
  printJson(context.output, document);
}

async function describeFolder(
  folder: string,
  sources: string | undefined,
  context: CliContext,
): Promise<OpenApiDocument> {
  const sourceFolders =
    sources === undefined
      ? readConfiguration(context, context.environment).settings.sourceFolders
      : [resolve(context.workingDir, sources)];
  const bench = await openTestBench(resolve(context.workingDir, folder), sourceFolders);
  try {
    const everybody = { tokenId: "", scopes: ["query"], pins: {}, budget: {}, redaction: "fixed" } as const;
    return buildOpenApi(describedService, [...bench.byFile.values()], everybody);
  } finally {
    await bench.close();
  }
}
