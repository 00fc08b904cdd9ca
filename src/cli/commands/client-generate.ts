import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { generateClient } from "../../client/generate-client.ts";
import { readConfiguration } from "../../config/config.ts";
import { openTestBench } from "../../endpoint-tests/test-bench.ts";
import { describedService } from "../../http/routes/index.ts";
import { buildOpenApi } from "../../openapi/build-open-api.ts";
import type { OpenApiDocument } from "../../openapi/open-api-document.ts";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { readAnswer, type ServiceOptions } from "../service-call.ts";

export interface ClientGenerateOptions extends ServiceOptions {
  /** The file to write. */
  readonly out?: string;
  /** A folder of endpoint files, instead of a service. */
  readonly from?: string;
  readonly sources?: string;
  readonly json?: boolean;
}

/** Writes a typed client of the endpoints that the token may run, or of those of a folder. */
export async function generateClientFile(options: ClientGenerateOptions, context: CliContext): Promise<void> {
  if (options.out === undefined) throw new CliError("This needs --out FILE, where the client goes", 64);
  const document =
    options.from === undefined
      ? await readAnswer<OpenApiDocument>("/api/openapi.json", options, context)
      : await describeFolder(options.from, options.sources, context);
  const endpoints = Object.values(document.paths).flatMap(({ get }) => get?.["x-logweir"]?.endpoint ?? []);
  if (endpoints.length === 0) throw new CliError("There is no endpoint that the token may run");
  const path = resolve(context.workingDir, options.out);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, generateClient(document));
  if (options.json === true) printJson(context.output, { file: path, endpoints });
  else print(context.output, `${options.out}: a client of ${endpoints.join(", ")}`);
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
