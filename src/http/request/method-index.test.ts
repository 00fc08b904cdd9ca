import { describe, expect, it } from "vitest";
import { createMethodIndex } from "./method-index.ts";

describe("the methods of a path", () => {
  const index = createMethodIndex();
  index.add("*", ["OPTIONS", "GET"]);
  index.add("/api/things", ["GET"]);
  index.add("/api/things", ["POST"]);
  index.add("/api/things/:id", ["PUT", "OPTIONS"]);
  index.add("/api/things/:id/versions/:a.json", ["GET"]);
  index.add("/files/*", ["GET"]);

  it.each([
    ["/api/things", ["GET", "POST"]],
    ["/api/things/", ["GET", "POST"]],
    ["/api/things/a%20b", ["PUT"]],
    ["/api/things/a/versions/1.json", ["GET"]],
    ["/api/things/a/versions/1xjson", []],
    ["/api/things/a/b", []],
    ["/files/a/b", ["GET"]],
    ["/other", []],
  ])("are those of all matching routes: %s", (path, methods) => {
    expect(index.of(path)).toEqual(methods);
  });
});
