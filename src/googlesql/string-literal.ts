// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped
const ESCAPED = /[\\`"\u0000-\u001f\u007f]/g;

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const named = NAMED_ESCAPES[character];
  if (named !== undefined) return named;
  const code = character.charCodeAt(0);
  return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\${character}`;
}

/** Prints any text as a literal in double quotes, on one line. What is escaped is so between back-ticks too. */
export function printString(value: string): string {
  return `"${value.replace(ESCAPED, escapeCharacter)}"`;
}
