import { describe, expect, it } from "vitest";
import {
  findAddresses,
  findDestinationProblem,
  mayReach,
  PrivateDestinationError,
  readDestinations,
  splitList,
} from "./private-networks.ts";

const nothing = readDestinations([]);
const hostOf = (url: string) => new URL(url).hostname;
const noNames = async () => expect.unreachable();

describe("private networks", () => {
  it.each([
    ...["http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/"],
    ...[
      "http://0x7f.1/",
      "http://0/",
      "http://0.0.0.0/",
      "http://127.255.255.254/",
      "http://\u2460\u2461\u2466.0.0.1/",
    ],
    ...["http://169.254.169.254/", "http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/"],
    ...["http://10.1.2.3/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/"],
    ...["http://100.64.0.1/", "http://100.127.255.255/", "http://198.18.0.1/", "http://224.0.0.1/"],
    ...["http://255.255.255.255/", "http://240.0.0.1/", "http://192.0.0.1/", "http://192.0.2.1/"],
    ...["http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:a9fe:a9fe]/"],
    ...["http://[0:0:0:0:0:ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[::ffff:0:10.0.0.1]/"],
    ...["http://[64:ff9b::169.254.169.254]/", "http://[64:ff9b:1::10.0.0.1]/", "http://[2002:7f00:1::]/"],
    ...["http://[fe80::1]/", "http://[febf::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/"],
    // The translator of RFC 6052 for prefixes of 48 bits takes the address from the middle: this is 10.0.0.1.
    ...["http://[64:ff9b:1:a00:0:1:808:808]/", "http://[64:ff9b:1:ffff::8.8.8.8]/", "http://[100:0:0:1::1]/"],
    ...["http://[fec0::1]/", "http://[2001:db8::1]/", "http://[2001::1]/", "http://[100::1]/"],
  ])("hold %s, which nobody may reach unless it is allowed", async (url) => {
    await expect(findAddresses(hostOf(url), nothing, noNames)).rejects.toThrow(PrivateDestinationError);
    const everywhere = readDestinations(["0.0.0.0/0", "::/0"]);
    await expect(findAddresses(hostOf(url), everywhere, noNames)).resolves.toHaveLength(1);
  });

  it.each([
    ...["http://8.8.8.8/", "http://100.63.255.255/", "http://100.128.0.1/", "http://172.15.255.255/"],
    ...["http://172.32.0.1/", "http://169.253.255.255/", "http://128.0.0.1/", "http://11.0.0.1/"],
    ...[
      "http://[2606:4700::1111]/",
      "http://[::ffff:8.8.8.8]/",
      "http://[64:ff9b::8.8.8.8]/",
      "http://[2002:808:808::]/",
    ],
  ])("do not hold %s", async (url) => {
    await expect(findAddresses(hostOf(url), nothing, noNames)).resolves.toHaveLength(1);
  });

  it("hold a name whose addresses are there, one of several among them", async () => {
    const resolve =
      (...addresses: string[]) =>
      async () =>
        addresses.map((address) => ({ address, family: 4 }));
    const find = (...addresses: string[]) => findAddresses("d.example", nothing, resolve(...addresses));
    await expect(find("10.0.0.1")).rejects.toThrow("d.example is in a private, loopback or link-local network");
    await expect(find("8.8.8.8", "127.0.0.1")).rejects.toThrow(PrivateDestinationError);
    await expect(find("8.8.8.8")).resolves.toEqual([{ address: "8.8.8.8", family: 4 }]);
  });

  it("may be reached by the names, addresses and networks that are allowed, and by no others", () => {
    const allowed = readDestinations(splitList(" Logs.Internal, 10.1.0.0/16 ,192.168.7.7,fd00::/8,, ::1"));
    const reach = (host: string, address = host) => mayReach(host, address, allowed);
    for (const address of ["10.1.255.255", "192.168.7.7", "fd12::1", "::1", "::ffff:10.1.0.1"]) {
      expect([address, reach(address)]).toEqual([address, true]);
    }
    for (const address of ["10.2.0.1", "192.168.7.8", "fe80::1", "127.0.0.1", "::ffff:10.2.0.1", "fe80::1%lo"]) {
      expect([address, reach(address)]).toEqual([address, false]);
    }
    expect(reach("logs.internal", "169.254.1.1")).toBe(true);
    expect(reach("LOGS.internal.", "10.9.9.9")).toBe(true);
    expect(reach("more.logs.internal", "10.9.9.9")).toBe(false);
    expect(reach("d.example", "no address")).toBe(false);
  });

  it("are named in the setting by entries whose problems are told", () => {
    for (const good of ["", "a", "a.b-c_d", "10.0.0.0/8,::/0", "1.2.3.4", "fd00::1 , x"]) {
      expect([good, findDestinationProblem(good)]).toEqual([good, undefined]);
    }
    expect(findDestinationProblem("a,10.0.0.0/33")).toBe('"10.0.0.0/33" must have a prefix of 0 to 32');
    expect(findDestinationProblem("::1/129")).toBe('"::1/129" must have a prefix of 0 to 128');
    expect(findDestinationProblem("10.0.0.0/8/8")).toBe('"10.0.0.0/8/8" must have a prefix of 0 to 32');
    expect(findDestinationProblem("a/8")).toBe('"a/8" is no network');
    expect(findDestinationProblem("http://a")).toBe('"http://a" is no network');
    expect(findDestinationProblem("a b")).toBe('"a b" is no host name');
  });
});
