// What came out for each room, and which mutants make no difference.
import { readFileSync, writeFileSync } from "node:fs";

const scoresFile = new URL("scores.json", import.meta.url);
const equivalentsFile = new URL("equivalents.json", import.meta.url);

/** Mutants that no test can fail on, each with its reason. `line` is the text of the line in which it starts. */
export function readEquivalents() {
  return JSON.parse(readFileSync(equivalentsFile, "utf8"));
}

/** The mutants of a report of Stryker's: how many were noticed, those that were not, and how many cannot be. */
export function judge({ files }) {
  const known = new Set(readEquivalents().map(keyOf));
  const all = Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split("\n");
    return mutants.map(({ location: { start }, replacement, status }) => {
      return { file, line: lines[start.line - 1].trim(), replacement: String(replacement), start, status };
    });
  });
  const alive = all.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const survivors = alive.filter((mutant) => !known.has(keyOf(mutant)));
  const killed = all.filter(({ status }) => status === "Killed" || status === "Timeout").length;
  return { killed, survivors, equivalents: alive.length - survivors.length };
}

function keyOf({ file, line, replacement }) {
  return JSON.stringify([file, line, replacement]);
}

function readScores() {
  return JSON.parse(readFileSync(scoresFile, "utf8"));
}

/** Notes the score of a room, in place of the one that it had. */
export function recordScore(room, { tried, killed, equivalents, about, seed }) {
  const scores = readScores();
  const part = about === undefined ? "all" : `${tried} by seed ${seed}`;
  const date = new Date().toISOString().slice(0, 10);
  const ordered = Object.entries({ ...scores, [room]: { tried, killed, equivalents, part, date } }).sort();
  writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(ordered), undefined, 2)}\n`);
}

/** A row a room: what was tried when, and which share of it was noticed. */
export function printTable() {
  const rows = Object.entries(readScores()).map(([room, { tried, killed, equivalents, part, date }]) => {
    return [room, part, date, `${killed} of ${tried}`, `${((100 * killed) / tried).toFixed(1)} %`, `${equivalents}`];
  });
  const head = ["room", "mutants", "tried on", "killed", "share", "equivalent"];
  for (const row of [head, head.map(() => "---"), ...rows]) process.stdout.write(`| ${row.join(" | ")} |\n`);
}
