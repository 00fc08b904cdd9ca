import { describe, expect, it } from "vitest";
import { personOf } from "./person.ts";
import { readRoles } from "./roles.ts";
import { createProxyReader } from "./trusted-proxy.ts";

const roles = readRoles(
  JSON.stringify({
    "ada@example.com": "private",
    support: { scopes: "query", pins: { project: "abc" }, redaction: "required" },
    own: { scopes: "query", pins: { project: { claim: "sub" } } },
  }),
);
const addresses = ["10.1.0.0/16", "127.0.0.1", "2001:db8::/32"];
const read = createProxyReader({ addresses, userHeader: "x-user", roles, now: () => 0 });
const readGroups = createProxyReader({
  addresses,
  userHeader: "x-user",
  groupsHeader: "x-groups",
  roles,
  now: () => 0,
});
const from = (remoteAddress: string | undefined, user: string[] = ["ada@example.com"], groups: string[] = []) => ({
  socket: { remoteAddress },
  rawHeaders: [
    ...["Host", "x-user"],
    ...user.flatMap((value) => ["X-User", value]),
    ...groups.flatMap((value) => ["x-groups", value]),
  ],
});

describe("a person whom a proxy names", () => {
  it.each(["10.1.255.1", "127.0.0.1", "::ffff:10.1.0.1", "::FFFF:127.0.0.1", "2001:db8::7"])("from %s", (address) => {
    const identity = read(from(address));
    expect(identity).toMatchObject({ scopes: ["private"], pins: {}, redaction: "switchable" });
    expect(personOf(identity?.tokenId ?? "")).toEqual({ name: "ada@example.com", way: "proxy" });
  });

  it.each([
    "10.2.0.1",
    "127.0.0.2",
    "::1",
    "2001:db9::1",
    // They hold an address of the list, and are somebody else's.
    "2002:7f00:1::",
    "64:ff9b::127.0.0.1",
    "::127.0.0.1",
    "fe80::1%eth0",
    "",
    undefined,
  ])("is nobody from %s", (address) => {
    expect(read(from(address))).toBeUndefined();
  });

  it.each([[[]], [[""]], [["  "]]])("is nobody where the header is %j", (user) => {
    expect(read(from("127.0.0.1", user))).toBeUndefined();
  });

  it("is refused where the header came twice, also with the same value", () => {
    const twice = ["ada@example.com", "ada@example.com"];
    expect(() => read(from("127.0.0.1", twice))).toThrow("The header x-user came more than once");
    expect(() => readGroups(from("127.0.0.1", ["eve"], ["support", "x"]))).toThrow("x-groups came more than once");
  });

  it("is refused without a role, by name", () => {
    for (const name of ["eve", "Ada@example.com", "ada@example.com, eve", "support\u0000"]) {
      expect(() => read(from("127.0.0.1", [name]))).toThrow(`${name} is signed in, but has no role here`);
    }
    expect(() => read(from("127.0.0.1", ["a".repeat(201)]))).toThrow("too long");
  });

  it("has the roles of their groups where there is a header for them, and none by their own name", () => {
    const identity = readGroups(from("127.0.0.1", ["eve"], [" other,, support "]));
    expect(identity).toMatchObject({ scopes: ["query"], pins: { project: "abc" }, redaction: "required" });
    for (const groups of [[], ["other"], ["supports"]]) {
      expect(() => readGroups(from("127.0.0.1", ["ada@example.com"], groups))).toThrow("has no role");
    }
    expect(readGroups(from("127.0.0.1", ["eve"], ["own"]))?.pins).toEqual({ project: "eve" });
  });

  it("has another id with other rights, and for another name that looks the same", () => {
    const idOf = (name: string, group: string) => readGroups(from("127.0.0.1", [name], [group]))?.tokenId;
    const ids = [idOf("a b", "support"), idOf("a_b", "support"), idOf("a b", "own"), idOf("a:b", "support")];
    expect(new Set(ids).size).toBe(4);
    expect(idOf("a b", "support")).toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^proxy:a_b:[0-9a-f]{12}$/);
  });
});
