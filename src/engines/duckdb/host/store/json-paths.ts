/** Where a field is in the JSON column of its top-level record, for statements that look at rows of earlier rules. */
import { foldName } from "../../../schema/declaration.ts";
import type { SchemaEntry } from "../../../schema/schema-entry.ts";
import { quoteIdentifier, quoteString } from "../../sql-text.ts";

function jsonColumnOf(entries: readonly SchemaEntry[], path: string): string | undefined {
  const top = foldName(path.split(".")[0] ?? "");
  const found = entries.find((entry) => entry.role === "json" && entry.path !== "" && foldName(entry.path) === top);
  return found?.role === "json" ? found.column : undefined;
}

function restColumnOf(entries: readonly SchemaEntry[]): string | undefined {
  const found = entries.find((entry) => entry.role === "json" && entry.path === "");
  return found?.role === "json" ? found.column : undefined;
}

/**
 * JSON column and path of a field; `each` leads into all elements of arrays, so that what a function answers for the
 * path is a list, else into the first. Undefined where no JSON has it.
 */
export function jsonPlace(
  entries: readonly SchemaEntry[],
  path: string,
  each: boolean,
): { readonly column: string; readonly path: string | undefined } | undefined {
  const [top = "", ...below] = path.split(".");
  const step = each ? "[*]" : "[0]";
  const own = jsonColumnOf(entries, path);
  const inner = below.map((name) => `${step}."${name}"`).join("");
  if (own !== undefined)
    return { column: quoteIdentifier(own), path: inner === "" ? undefined : quoteString(`$${inner}`) };
  const rest = restColumnOf(entries);
  if (rest === undefined) return undefined;
  return { column: quoteIdentifier(rest), path: quoteString(`$${step}."${top}"${inner}`) };
}

/**
 * True for rows in which every record above the field is one object: where several stand in a list, none of them is
 * the event's.
 */
export function isSingle(entries: readonly SchemaEntry[], path: string): string {
  const [top = "", ...below] = path.split(".");
  const own = jsonColumnOf(entries, path);
  const column = own ?? restColumnOf(entries);
  if (column === undefined) return "true";
  let at = own === undefined ? `$[0]."${top}"` : "$";
  const lengths = below.map((name) => {
    const length = `json_array_length(${quoteIdentifier(column)}, ${quoteString(at)}) = 1`;
    at += `[0]."${name}"`;
    return length;
  });
  return lengths.length === 0 ? "true" : `(${lengths.join(" AND ")})`;
}
