import { parseJson } from "../../engines/contract/parse-json.ts";
import { decompress } from "../../ingest/decompress.ts";
import { sourceNames } from "./find-source.ts";

/**
 * The source named by a body: a JSON object with `source_name` or a synonym, beside a `batch` or in a single event.
 * Undefined when it names none or cannot be read; the actual reader reports the reason.
 */
export async function nameInBody(
  bytes: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<string | undefined> {
  let value: unknown;
  try {
    value = parseJson(new TextDecoder().decode(await decompress(bytes, contentEncoding ?? "", maxBytes)));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const object = value as Readonly<Record<string, unknown>>;
  const names = sourceNames.map((name) => object[name]);
  return names.find((name) => typeof name === "string" && name !== "") as string | undefined;
}
