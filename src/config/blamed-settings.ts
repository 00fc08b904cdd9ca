import { resolve } from "node:path";
import type { Configuration } from "./config.ts";
import { variableOf } from "./setting-definition.ts";

/** Shorter texts are parts of words. */
const minLength = 3;

/**
 * The message of a start that failed, with the variables of the settings whose values are in it: a folder or a file, as
 * given or as a whole path, a host, a port behind a colon. Without those that it names already, and without secrets.
 */
export function nameBlamedSettings(
  message: string,
  { effective }: Pick<Configuration, "effective">,
  workingDir: string,
): string {
  const blamed = effective.filter(({ definition, value, origin }) => {
    if (value === undefined || definition.isSecret === true || message.includes(variableOf(definition))) return false;
    if (definition.type.kind === "integer") return new RegExp(`:${value}(?!\\d)`).test(message);
    const text = String(value);
    const isGiven = definition.type.kind === "text" && origin !== "default" && text.length >= minLength;
    return isGiven && (message.includes(text) || message.includes(resolve(workingDir, text)));
  });
  if (blamed.length === 0) return message;
  return `${message} (${blamed.map(({ definition }) => variableOf(definition)).join(", ")})`;
}
