import { type CliContext, print } from "../context.ts";
import { createPaint } from "./paint.ts";
import { escapeControls, rawStream } from "./safe-output.ts";

/**
 * Rows below a header, columns as wide as their widest value, two spaces between them. A row is one line: a line break
 * or tab in a value becomes a space.
 */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map((cell) => cell.replaceAll(/[\r\n\t]+/g, " ")));
  const widths = header.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function widthOf(text: string): number {
  return [...text].length;
}

/** Prints a table; on a terminal its header stands out. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[], context: CliContext): void {
  const [first = "", ...others] = formatTable(header, rows).split("\n");
  const output = rawStream(context.output);
  const show = output === context.output ? (text: string) => text : escapeControls;
  print(output, [createPaint(context)("bold", show(first)), ...others.map(show)].join("\n"));
}
