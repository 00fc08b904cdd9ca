import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

/** An alternative of repeated characters only: a long run that does not stand at the end takes quadratic time. */
const trailing = /(?:^|\|)(?:(?:\[(?:[^\]\\]|\\.)*\]|\\.|[^\\[\](){}|^$/])[?*+])+\$(?=$|\|)/;
const literal = /(?<=[(=,:\s!&|])\/(?![/*])((?:\[(?:[^\]\\\n]|\\.)*\]|\\.|[^\\/[\n])+)\/[dgimsuvy]*(?=[.,;)\s])/g;

const findIn = (text: string) =>
  [...text.matchAll(literal)].flatMap(([, body = ""]) => (trailing.test(body) ? body : []));

it("no regular expression trims the end of a text: trimEnd does", async () => {
  expect(findIn('a.replace(/[\\r\\n ]+$/, ""), b.replace(/^ +|=+$/g, ""), c.replace(/\\.?0+$/, "")')).toHaveLength(3);
  expect(findIn("/^a+$/.test(a), /x\\s*$/.exec(b), /(?:a|b)+$/.exec(c), a / b")).toEqual([]);
  const files = (await readdir("src", { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const found = await Promise.all(
    files.map(async (name) => findIn(await readFile(join("src", name), "utf8")).map((body) => `${name}: /${body}/`)),
  );
  expect(found.flat()).toEqual([]);
});
