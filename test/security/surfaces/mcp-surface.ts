import { connectMcp, type McpClient, modern, type ToolResult } from "../../support/mcp/connect.ts";
import type { Row, Surface, SurfaceAnswer } from "./surface.ts";

/** The tools of MCP, by the published client. */
export const mcpSurface: Surface = {
  name: "MCP",
  async connect(service, token, headers) {
    let client: McpClient | undefined;
    const ask = async <T>(work: (client: McpClient) => Promise<T>, tell: (answer: T) => SurfaceAnswer) => {
      try {
        client ??= await connectMcp(service.url, { "x-api-key": token, ...headers }, modern);
        return tell(await work(client));
      } catch (error) {
        const text = String(error);
        return { code: /\b401\b|unauthorized/i.test(text) ? "unauthorized" : "refused", rows: [], text };
      }
    };
    const call = (tool: string, sent: object) => ask((each) => each.call(tool, { ...sent }), toAnswer);
    return {
      run: call,
      query: (endpoint, { sql, lql, limit, cursor, ...parameters }) =>
        call("query", {
          endpoint,
          parameters,
          ...Object.fromEntries(Object.entries({ sql, lql, limit, cursor }).filter(([, value]) => value !== undefined)),
        }),
      list: () =>
        ask(
          (each) => each.client.listTools(),
          ({ tools }) => {
            const endpoints = tools.filter(({ name }) => name !== "query" && name !== "patterns");
            return { code: "ok", rows: endpoints.map(({ name }) => ({ name })), text: JSON.stringify(tools) };
          },
        ),
      tables: (endpoint, parameters) => call("query", { endpoint, parameters }),
      close: async () => client?.close(),
    };
  },
};

function toAnswer({ data, text }: ToolResult): SurfaceAnswer {
  const {
    error,
    rows = [],
    next,
  } = data as {
    readonly error?: { readonly code: string };
    readonly rows?: readonly Row[];
    readonly next?: { readonly cursor?: string } | null;
  };
  return { code: error?.code ?? "ok", rows, text: text + JSON.stringify(data), cursor: next?.cursor };
}
