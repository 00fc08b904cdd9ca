import { messageOf, runEndpoint } from "../api/client.ts";
import { callParameters, query } from "../state/explore.ts";
import { say } from "../state/toasts.ts";
import { Menu } from "./menu.tsx";

const formats = { json: "JSON", ndjson: "NDJSON", csv: "CSV", parquet: "Parquet", arrow: "Arrow" };

/** The rows of the query as a file, in each format of the service. */
export function ExportMenu() {
  return (
    <Menu label="Export" icon="download">
      {(close) => (
        <ul>
          {Object.entries(formats).map(([format, label]) => (
            <li key={format}>
              <button
                type="button"
                class="menu-item"
                onClick={() => {
                  close();
                  void exportAs(format);
                }}
              >
                {label}
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
