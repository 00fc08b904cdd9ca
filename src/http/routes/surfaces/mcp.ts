import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { parseJson } from "../../../engines/contract/parse-json.ts";
import { RowBatch } from "../../../engines/contract/query-engine.ts";
import type { McpCaller } from "../../../mcp/mcp-caller.ts";
import { runErrors } from "../../../openapi/error-responses.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import type { AppContext } from "../../app-context.ts";
import { csvFormat } from "../../formats/csv.ts";
import { ndjsonFormat } from "../../formats/json.ts";
import { noteError, toServiceError } from "../../plugins/errors.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { CallerGoneError } from "../../request/call-signal.ts";
import { refuseForeignOrigin } from "../../request/foreign-origin.ts";
import { readJsonBody } from "../../request/json-body.ts";
import { createSurfaceCaller } from "./surface-caller.ts";

export const mcpRoutes = describeRoutes({
  callMcp: {
    tag: "service",
    scope: "query",
    method: "post",
    path: "/mcp",
    summary: "A message of the Model Context Protocol: the endpoints that the token may run are its tools",
    body: anyRow,
    hasBodyParameters: true,
    answer: anyRow,
    errors: [...runErrors, "foreign_origin", "invalid_body", "unsupported_media_type", "body_too_large"],
  },
});

/** Headers that the protocol has a meaning for; the token is not passed on. */
const protocolHeaders = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

/**
 * `POST /mcp`: one message of the Model Context Protocol (2026-07-28, and revisions before), without state. Its code is
 * loaded with the first message.
 */
export function addMcpRoute(app: FastifyInstance, dependencies: AppContext): void {
  createRouteAdder(app)(mcpRoutes.callMcp, async (request, reply) => {
    refuseForeignOrigin(request);
    const message = await readJsonBody(request, parseJson);
    const { serveMcp } = await import("../../../mcp/serve-mcp.ts");
    const headers = protocolHeaders.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === "string" ? [[name, value] as [string, string]] : [];
    });
    const response = await serveMcp(createCaller(dependencies, request, reply), message, new Headers(headers));
    return reply.send(response);
  });
}

function createCaller(dependencies: AppContext, request: FastifyRequest, reply: FastifyReply): McpCaller {
  return {
    ...createSurfaceCaller(dependencies, request, reply, "mcp"),
    openWriter(format, columns) {
      const writer = (format === "csv" ? csvFormat : ndjsonFormat).open(columns);
      return { head: String(writer.begin()), write: (row) => String(writer.write(new RowBatch(row, 1))) };
    },
    noteError(error) {
      if (error instanceof CallerGoneError) throw error;
      const answered = toServiceError(error);
      noteError(answered, request, reply);
      return answered;
    },
  };
}
