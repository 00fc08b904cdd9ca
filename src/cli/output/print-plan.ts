import type { ContractChange } from "../../endpoints/versions/compare-contracts.ts";
import type { DiffLine } from "../../endpoints/versions/compare-versions.ts";
import { type CliContext, print } from "../context.ts";
import type { EndpointPlan, PlannedChange } from "../input/endpoint-plan.ts";
import { type Colour, createPaint } from "./paint.ts";

/** Unchanged lines that are shown around changed ones. */
const contextLines = 2;

const marks = { create: ["+", "green"], update: ["~", "yellow"], delete: ["-", "red"] } as const;

/** Prints a plan for people: what is done with each endpoint, and what that changes for callers. */
export function printPlan(plan: EndpointPlan, context: CliContext): void {
  const { output } = context;
  const paint = createPaint(context);
  for (const { action, definition, comparison } of plan.changes) {
    const [mark, colour] = marks[action];
    const breaks = comparison?.breaking === true ? paint("red", "  BREAKING") : "";
    print(output, `${paint(colour, `${mark} ${action} ${definition.name}`)}${breaks}`);
    for (const change of comparison?.changes ?? []) print(output, `    ${describeChange(change, paint)}`);
    for (const line of chooseLines(comparison?.query ?? [])) print(output, `    ${paintLine(line, paint)}`);
  }
  for (const name of plan.kept)
    print(output, paint("dim", `  ${name} is not in the folder and stays (--prune deletes it)`));
  const counts = (["create", "update", "delete"] as const).map((action) => {
    return `${plan.changes.filter((change) => change.action === action).length} to ${action}`;
  });
  print(output, `${counts.join(", ")}, ${plan.unchangedCount} unchanged`);
}

type Paint = (colour: Colour, text: string) => string;

function describeChange({ area, name, change, from, to, breaking }: ContractChange, paint: Paint): string {
  const values =
    change === "added" ? ` (${to})` : change === "removed" ? ` (${from})` : `: ${from ?? "none"} -> ${to ?? "none"}`;
  return `${area} ${name} ${change}${values}${breaking ? paint("red", " [breaking]") : ""}`;
}

function paintLine({ op, text }: DiffLine, paint: Paint): string {
  const line = `${op} ${text}`;
  return op === " " ? line : paint(op === "+" ? "green" : "red", line);
}

/** Changed lines with what stands around them. */
function chooseLines(lines: readonly DiffLine[]): readonly DiffLine[] {
  const shown = new Set<number>();
  lines.forEach(({ op }, index) => {
    if (op === " ") return;
    for (let near = index - contextLines; near <= index + contextLines; near++) shown.add(near);
  });
  return lines.filter((_, index) => shown.has(index));
}

/** A plan for programs. */
export function planToJson({ changes, unchangedCount, kept }: EndpointPlan): object {
  return { changes: changes.map(changeToJson), unchanged: unchangedCount, kept };
}

function changeToJson({ action, definition, version, comparison }: PlannedChange): object {
  return {
    action,
    name: definition.name,
    id: definition.id,
    version: version ?? null,
    breaking: comparison?.breaking ?? action === "delete",
    changes: comparison?.changes ?? [],
    query: comparison?.query ?? [],
  };
}
