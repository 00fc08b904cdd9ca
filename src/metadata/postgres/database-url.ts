import { existsSync, readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { UserError } from "../../shared/user-error.ts";

/** Where a PostgreSQL database is, and how it is reached. */
export interface DatabasePlace {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly tls: ConnectionOptions | false;
  /** For people: without the password. */
  readonly shown: string;
}

const variable = "LOGWEIR_METADATA_URL";
const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full";
const known = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey"];

/** Reads the URL of a database. Throws `UserError`, which never shows the password. */
export function readDatabaseUrl(text: string): DatabasePlace {
  const url = parse(text);
  const { searchParams: options } = url;
  const strange = [...options.keys()].find((name) => !known.includes(name));
  if (strange !== undefined) throw refuse(`has the option ${strange}; known are ${known.join(", ")}`);
  const user = decode(url.username);
  const database = decode(url.pathname.slice(1));
  if (user === "") throw refuse("names no user");
  if (database === "" || database.includes("/")) throw refuse("names no database");
  const host = options.get("host") ?? decode(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (host === "") throw refuse("names no host");
  if (host.includes(",")) throw refuse("names several hosts; one is connected to, such as a proxy in front of them");
  const port = url.port === "" ? 5432 : Number(url.port);
  return {
    host,
    port,
    database,
    user,
    password: url.password === "" ? undefined : decode(url.password),
    tls: readTls(options),
    shown: `PostgreSQL ${host.startsWith("/") ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`}/${database}`,
  };
}

function parse(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse("is no URL");
  }
  if (url.protocol === "postgres:" || url.protocol === "postgresql:") return url;
  throw refuse(`begins with ${url.protocol}//`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse("has a broken percent escape");
  }
}

/** As libpq reads `sslmode`, but that nothing is tried with TLS first and without it then. */
function readTls(options: URLSearchParams): ConnectionOptions | false {
  const mode = options.get("sslmode") ?? "disable";
  const files = {
    ...readOption(options, "sslrootcert", "ca"),
    ...readOption(options, "sslcert", "cert"),
    ...readOption(options, "sslkey", "key"),
  };
  switch (mode) {
    case "disable":
      return false;
    case "require":
      // As with libpq, a certificate that is named is checked.
      return "ca" in files
        ? { ...files, checkServerIdentity: () => undefined }
        : { ...files, rejectUnauthorized: false };
    case "verify-ca":
      return { ...files, checkServerIdentity: () => undefined };
    case "verify-full":
      return files;
    default:
      throw refuse("has an sslmode that is none of disable, require, verify-ca and verify-full");
  }
}

function readOption(options: URLSearchParams, name: string, key: string): Record<string, Buffer> {
  const path = options.get(name);
  if (path === null || path === "system") return {};
  if (!existsSync(path)) throw refuse(`names the file ${path} as ${name}, which is not there`);
  return { [key]: readFileSync(path) };
}

function refuse(problem: string): UserError {
  return new UserError(
    `${variable} ${problem}. Its form is ${form}; in a password, @ is written as %40, / as %2F and # as %23`,
  );
}
