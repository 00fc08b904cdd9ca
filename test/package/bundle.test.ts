import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

it("a build leaves no process behind, also where several run at once and one fails", () => {
  const script = `
    import { readdirSync, readFileSync } from "node:fs";
    import { bundle } from ${JSON.stringify(pathToFileURL("bin/bundle.mjs").href)};
    const children = () => readdirSync("/proc/self/task")
      .flatMap((id) => readFileSync(\`/proc/self/task/\${id}/children\`, "utf8").split(" ").filter(Boolean)).length;
    const one = (contents) => bundle({ stdin: { contents }, write: false, logLevel: "silent" });
    const begun = [one("1"), one("no ("), one("2")];
    let during = 0;
    const counting = setInterval(() => (during = Math.max(during, children())), 1);
    const done = await Promise.allSettled(begun);
    clearInterval(counting);
    await one("3");
    while (children() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    console.log(JSON.stringify([done.map(({ status }) => status), during]));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([["fulfilled", "rejected", "fulfilled"], 1]);
});
