import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { openHttpClient } from "./http-client.ts";

it("a client keeps its connections between calls, and opens new ones after a rest, which may have ended them", async () => {
  let connections = 0;
  const server = createServer((_, response) => response.end("{}")).on("connection", () => ++connections);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let nowMs = 1_000;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = openHttpClient(url, "token", 4, () => nowMs);
  const ask = async () => {
    await client.send({ method: "GET", path: "/" });
    return connections;
  };
  expect([await ask(), await ask()]).toEqual([1, 1]);
  nowMs += 10_000;
  expect(await ask()).toBe(1);
  nowMs += 10_001;
  expect([await ask(), await ask()]).toEqual([2, 2]);
  client.close();
  server.close();
});
