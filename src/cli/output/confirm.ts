import { createInterface } from "node:readline/promises";
import type { CliContext } from "../context.ts";
import { rawStream } from "./safe-output.ts";

/** Asks the user at the terminal; undefined without a terminal. */
export async function confirm(question: string, { input, errors }: CliContext): Promise<boolean | undefined> {
  const isTerminal = "isTTY" in input && input.isTTY === true && errors.isTTY === true;
  if (!isTerminal) return undefined;
  const asking = createInterface({ input, output: rawStream(errors) });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}
