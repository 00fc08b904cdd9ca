/** Rows below a header, columns as wide as their widest value, two spaces between them. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
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
