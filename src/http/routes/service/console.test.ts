import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { addConsoleRoutes } from "./console.ts";

function openApp(directory: string | undefined) {
  const app = fastify();
  addConsoleRoutes(app, directory);
  return app;
}

function makeConsole(): string {
  const directory = mkdtempSync(join(tmpdir(), "console-"));
  writeFileSync(join(directory, "index.html"), '<meta name="csp-nonce" content="%NONCE%">');
  writeFileSync(join(directory, "main-1.js"), "x".repeat(2_000));
  writeFileSync(join(directory, "secret.txt"), "not served");
  return directory;
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("the console", () => {
  it("is served to browsers with a policy whose nonce is new each time", async () => {
    const app = openApp(makeConsole());
    const [first, second] = await Promise.all([1, 2].map(() => app.inject({ url: "/", headers: { accept: browser } })));
    const nonce = /content="([\w-]{20,})"/.exec(first?.body ?? "")?.[1] ?? "";
    expect(first?.headers["content-security-policy"]).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(first?.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(first?.headers).toMatchObject({ "x-frame-options": "DENY", "cache-control": "no-store", vary: "Accept" });
    expect(second?.body).not.toContain(nonce);
  });

  it("is replaced by an index of the API with relative links for other clients", async () => {
    for (const accept of ["application/json", "*/*", "text/html;q=0", ""]) {
      const response = await openApp(makeConsole()).inject({ url: "/", headers: { accept } });
      expect(response.json()).toMatchObject({ name: "Logweir", links: { openapi: "./api/openapi.json" } });
    }
  });

  it("is replaced by the index for every client when it is disabled or not built", async () => {
    for (const directory of [undefined, "/nowhere"]) {
      const app = openApp(directory);
      expect((await app.inject({ url: "/", headers: { accept: browser } })).json()).toHaveProperty("links");
      expect((await app.inject("/console/main-1.js")).statusCode).toBeGreaterThanOrEqual(404);
    }
  });

  it("serves its files compressed and immutable, and no other files", async () => {
    const app = openApp(makeConsole());
    const file = await app.inject({ url: "/console/main-1.js", headers: { "accept-encoding": "gzip" } });
    expect(file.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    for (const name of ["secret.txt", "index.html", "..%2fpackage.json", "%2e%2e/package.json"]) {
      expect((await app.inject(`/console/${name}`)).statusCode).toBeGreaterThanOrEqual(404);
    }
  });
});
