/**
 * The host of a URL and its public suffix. Source: NET.HOST, NET.PUBLIC_SUFFIX and NET.REG_DOMAIN of the GoogleSQL
 * reference, over the list of publicsuffix.org.
 */
import { domainToASCII } from "node:url";
import { parse } from "tldts";
import { trimBoth, trimEnd } from "../../values/trim-end.ts";

const SCHEME = /^[^#?/\\@:]*:[/\\]{2}/;

/**
 * The host as it is written, or undefined where there is none. A scheme counts only when `//` follows it; the text need
 * be no valid URL.
 */
export function hostOf(url: string): string | undefined {
  const text = trimBoth(url, "\t\n\v\f\r ");
  const afterScheme = /^[/\\]{2}/.test(text) ? text.slice(2) : text.replace(SCHEME, "");
  const authority = /^[^#?/\\]*/.exec(afterScheme)?.[0] ?? "";
  const hostAndPort = authority.slice(authority.lastIndexOf("@") + 1);
  // Colons inside the brackets of an IPv6 address part no port.
  const brackets = /^\[[^[\]]*[[\]]?/.exec(hostAndPort)?.[0] ?? "";
  const colon = hostAndPort.indexOf(":", brackets.length);
  const host = colon === -1 ? hostAndPort : hostAndPort.slice(0, colon);
  const bare = host.replace(/^\.+/, "");
  const trimmed = bare.endsWith(".") ? `${trimEnd(bare, ".")}.` : bare;
  return trimmed === "" ? undefined : trimmed;
}

/** Names of hosts, with the list's private section: `x.github.io` is a site of its own. */
const listed = { extractHostname: false, validateHostname: false, detectIp: false, allowPrivateDomains: true };

/** How many labels of a host, counted from its end, are its public suffix; 0 where the list has no rule for it. */
function suffixLength(host: string): number {
  const { publicSuffix, isIcann, isPrivate } = parse(host, listed);
  return publicSuffix !== null && (isIcann || isPrivate) ? publicSuffix.split(".").length : 0;
}

/** The public suffix and the `extra` labels before it, as written in the host. */
function suffixOf(url: string, extra: number): string | undefined {
  const host = hostOf(url);
  if (host === undefined || host.startsWith("[")) return undefined;
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  const ascii = /^[a-z0-9.-]*$/.test(name) ? name : domainToASCII(name);
  const labels = name.split(/[.\u3002\uff0e\uff61]/);
  const normalized = ascii.split(".");
  if (ascii === "" || labels.length !== normalized.length || normalized.includes("")) return undefined;
  const length = suffixLength(ascii);
  if (length === 0 || length + extra > labels.length) return undefined;
  const kept = labels.slice(labels.length - length - extra).join(".");
  return host.slice(name.length - kept.length);
}

/** The public suffix of the URL's host, such as `co.uk`; undefined where it has none. */
export function publicSuffixOf(url: string): string | undefined {
  return suffixOf(url, 0);
}

/** The public suffix and one label more; undefined where there is none. */
export function registrableDomainOf(url: string): string | undefined {
  return suffixOf(url, 1);
}
