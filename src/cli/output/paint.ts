import { allowsColours } from "../../config/config.ts";
import type { CliContext } from "../context.ts";

const codes = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof codes;

/** Colours texts when the output is a terminal, unless the environment disables it. */
export function createPaint({ output, environment }: CliContext): (colour: Colour, text: string) => string {
  const hasColours = output.isTTY === true && allowsColours(environment);
  return (colour, text) => (hasColours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}
