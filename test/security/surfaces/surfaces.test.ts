import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../acceptance/service.ts";
import { isWhole } from "../../support/sample-size.ts";
import { bigQuerySurface } from "./bigquery-surface.ts";
import { cases, fillService, keySet, makeToken, pinForms, type TokenDocument } from "./cases.ts";
import { lokiSurface } from "./loki-surface.ts";
import { mcpSurface } from "./mcp-surface.ts";
import { getSurface, naming, postSurface, type SurfaceCaller } from "./surface.ts";

const surfaces = [getSurface, postSurface, mcpSurface, bigQuerySurface, lokiSurface];

const folder = mkdtempSync(join(tmpdir(), "logweir-surfaces-"));
let service: Service;

beforeAll(async () => {
  const keys = join(folder, "keys.json");
  writeFileSync(keys, JSON.stringify(keySet));
  service = await startService({ isStopped: true, env: { LOGWEIR_JWT_KEYS: keys } });
  await fillService(service);
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("every surface is held to at least 30 cases", () => {
  const names = new Set(cases.map(({ name }) => name));
  for (const { omits = new Map<string, string>() } of surfaces) {
    expect([...omits.keys()].filter((name) => !names.has(name))).toEqual([]);
    expect(names.size - omits.size).toBeGreaterThanOrEqual(30);
  }
});

/** Each case in every form of a pin in the whole long suites; elsewhere in one of them, in turns. */
const combined = surfaces.flatMap((surface) =>
  pinForms.map((form, turn) => {
    const held = cases.filter(({ name, isRevoking }) => {
      return surface.omits?.has(name) !== true && !(form.isSigned && isRevoking);
    });
    const played = isWhole ? held : held.filter((_, index) => index % pinForms.length === turn);
    return { surface, form, played };
  }),
);

describe.each(combined)("by $surface.name, pinned by $form.name,", ({ surface, form, played }) => {
  it.each(played)("$name", async ({ token: document, headers = {}, play }) => {
    const opened: SurfaceCaller[] = [];
    const open = async (of: TokenDocument | undefined) => {
      const made = await makeToken(service, form, of);
      const caller = naming(await surface.connect(service, made.token, headers, made.narrow), made.named);
      opened.push(caller);
      return { caller, revoke: made.revoke };
    };
    try {
      const { caller, revoke } = await open(document);
      await play({ caller, form, revoke, connect: async (other) => (await open(other)).caller });
    } finally {
      await Promise.all(opened.map((each) => each.close()));
    }
  });
});
