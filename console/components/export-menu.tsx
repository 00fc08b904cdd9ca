import { messageOf, runEndpoint } from "../api/client.ts";
import { callParameters, query } from "../state/explore.ts";
import { say } from "../state/toasts.ts";
import { Menu } from "./menu.tsx";

const formats = ["json", "ndjson", "csv", "parquet", "arrow"];

/** The rows of the query as a file, in each format of the service. */
export function ExportMenu() {
  return (
    <Menu label="Export" icon="download">
      {(close) => (
        <ul>
          {formats.map((format) => (
            <li key={format}>
              <button
                type="button"
                class="menu-item"
                onClick={() => {
                  close();
                  void exportAs(format);
                }}
              >
                {format.toUpperCase()}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}

/** A page of rows in a form of the service's, as a file. */
async function exportAs(format: string): Promise<void> {
  try {
    const response = await runEndpoint(
      query.value.scope,
      { ...callParameters(), format },
      { headers: { accept: "*/*" } },
    );
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = url;
    link.download = `logs.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    say(messageOf(error));
  }
}
