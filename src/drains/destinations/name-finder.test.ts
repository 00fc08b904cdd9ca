import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { createNameFinder, createNameProbe } from "./name-finder.ts";

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const address = [{ address: "192.0.2.1", family: 4 }];
const isSilent = (name: string) => name.startsWith("silent");

/** A finder over look-ups that a test ends itself. */
function open() {
  const running = new Map<string, { resolve(found: typeof address): void; reject(error: Error): void }>();
  const asked: string[] = [];
  const finder = createNameFinder({
    lookUp(name) {
      asked.push(name);
      const found = new Promise<typeof address>((resolve, reject) => running.set(name, { resolve, reject }));
      return found.finally(() => running.delete(name));
    },
    isAnswered: async (name) => !isSilent(name),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { finder, running, asked, turn };
}

const again = () => Object.assign(new Error("no answer"), { code: "EAI_AGAIN" });

describe("names of destinations", () => {
  it("are found at once while no server answers about others, which take turns", async () => {
    const { finder, running, asked, turn } = open();
    const silent = Array.from({ length: 100 }, (_, index) => finder.find(`silent${index}`).catch(() => "failed"));
    await turn();
    const good = Array.from({ length: 5 }, (_, index) => finder.find(`good${index}`));
    await turn();
    expect([...running.keys()]).toEqual(["silent0", "good0", "good1", "good2", "good3", "good4"]);
    for (const look of running.values()) look.resolve(address);
    expect(await Promise.all(good)).toEqual(Array(5).fill(address));
    await turn();
    running.get("silent1")?.reject(again());
    await turn();
    expect([...running.keys()]).toEqual(["silent2"]);
    expect(asked).toHaveLength(8);
    finder.close();
    running.get("silent2")?.resolve(address);
    expect((await Promise.all(silent)).filter((each) => each !== "failed")).toHaveLength(2);
    expect(asked).toHaveLength(8);
  });

  it("are looked up once for all who ask at the same time, and again later", async () => {
    const { finder, running, asked, turn } = open();
    const both = [finder.find("good"), finder.find("good")];
    await turn();
    running.get("good")?.resolve(address);
    expect(await Promise.all(both)).toEqual([address, address]);
    void finder.find("good");
    await turn();
    expect(asked).toEqual(["good", "good"]);
  });

  it("wait for their turn too once their servers were silent behind an answer, until they answer again", async () => {
    const { finder, running, turn } = open();
    const end = async (name: string, isFound: boolean) => {
      const found = finder.find(name).catch(() => "failed");
      await turn();
      if (isFound) running.get(name)?.resolve(address);
      else running.get(name)?.reject(again());
      await found;
    };
    await end("moody", false);
    void finder.find("silent").catch(() => undefined);
    await turn();
    const waiting = finder.find("moody");
    await turn();
    expect([...running.keys()]).toEqual(["silent"]);
    running.get("silent")?.reject(again());
    await turn();
    running.get("moody")?.resolve(address);
    await waiting;
    void finder.find("silent").catch(() => undefined);
    await turn();
    await end("moody", true);
  });
});

describe("name servers", () => {
  /** A server that says nothing about some names, and of others that there is none, or none of a kind. */
  async function serve(): Promise<string> {
    const server = createSocket("udp4");
    closers.push(() => server.close());
    server.on("message", (question: Buffer, { port, address: host }: RemoteInfo) => {
      const name = question.subarray(13, 13 + (question[12] ?? 0)).toString();
      // Behind the labels of NAME.example and the root's.
      const isOfSix = question.readUInt16BE(13 + name.length + ".example".length + 1) === 28;
      if (isSilent(name) || (name === "half" && isOfSix)) return;
      const answer = Buffer.from(question);
      answer.writeUInt16BE(name === "none" ? 0x81_83 : 0x81_80, 2);
      server.send(answer, port, host);
    });
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    return `127.0.0.1:${server.address().port}`;
  }

  it("answer about a name also by saying that there is none, and not by half", async () => {
    const isAnswered = createNameProbe(30, [await serve()]);
    const names = ["none.example", "empty.example", "silent.example", "half.example"];
    expect(await Promise.all(names.map(isAnswered))).toEqual([true, true, false, false]);
  });

  it("do not answer where there are none", async () => {
    const closed = createSocket("udp4").bind(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address();
    closed.close();
    expect(await createNameProbe(30, [`127.0.0.1:${port}`])("none.example")).toBe(false);
  });
});
