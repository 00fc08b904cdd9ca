import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AlertFileError, loadAlerts } from "./load-alerts.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-alert-files-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const refusal = () =>
  loadAlerts(folder).then(
    () => "",
    (error: Error) => (error instanceof AlertFileError ? error.message.replaceAll(`${folder}/`, "") : String(error)),
  );

describe("alert files", () => {
  it("hold an alert in the form of the API, named like the file unless they say otherwise", async () => {
    await write("slow.yaml", "lql: f:edge\nevery: 1m\nnotify: [pager, {type: slack, url: 'https://h.example/x'}]\n");
    await write("other.yml", "name: two words\nendpoint: logs.all\nparameters: {project: p}\ncron: '0 * * * *'\n");
    await write("notes.txt", "nonsense: [");
    expect(await loadAlerts(folder)).toEqual([
      {
        path: join(folder, "other.yml"),
        form: { name: "two words", endpoint: "logs.all", parameters: { project: "p" }, cron: "0 * * * *" },
      },
      {
        path: join(folder, "slow.yaml"),
        form: {
          ...{ name: "slow", lql: "f:edge", every: "1m" },
          notify: ["pager", { type: "slack", url: "https://h.example/x" }],
        },
      },
    ]);
    expect(await loadAlerts(join(folder, "slow.yaml"))).toMatchObject([{ form: { name: "slow" } }]);
  });

  it("are reported together where they are unusable, each problem with its file, place and field", async () => {
    await write("a.yaml", "sql: select 1\nevery: 5s\nmessage: [1]\n");
    await write("b.yaml", "sql: select 1\nlql: f:edge\nevery: 5s\n");
    await write("c.yaml", "sql: select 1\nevry: 1m\n");
    await write("d.yaml", "sql: [\n");
    await write("e.yaml", "name: twin\nsql: select 1\nevery: 1m\n");
    await write("f.yaml", "name: twin\nsql: select 1\nevery: 1m\n");
    const text = await refusal();
    for (const place of [
      "a.yaml:3:1: message: ",
      "b.yaml:2:1: lql: an alert has one of endpoint, sql, lql, query",
      "b.yaml:3:1: every: must be 10 seconds or more",
      "c.yaml:2:1: evry: ",
      "d.yaml:1:6: ",
      "f.yaml: e.yaml has the same name, twin",
    ]) {
      expect(text).toContain(place);
    }
    expect(text).not.toContain("e.yaml:");
  });

  it("show nothing of their lines where they are unusable, since these may hold secrets", async () => {
    const secret = "https://h.example/s3cret?s3cret";
    for (const text of [
      `{"lql": "f:edge", "every": "1s", "notify": [{"type": "slack", "url": "${secret}"}]}`,
      `lql: f:edge\nevery: 1m\nnotify: [{type: webhook, url: "${secret}", secret: s3cret, nothing: 1}]\n`,
      `lql: f:edge\nevery: 1m\nnotify: [{type: pagerduty, key: s3cret, url: "ftp://s3cret"}]\n`,
      `lql: f:edge\nevery: 1m\nslack_hook_url: "${secret}\n`,
      `lql: f:edge\nevery: 1m\nslack_hook_url: [${secret}\n`,
      `lql: f:edge\nevery: 1m\nwebhook_notification_url: {a: ${secret}}\n`,
      `lql: f:edge\nevery: 1m\nnotify: s3cret\n`,
      `lql: f:edge\nevery: 1m\nwebhook_notification_url: "ftp://user:s3cret@h/"\n`,
    ]) {
      await write("a.yaml", text);
      const told = await refusal();
      expect(told, text).toMatch(/^a\.yaml:\d+:\d+: /);
      expect(told, text).not.toContain("s3cret");
    }
  });

  it("take no mask for a secret, and must be readable", async () => {
    await write("a.yaml", "sql: select 1\nevery: 1m\nnotify: [{type: webhook, url: 'http://h/?********'}]\n");
    expect(await refusal()).toContain("a.yaml:3:1: notify: url: must be sent again");
    await write("a.yaml", "sql: select 1\nevery: 1m\nslack_hook_url: 'http://h/********'\n");
    expect(await refusal()).toContain("a.yaml:3:1: slack_hook_url: must be sent again");
    await rm(folder, { recursive: true });
    expect(await refusal()).toMatch(/^Alerts cannot be read: ENOENT/);
  });

  it("are none in an empty folder", async () => {
    expect(await loadAlerts(folder)).toEqual([]);
  });
});
