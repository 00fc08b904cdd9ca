import type { TextRange } from "../text-range.ts";

/** Two to five parts of base64url, of which the first is a JSON object (RFC 7519, RFC 7515, RFC 7516). */
const jwtAt = /eyJ[A-Za-z0-9_-]{7,}(?:\.[A-Za-z0-9_-]*){1,4}/y;
const wordCharacter = /[A-Za-z0-9]/;
const base64urlRun = /[A-Za-z0-9_-]*/y;
const bearer = /\bbearer[ \t]{1,8}([A-Za-z0-9._~+/-]{8,}={0,2})/gi;

/** JSON Web Tokens, from left to right; also those whose signature was cut off. */
export function findJwts(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  for (let start = text.indexOf("eyJ"); start !== -1; ) {
    const isWord = wordCharacter.test(text[start - 1] ?? "");
    const end = isWord ? undefined : findEnd(text, start);
    if (end !== undefined) found.push({ start, end });
    // What fails fails from any other place of the same run.
    start = text.indexOf("eyJ", end ?? (isWord ? start + 3 : endOfRun(text, start)));
  }
  return found;
}

function endOfRun(text: string, start: number): number {
  base64urlRun.lastIndex = start;
  return start + (base64urlRun.exec(text)?.[0].length ?? 0);
}

function findEnd(text: string, start: number): number | undefined {
  jwtAt.lastIndex = start;
  const token = jwtAt.exec(text)?.[0];
  const [, payload = ""] = token?.split(".") ?? [];
  if (token === undefined || payload.length < 4) return undefined;
  // A sentence's dot is not the token's.
  return start + token.length - (token.endsWith(".") ? 1 : 0);
}

/** Finds the tokens after `Bearer` (RFC 6750), without the word itself. */
export function findBearerTokens(text: string): readonly TextRange[] {
  return [...text.matchAll(bearer)].map((match) => {
    const end = match.index + match[0].length;
    return { start: end - (match[1]?.length ?? 0), end };
  });
}
