import { type FunctionDefinition, type FunctionFacts, failsBelowZero, NEVER_FAILS, scalarsOf } from "../types.ts";

const AREA = "string";

const define = scalarsOf("string");

/** Counts what there is, whatever compares equal. */
const LENGTH: FunctionFacts = { ...NEVER_FAILS, ignoresCollation: true };

/** The same signature for STRING and for BYTES; `X` stands for the type. */
function forBoth(signature: string): readonly string[] {
  return [signature.replaceAll("X", "STRING"), signature.replaceAll("X", "BYTES")];
}

function refuse(name: string, summary: string, refused: string): FunctionDefinition {
  return { name, kind: "scalar", signatures: [], area: AREA, summary, refused };
}

const NO_TEXT_INDEX = "text search and text analysis need a search index, which sources here do not have";

/** String functions of the reference, and the text search functions that are refused. */
export const stringFunctions: readonly FunctionDefinition[] = [
  define("ASCII", "The ASCII code of the first character or byte; 0 for an empty value", forBoth("(X) -> INT64"), {
    ignoresCollation: true,
  }),
  define("BYTE_LENGTH", "The number of bytes", forBoth("(X) -> INT64"), { aliases: ["OCTET_LENGTH"], ...LENGTH }),
  define("CHAR_LENGTH", "The number of characters", ["(STRING) -> INT64"], {
    aliases: ["CHARACTER_LENGTH"],
    ...LENGTH,
  }),
  define("CHR", "The character of a Unicode code point; empty for 0", ["(INT64) -> STRING"]),
  define("CODE_POINTS_TO_BYTES", "Bytes from values of 0 to 255", ["(ARRAY<INT64>) -> BYTES"]),
  define("CODE_POINTS_TO_STRING", "A string from Unicode code points", ["(ARRAY<INT64>) -> STRING"]),
  define(
    "COLLATE",
    "The string, compared by a collation: regardless of case by 'und:ci', by code points by ''",
    ["(STRING, LITERAL STRING) -> STRING"],
    { ...NEVER_FAILS, ignoresCollation: true },
  ),
  define(
    "CONCAT",
    "Concatenates values; NULL if one of them is NULL",
    ["(STRING, STRING...) -> STRING", "(BYTES, BYTES...) -> BYTES", "(ANY, ANY...) -> STRING"],
    NEVER_FAILS,
  ),
  define(
    "CONTAINS_SUBSTR",
    "Whether the text occurs in a value, or in any of its fields or elements, ignoring case and Unicode normalisation",
    ["(ANY, STRING, [json_scope => STRING]) -> BOOL"],
  ),
  define("EDIT_DISTANCE", "The Levenshtein distance, in characters or bytes", [
    "(STRING, STRING, [max_distance => INT64]) -> INT64",
    "(BYTES, BYTES, [max_distance => INT64]) -> INT64",
  ]),
  define("ENDS_WITH", "Whether the value ends with another", forBoth("(X, X) -> BOOL"), NEVER_FAILS),
  define("FORMAT", "Formats values with a printf-like format string", ["(STRING, ANY...) -> STRING"]),
  define("FROM_BASE32", "Bytes from their base32 text", ["(STRING) -> BYTES"]),
  define("FROM_BASE64", "Bytes from their base64 text", ["(STRING) -> BYTES"]),
  define("FROM_HEX", "Bytes from their hexadecimal text", ["(STRING) -> BYTES"]),
  define(
    "INITCAP",
    "The first letter of each word in upper case, the others in lower case",
    ["(STRING, [STRING]) -> STRING"],
    NEVER_FAILS,
  ),
  define(
    "INSTR",
    "The position of an occurrence of a value in another, searched from a position, backwards from a negative one",
    forBoth("(X, X, [INT64], [INT64]) -> INT64"),
  ),
  define("LEFT", "The first characters or bytes", forBoth("(X, INT64) -> X"), failsBelowZero(1)),
  define("LENGTH", "The number of characters of a string or of bytes", forBoth("(X) -> INT64"), LENGTH),
  define("LOWER", "In lower case; for BYTES the ASCII letters", forBoth("(X) -> X"), NEVER_FAILS),
  define("LPAD", "Cut, or padded on the left, to a length", forBoth("(X, INT64, [X]) -> X")),
  define(
    "LTRIM",
    "Without leading white space, or characters of a set",
    ["(STRING, [STRING]) -> STRING", "(BYTES, BYTES) -> BYTES"],
    NEVER_FAILS,
  ),
  define(
    "NORMALIZE",
    "In a Unicode normalisation form: NFC (the default), NFKC, NFD or NFKD",
    ["(STRING, [DATEPART]) -> STRING"],
    NEVER_FAILS,
  ),
  define(
    "NORMALIZE_AND_CASEFOLD",
    "In a Unicode normalisation form, with case folded",
    ["(STRING, [DATEPART]) -> STRING"],
    NEVER_FAILS,
  ),
  define("REPEAT", "The value repeated a number of times", forBoth("(X, INT64) -> X")),
  define("REPLACE", "Every occurrence of a value replaced by another", forBoth("(X, X, X) -> X")),
  define("REVERSE", "The characters or bytes in reverse order", forBoth("(X) -> X"), NEVER_FAILS),
  define("RIGHT", "The last characters or bytes", forBoth("(X, INT64) -> X"), failsBelowZero(1)),
  define("RPAD", "Cut, or padded on the right, to a length", forBoth("(X, INT64, [X]) -> X")),
  define(
    "RTRIM",
    "Without trailing white space, or characters of a set",
    ["(STRING, [STRING]) -> STRING", "(BYTES, BYTES) -> BYTES"],
    NEVER_FAILS,
  ),
  define(
    "SAFE_CONVERT_BYTES_TO_STRING",
    "UTF-8 bytes as a string, with U+FFFD for invalid bytes",
    ["(BYTES) -> STRING"],
    NEVER_FAILS,
  ),
  define("SOUNDEX", "The Soundex code", ["(STRING) -> STRING"], NEVER_FAILS),
  define("SPLIT", "The parts between delimiters (`,` by default); the characters for an empty delimiter", [
    "(STRING, [STRING]) -> ARRAY<STRING>",
    "(BYTES, BYTES) -> ARRAY<BYTES>",
  ]),
  define("STARTS_WITH", "Whether the value starts with another", forBoth("(X, X) -> BOOL"), NEVER_FAILS),
  define(
    "STRPOS",
    "The position of the first occurrence of a value in another; 0 when there is none",
    forBoth("(X, X) -> INT64"),
    NEVER_FAILS,
  ),
  define(
    "SUBSTR",
    "The part that starts at a position (from the end if negative), of at most a length",
    forBoth("(X, INT64, [INT64]) -> X"),
    { ...failsBelowZero(2), aliases: ["SUBSTRING"] },
  ),
  define("TO_BASE32", "Base32 text of bytes", ["(BYTES) -> STRING"], NEVER_FAILS),
  define("TO_BASE64", "Base64 text of bytes", ["(BYTES) -> STRING"], NEVER_FAILS),
  define("TO_CODE_POINTS", "The code points of a string, or the values of bytes", forBoth("(X) -> ARRAY<INT64>"), {
    ...NEVER_FAILS,
    ignoresCollation: true,
  }),
  define("TO_HEX", "Hexadecimal text of bytes", ["(BYTES) -> STRING"], NEVER_FAILS),
  define(
    "TRANSLATE",
    "Each character of one set replaced by its counterpart of another, or removed",
    forBoth("(X, X, X) -> X"),
  ),
  define(
    "TRIM",
    "Without white space, or characters of a set, at both ends",
    ["(STRING, [STRING]) -> STRING", "(BYTES, BYTES) -> BYTES"],
    NEVER_FAILS,
  ),
  define("UNICODE", "The Unicode code point of the first character; 0 for an empty string", ["(STRING) -> INT64"], {
    ...NEVER_FAILS,
    ignoresCollation: true,
  }),
  define("UPPER", "In upper case; for BYTES the ASCII letters", forBoth("(X) -> X"), NEVER_FAILS),
  refuse("SEARCH", "Searches tokenised text", `${NO_TEXT_INDEX}; use CONTAINS_SUBSTR or REGEXP_CONTAINS`),
  refuse("TEXT_ANALYZE", "Tokens of a text", NO_TEXT_INDEX),
  refuse("BAG_OF_WORDS", "Frequencies of tokens", NO_TEXT_INDEX),
  refuse("TF_IDF", "Relevance of tokens", NO_TEXT_INDEX),
];
