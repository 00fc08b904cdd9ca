/** Options of a URL that contain no secret; any other might be a misplaced password. */
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

/** The addresses of servers, comma-separated, in printable form: without possible users and passwords. */
export function maskServerUrls(text: string): string {
  return text
    .split(",")
    .map((address) => (URL.canParse(address.trim()) ? new URL(address.trim()).origin : "(set)"))
    .join(",");
}
