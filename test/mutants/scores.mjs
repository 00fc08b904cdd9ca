// What came out for each room, and which mutants make no difference.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** Measurements stay on the machine that took them. */
const scoresFile = new URL("../../node_modules/.cache/logweir-mutants/scores.json", import.meta.url);
const equivalentsFile = new URL("equivalents.json", import.meta.url);

/**
 * Mutants that no test can fail on, each with its reason. `line` is the text of the line in which it starts. A whole
 * class has `lines` instead, which the line has to match, and `file` names its folder.
 */
export function readEquivalents() {
  return JSON.parse(readFileSync(equivalentsFile, "utf8"));
}

/**
 * The mutants of a report of Stryker's: how many were noticed, which of these because a test did not end, those that
 * were not noticed, how many cannot be, and how many were not tried: what only runs when a file is loaded is there for
 * every test at once, and what does not load at all is no mistake that anybody would commit.
 */
export function judge({ files }) {
  const equal = readEquivalents();
  const known = new Set(equal.filter(({ lines }) => lines === undefined).map(keyOf));
  const classes = equal.filter(({ lines }) => lines !== undefined);
  const isEquivalent = (mutant) => known.has(keyOf(mutant)) || classes.some((each) => isOfClass(mutant, each));
  const all = Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split("\n");
    return mutants.map(({ location: { start }, replacement, status, statusReason = "" }) => {
      const line = lines[start.line - 1].trim();
      const isByTime = status === "Timeout" || (status === "Killed" && /timed out in \d+\s?ms/.test(statusReason));
      return { file, line, replacement: String(replacement), start, status: isByTime ? "Timeout" : status };
    });
  });
  const alive = all.filter(isAlive);
  const survivors = alive.filter((mutant) => !isEquivalent(mutant));
  const timedOut = all.filter(({ status }) => status === "Timeout");
  const killed = all.filter(({ status }) => status === "Killed").length + timedOut.length;
  const equivalents = alive.length - survivors.length;
  return { killed, timedOut, survivors, equivalents, untried: all.length - killed - alive.length };
}

/** Where the mutants are that no test noticed, to try these again. */
export function placesOfAlive({ files }) {
  return Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.filter(isAlive).map(({ location: { start, end } }) => {
      return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
    }),
  );
}

/** A report in which mutants that were tried again, and were noticed then, are as they were found to be. */
export function withLaterLook({ files }, later) {
  const looks = Object.entries(files).map(([file, { source, mutants }]) => {
    const again = new Map((later.files[file]?.mutants ?? []).map((mutant) => [placeOf(mutant), mutant]));
    const seen = mutants.map((mutant) => {
      const other = isAlive(mutant) ? again.get(placeOf(mutant)) : undefined;
      return other === undefined || other.status === "Ignored" ? mutant : other;
    });
    return [file, { source, mutants: seen }];
  });
  return { files: Object.fromEntries(looks) };
}

function isAlive({ status }) {
  return status === "Survived" || status === "NoCoverage";
}

function placeOf({ location, replacement }) {
  return JSON.stringify([location, replacement]);
}

function isOfClass({ file, line, replacement }, each) {
  return file.startsWith(each.file) && replacement === each.replacement && new RegExp(each.lines).test(line);
}

function keyOf({ file, line, replacement }) {
  return JSON.stringify([file, line, replacement]);
}

function readScores() {
  return existsSync(scoresFile) ? JSON.parse(readFileSync(scoresFile, "utf8")) : {};
}

/** Notes the score of a room, in place of the one that it had. */
export function recordScore(room, { tried, killed, byTime, equivalents, about, seed, isBeside }) {
  const scores = readScores();
  const part = (about === undefined ? "all" : `${tried} by seed ${seed}`) + (isBeside ? ", own tests" : "");
  const date = new Date().toISOString().slice(0, 10);
  const ordered = Object.entries({ ...scores, [room]: { tried, killed, byTime, equivalents, part, date } }).sort();
  mkdirSync(new URL(".", scoresFile), { recursive: true });
  writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(ordered), undefined, 2)}\n`);
}

/** A row a room: what was tried when, and which share of it was noticed. */
export function printTable() {
  const rows = Object.entries(readScores()).map(([room, { tried, killed, byTime, equivalents, part, date }]) => {
    const share = `${((100 * killed) / tried).toFixed(1)} %`;
    return [room, part, date, `${killed} of ${tried}`, share, `${byTime}`, `${equivalents}`];
  });
  const head = ["room", "mutants", "tried on", "killed", "share", "by time", "equivalent"];
  for (const row of [head, head.map(() => "---"), ...rows]) process.stdout.write(`| ${row.join(" | ")} |\n`);
}
