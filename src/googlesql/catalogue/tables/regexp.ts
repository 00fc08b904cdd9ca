import { type FunctionDefinition, scalarsOf } from "../types.ts";

const define = scalarsOf("regexp");

/** Functions of regular expressions, in the syntax of RE2. */
export const regexpFunctions: readonly FunctionDefinition[] = [
  define(
    "REGEXP_CONTAINS",
    "Whether a part of the value matches",
    ["(STRING, STRING) -> BOOL", "(BYTES, BYTES) -> BOOL"],
    { fallibility: [1] },
  ),
  define(
    "REGEXP_EXTRACT",
    "The text of one match, or of its capturing group; NULL if there is none",
    ["(STRING, STRING, [INT64], [INT64]) -> STRING", "(BYTES, BYTES, [INT64], [INT64]) -> BYTES"],
    { aliases: ["REGEXP_SUBSTR"] },
  ),
  define("REGEXP_EXTRACT_ALL", "The text of every match, or of its capturing group", [
    "(STRING, STRING) -> ARRAY<STRING>",
    "(BYTES, BYTES) -> ARRAY<BYTES>",
  ]),
  define(
    "REGEXP_INSTR",
    "The position of an occurrence of a match, or with 1 as last argument the position after it; 0 when there is none. A capturing group must be outside other groups; its last repetition counts",
    ["(STRING, STRING, [INT64], [INT64], [INT64]) -> INT64", "(BYTES, BYTES, [INT64], [INT64], [INT64]) -> INT64"],
  ),
  define("REGEXP_REPLACE", "Every match replaced; \\0 to \\9 in the replacement stand for the match and its groups", [
    "(STRING, STRING, STRING) -> STRING",
    "(BYTES, BYTES, BYTES) -> BYTES",
  ]),
];
