import type { JudgeCase } from "./judge-cases.ts";

/** The outcome of a case. */
export interface Verdict {
  readonly judged: JudgeCase;
  readonly kind: "agrees" | "differs" | "known" | "refused";
  /** The difference, or why it is known. */
  readonly detail: string;
}

const kinds = ["agrees", "known", "refused", "differs"] as const;

/** The differences one by one, those that are known by their reasons, and a table of sections. */
export function printVerdicts(verdicts: readonly Verdict[]): string {
  const lines = verdicts
    .filter(({ kind }) => kind === "differs" || kind === "refused")
    .map(({ judged, kind, detail }) => `${kind}: ${describeCase(judged)}\n    ${detail}`);
  const known = verdicts.filter(({ kind }) => kind === "known");
  for (const reason of new Set(known.map(({ detail }) => detail))) {
    lines.push(`known, ${known.filter(({ detail }) => detail === reason).length} requests: ${reason}`);
  }
  const toRow = (name: string, all: readonly Verdict[]) => {
    const counts = kinds.map((kind) => all.filter((each) => each.kind === kind).length);
    return `| ${name} | ${all.length} | ${counts.join(" | ")} |`;
  };
  const rows = [...new Set(verdicts.map(({ judged }) => judged.section))].map((section) => {
    return toRow(
      section,
      verdicts.filter(({ judged }) => judged.section === section),
    );
  });
  rows.push(toRow("in all", verdicts));
  const head = [
    "| section | requests | agree | known to differ | refused by name | differ |",
    "|---|---|---|---|---|---|",
  ];
  return [...lines, "", ...head, ...rows, ""].join("\n");
}

function describeCase({ section, path, parameters, isCategorized }: JudgeCase): string {
  const { query = "", ...others } = parameters;
  const sent = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return `[${section}] ${path} ${query} (${[...sent, ...(isCategorized ? ["categorized"] : [])].join(" ")})`;
}
