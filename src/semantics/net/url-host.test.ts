import { describe, expect, it } from "vitest";
import { hostOf, publicSuffixOf, registrableDomainOf } from "./url-host.ts";

describe("hostOf", () => {
  it.each([
    ["https://user:pa@ss@h.example:443/p?q=@x#f", "h.example"],
    ["\\\\server\\share", "server"],
    ["http:\\\\a.b\\c", "a.b"],
    ["javascript:alert(1)", "javascript"],
    ["mailto:foo@bar.com", "bar.com"],
    ["https://[2001:db8::1]:8080/", "[2001:db8::1]"],
    ["HTTP://EXAMPLE.com", "EXAMPLE.com"],
    ["a.b:80", "a.b"],
    ["...a.b...", "a.b."],
    ["http://", undefined],
    ["   ", undefined],
  ])("finds in %j the host %s", (url, host) => {
    expect(hostOf(url)).toBe(host);
  });
});

describe("the public suffix and the registrable domain", () => {
  it.each([
    ["www.example.com", "com", "example.com"],
    ["a.b.example.co.uk", "co.uk", "example.co.uk"],
    ["example.COM.", "COM.", "example.COM."],
    ["münchen.de", "de", "münchen.de"],
    ["shop.example.xn--fiqs8s", "xn--fiqs8s", "example.xn--fiqs8s"],
    ["a.b.c.mm", "c.mm", "b.c.mm"],
    ["site.chuo.kobe.jp", "chuo.kobe.jp", "site.chuo.kobe.jp"],
    ["www.ck", "ck", "www.ck"],
    ["foo.www.ck", "ck", "www.ck"],
    ["x.compute.amazonaws.com", "x.compute.amazonaws.com", undefined],
    ["proj.supabase.co", "supabase.co", "proj.supabase.co"],
    ["localhost", undefined, undefined],
    ["10.0.0.1", undefined, undefined],
    ["a..com", undefined, undefined],
    ["com", "com", undefined],
    ["shop.公司.cn", "公司.cn", "shop.公司.cn"],
    ["ck", "ck", undefined],
    ["a.example.unlisted", undefined, undefined],
  ])("of %s are %s and %s", (host, suffix, domain) => {
    expect(publicSuffixOf(`https://${host}/path`)).toBe(suffix);
    expect(registrableDomainOf(`https://${host}/path`)).toBe(domain);
  });
});
