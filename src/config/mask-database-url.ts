/** Options of a URL that hold no secret; whatever else is there may be a password in the wrong place. */
const shownOptions: ReadonlySet<string> = new Set(["host", "sslmode", "sslrootcert", "sslcert", "sslkey"]);

/** A database's URL as it may be printed: without its password. */
export function maskDatabaseUrl(text: string): string {
  const isUrl = /^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text);
  if (!isUrl) return "(set)";
  const url = new URL(text);
  if (url.password !== "") url.password = "********";
  for (const name of [...url.searchParams.keys()]) {
    if (!shownOptions.has(name)) url.searchParams.set(name, "********");
  }
  url.hash = "";
  return url.href;
}

/** Addresses of servers, by comma, as they may be printed: without what a user or a password may be. */
export function maskServerUrls(text: string): string {
  return text
    .split(",")
    .map((address) => (URL.canParse(address.trim()) ? new URL(address.trim()).origin : "(set)"))
    .join(",");
}
