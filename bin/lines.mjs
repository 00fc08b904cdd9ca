// `npm run lines [-- REV]`: the lines of each room of src/, tests left out, beside those of a revision.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [revision] = process.argv.slice(2);
const git = (...args) => execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 30 });

const isCode = (file) => /^src\/.*\.ts$/.test(file) && !/\.(?:test|long)\.ts$|\/testing\//.test(file);

/** The folder below `src/`; in `src/engines/` the one below that. */
function roomOf(file) {
  const [, room = "", inner = ""] = file.split("/");
  return room === "engines" ? `engines/${inner}` : room;
}

const countOf = (text) => text.split("\n").length - 1;

/** Sums the lines of files by room; `read` gives a file's text. */
function byRoom(files, read) {
  const sums = new Map();
  for (const file of files.filter(isCode)) sums.set(roomOf(file), (sums.get(roomOf(file)) ?? 0) + countOf(read(file)));
  return sums;
}

const listed = (...args) =>
  git(...args)
    .split("\n")
    .filter(Boolean);
const now = byRoom(listed("ls-files", "--cached", "--others", "--exclude-standard", "src"), (file) =>
  readFileSync(file, "utf8"),
);
const then =
  revision === undefined
    ? new Map()
    : byRoom(listed("ls-tree", "-r", "--name-only", revision, "src"), (file) => git("show", `${revision}:${file}`));

const rooms = [...new Set([...now.keys(), ...then.keys()])].sort();
const sum = (counts, rest) => rest.reduce((total, room) => total + (counts.get(room) ?? 0), 0);
const groups = [
  ...rooms.map((room) => [room, [room]]),
  ["engines and semantics", rooms.filter((room) => room.startsWith("engines/") || room === "semantics")],
  ["all", rooms],
];
for (const [name, own] of groups) {
  const [before, after] = [sum(then, own), sum(now, own)];
  const change = revision === undefined ? "" : `${String(before).padStart(8)}${String(after - before).padStart(8)}`;
  console.log(`${name.padEnd(24)}${String(after).padStart(8)}${change}`);
}
