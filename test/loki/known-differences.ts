import type { JudgeCase } from "./judge-cases.ts";
import { nsAt } from "./pushed-lines.ts";

/** A difference that is meant to be, and why. */
interface KnownDifference {
  readonly reason: string;
  /** Whether a case is expected to differ for this reason. */
  isOf(each: JudgeCase): boolean;
}

const hasNoStage = (query = "") => /^\{[^}]*\}(?: \|= ""\s*)?$/.test(query);
const queryHas = (text: string) => (each: JudgeCase) => each.parameters.query?.includes(text) === true;

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "Loki runs filters of lines before a decolorize in front of them; here stages run in their order",
    isOf: queryHas("| decolorize |="),
  },
  {
    reason: "Loki's frontend passes 1KiB on as 1kB, which is 1,000 bytes; here it is 1,024",
    isOf: queryHas("size >= 1KiB"),
  },
  {
    reason: "Loki leaves out the details of an error that was dropped; here they are dropped by their own name",
    isOf: (each) => /\| drop __error__$/.test(each.parameters.query ?? ""),
  },
  {
    reason: "Volumes are the bytes of lines here; Loki adds those of structured metadata, and guesses parts of time",
    isOf: ({ path }) => path.startsWith("index/volume"),
  },
  {
    reason: "Loki tells the type of the first value of a field; here it is one that all values have",
    isOf: ({ path }) => path === "detected_fields",
  },
  {
    reason: "Queries are laid out with the parentheses that they need and no others, and with exact numbers",
    isOf: ({ path }) => path === "format_query",
  },
  {
    reason: "Loki tells live lines without their structured metadata where a query has no stages",
    isOf: ({ path, parameters, isCategorized }) => path === "tail" && !isCategorized && hasNoStage(parameters.query),
  },
  {
    reason: "A tail that can tell nothing is refused here; Loki opens it",
    isOf: ({ section, parameters }) =>
      section === "wrong tails" && /"\("|vector|000000/.test(Object.values(parameters).join()),
  },
  {
    reason: "With delay_for, a late line is told before those that are held back; Loki tells it behind them",
    isOf: ({ path, parameters }) =>
      path === "tail" && Number(parameters.delay_for) > 0 && /late/.test(parameters.query ?? ""),
  },
  {
    reason: "Lines that arrive are told also by a tail that starts later; Loki ends it",
    isOf: ({ path, parameters }) => path === "tail" && Number(parameters.start) > Number(nsAt(86_400)),
  },
  {
    reason: "A range that is no time is refused here; Loki answers nothing",
    isOf: queryHas("[0s]"),
  },
];
