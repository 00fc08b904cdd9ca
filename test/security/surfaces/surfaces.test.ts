import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../acceptance/service.ts";
import { cases, fillWorld, makeToken } from "./cases.ts";
import { mcpSurface } from "./mcp-surface.ts";
import { httpSurface, type SurfaceCaller } from "./surface.ts";

const surfaces = [httpSurface, mcpSurface];

let service: Service;

beforeAll(async () => {
  service = await startService({ isStopped: true });
  await fillWorld(service);
});

afterAll(() => service.stop());

it("every surface is held to at least 30 cases", () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
});

describe.each(surfaces)("by $name", ({ connect }) => {
  it.each(cases)("$name", async ({ token: document, headers = {}, play }) => {
    const { token, revoke } = await makeToken(service, document);
    const opened: SurfaceCaller[] = [];
    const open = async (of: string) => {
      const caller = await connect(service, of, headers);
      opened.push(caller);
      return caller;
    };
    const connectOther = async (other: object) => open((await makeToken(service, other)).token);
    try {
      await play({ caller: await open(token), revoke, connect: connectOther });
    } finally {
      await Promise.all(opened.map((each) => each.close()));
    }
  });
});
