// `npm run release`: checks that this tree can be released, and prints the commands that do it (docs/releasing.md).
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const tag = `v${version}`;

function git(...words) {
  return spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout.trim();
}

function refuse(reason) {
  process.stderr.write(`not released: ${reason}\n`);
  process.exit(1);
}

/** The changelog's newest section, without its title. */
function readNotes() {
  const [, section = ""] = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
  const [title = "", ...lines] = section.split("\n");
  if (title.trim() !== version)
    refuse(`CHANGELOG.md begins with ${title.trim() || "nothing"}, package.json says ${version}`);
  return lines.join("\n").trim();
}

function run(script) {
  process.stdout.write(`== ${script}\n`);
  const { status } = spawnSync("npm", ["run", "-s", script], { cwd: root, stdio: "inherit" });
  if (status !== 0) refuse(`npm run ${script} failed`);
}

const notes = readNotes();
if (notes === "") refuse(`CHANGELOG.md says nothing about ${version}`);
if (git("status", "--porcelain") !== "") refuse("the tree has changes that are not committed");
if (git("tag", "--list", tag) !== "") refuse(`the tag ${tag} exists`);

run("package:test");
const builder = ["buildah", "docker"].find((tool) =>
  process.env.PATH?.split(":").some((path) => existsSync(join(path, tool))),
);
if (builder === "buildah") run("image:test");
else process.stdout.write("== image:test was left out: it builds with buildah, which is not here\n");

process.stdout.write(`
${name} ${version} can be released:

    git tag --annotate ${tag} --message "${name} ${version}"
    git push origin main ${tag}
    npm publish
    ${builder ?? "docker"} build --file deploy/Dockerfile --tag ${name}:${version} .
    ${builder ?? "docker"} push ${name}:${version} REGISTRY/${name}:${version}
`);
