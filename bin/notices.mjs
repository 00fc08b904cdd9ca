// The licences of the packages that are part of a bundle, which their authors ask to be passed on with it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the package that a bundled file is of; undefined for a file of ours. */
function packageFolderOf(file) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
  return match?.[1];
}

/** Writes one text with the name, version and licence of each package among `files`, which are paths below `root`. */
export function writeNotices(root, files, path) {
  const folders = [...new Set(files.map(packageFolderOf).filter((folder) => folder !== undefined))].sort();
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const texts = readdirSync(join(root, folder))
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(root, folder, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
  });
  writeFileSync(path, `Logweir's bundle contains these packages.\n\n${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}
