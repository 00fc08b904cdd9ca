import type { FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { readCookie } from "./cookies.ts";

const overHttp = { publicUrl: undefined };
const overHttps = { publicUrl: new URL("https://logs.example.com/") };

const read = (cookie: string | undefined, place: { publicUrl: URL | undefined } = overHttp) =>
  readCookie({ headers: { cookie } } as FastifyRequest, "session", place);

describe("the cookie of a session", () => {
  it.each([
    ["is read among others", "theme=dark; logweir_session=a.b=; x=1", "a.b="],
    ["is read where the same one came twice", "logweir_session=a; logweir_session=a", "a"],
    [
      "counts as none where two differ, of which a neighbour may have set one",
      "logweir_session=a; logweir_session=b",
      undefined,
    ],
    ["is no other whose name ends or begins like it", "x_logweir_session=a; logweir_session_2=b", undefined],
    ["is none without a header", undefined, undefined],
  ])("%s", (_, header, value) => {
    expect(read(header)).toBe(value);
  });

  it("over https is only the one that no neighbour can set", () => {
    expect(read("logweir_session=theirs; __Host-logweir_session=ours", overHttps)).toBe("ours");
    expect(read("logweir_session=theirs", overHttps)).toBe(undefined);
  });
});
