/** Values of parameters that are too long for an address travel as a form, with the statement. */

/** A value of a parameter, which is written as the server reads it: `null` for NULL, texts as they are. */
export type ServerValue = null | boolean | number | bigint | string | readonly ServerValue[];

type Parameters = Readonly<Record<string, ServerValue>>;

/** A statement with its values as the body of a form. */
export function toForm(query: string, params: Parameters): { readonly body: string; readonly type: string } {
  const boundary = `logweir${crypto.randomUUID()}`;
  const parts = [
    ["query", query],
    ...Object.entries(params).map(([name, value]) => [`param_${name}`, printValue(value)]),
  ];
  const body = parts.map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return { body: `${body.join("")}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

function escapeText(text: string): string {
  const named: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "'": "\\'" };
  return text.replace(/[\\\t\n\r']/g, (found) => named[found] ?? found).replaceAll("\0", "\\0");
}

/** A value as the server reads it from a parameter. */
export function printValue(value: ServerValue, isNested = false): string {
  if (value === null) return isNested ? "NULL" : "\\N";
  if (typeof value === "string") return isNested ? `'${escapeText(value)}'` : escapeText(value);
  if (typeof value === "object") return `[${value.map((item) => printValue(item, true)).join(",")}]`;
  return String(value);
}
