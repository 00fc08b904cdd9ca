import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A tool's answer as tests read it. */
export interface ToolResult {
  readonly isError: boolean;
  /** All of its text. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The published client, connected to a service. */
export interface McpClient {
  readonly client: Client;
  call(tool: string, sent: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

/** The revision that the service is made for; clients that name none speak the one before. */
export const modern = "2026-07-28";

/** Connects in a revision; headers are those that the client's configuration adds. */
export async function connectMcp(
  url: string,
  headers: Readonly<Record<string, string>>,
  revision?: typeof modern,
): Promise<McpClient> {
  const client = createClient(revision);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return toMcpClient(client);
}

/** Connects to a command of ours that speaks over its standard input and output. */
export async function connectStdio(args: readonly string[], revision?: typeof modern): Promise<McpClient> {
  const client = createClient(revision);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: ["dist/logweir.js", ...args] }));
  return toMcpClient(client);
}

function createClient(revision: typeof modern | undefined): Client {
  const options = revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } };
  return new Client({ name: "test", version: "1" }, options);
}

function toMcpClient(client: Client): McpClient {
  return {
    client,
    async call(tool, sent) {
      const { content, isError, structuredContent } = await client.callTool({ name: tool, arguments: sent });
      const texts = content.map((each) => (each.type === "text" ? each.text : ""));
      return {
        isError: isError === true,
        text: texts.join("\n"),
        data: (structuredContent ?? {}) as Readonly<Record<string, unknown>>,
      };
    },
    close: () => client.close(),
  };
}
