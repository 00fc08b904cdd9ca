/** A browser of sorts: it keeps cookies by host, and follows redirects. */
export interface CookieBrowser {
  /** Calls an address as it is, with the cookies of its host. */
  fetch(url: string, options?: RequestInit): Promise<Response>;
  /** Follows redirects like a page; ends at the first answer that is none, or where `isEnd` says. */
  open(url: string, isEnd?: (url: string) => boolean): Promise<{ readonly url: string; readonly response: Response }>;
  /** The cookies of a host, by name. */
  cookies(url: string): Map<string, string>;
  /** Every `Set-Cookie` that was received, as it came. */
  readonly received: string[];
}

const maxRedirects = 20;

export function createCookieBrowser(accept = "text/html"): CookieBrowser {
  const jars = new Map<string, Map<string, string>>();
  const received: string[] = [];
  const cookies = (url: string) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const send: CookieBrowser["fetch"] = async (url, options = {}) => {
    const jar = cookies(url);
    const headers = new Headers(options.headers);
    if (!headers.has("accept")) headers.set("accept", accept);
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(url, { ...options, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      received.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0\b|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    received,
    fetch: send,
    async open(start, isEnd = () => false) {
      let url = start;
      for (let count = 0; count < maxRedirects; count++) {
        const response = await send(url);
        const place = response.headers.get("location");
        if (place === null) return { url, response };
        url = new URL(place, url).href;
        if (isEnd(url)) return { url, response };
      }
      throw new Error(`More than ${maxRedirects} redirects from ${start}`);
    },
  };
}
