import type { Refused } from "./ask-all.ts";
import type { Collected } from "./collect-queries.ts";
import type { Release } from "./find-release.ts";

/** A release, what its builders gave, and what was refused of it. */
export interface Checked {
  readonly release: Release;
  readonly collected: Collected;
  readonly refused: readonly Refused[];
}

/** The matrix as a table of Markdown, then what was refused and what could not be called. */
export function printMatrix(checked: readonly Checked[]): string {
  const rows = checked.map(({ release, collected, refused }) => {
    const { queries, called, notCalled } = collected;
    const cells = [release.builders.length, called.length, notCalled.length];
    const of = (endpoint: string) => queries.filter((query) => query.endpoint === endpoint).length;
    return `| ${[release.name, ...cells, of("logs.all"), of("logs.all.otel"), queries.length - refused.length, refused.length].join(" | ")} |`;
  });
  const names = [
    "copy",
    "files with SQL",
    "exports called",
    "not called",
    "queries of `logs.all`",
    "of `logs.all.otel`",
    "answered",
    "refused",
  ];
  const lines = [`| ${names.join(" | ")} |`, `|${names.map(() => "---|").join("")}`, ...rows];
  for (const { release, collected, refused } of checked) {
    for (const error of new Set(refused.map((query) => query.error))) {
      const items = refused.filter((query) => query.error === error);
      lines.push(
        "",
        `${release.name}: refused ${items.length}: ${error}`,
        ...[...new Set(items.map(({ builder }) => `  ${builder}`))],
      );
      if (process.env.LOGWEIR_TEST_TABLES !== undefined) lines.push(items[0]?.sql ?? "");
    }
    if (collected.notCalled.length > 0) lines.push("", `${release.name}: not called`);
    lines.push(...collected.notCalled.map(([builder, reason]) => `  ${builder}: ${reason}`));
  }
  return `${lines.join("\n")}\n`;
}
