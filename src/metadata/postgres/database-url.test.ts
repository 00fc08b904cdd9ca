import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { maskDatabaseUrl } from "../../config/mask-database-url.ts";
import { UserError } from "../../shared/user-error.ts";
import { readDatabaseUrl } from "./database-url.ts";

/** The message for the operator who starts the service. */
function refusalOf(url: string): string {
  try {
    return readDatabaseUrl(url).shown;
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return error instanceof Error ? error.message : "";
  }
}

describe("a database URL", () => {
  it.each([
    ["postgres://u:p#q@h/d", "is no URL"],
    ["mysql://u@h/d", "begins with mysql://"],
    ["postgres://u:a@b#c@h/d", "names no"],
    ["postgres://h/d", "names no user"],
    ["postgres://u@h", "names no database"],
    ["postgres:///d?host=/tmp", "names no user"],
    ["postgres://u@/d", "is no URL"],
    ["postgres://u:hunter2@h/d?password=hunter2", "has the option password"],
    ["postgres://u:hunter2@h/d?sslmode=prefer", "has an sslmode that is none of"],
    ["postgres://u:hunter2@h/d?sslmode=verify-full&sslrootcert=/nowhere", "names the file /nowhere"],
    ["postgres://u:%zz@h/d", "has a broken percent escape"],
    ["postgres://u:hunter2@h/d?host=a,b", "names several hosts"],
  ])("%s is refused without showing its password", (url, told) => {
    const message = refusalOf(url);
    expect(message).toContain(`LOGWEIR_METADATA_URL ${told}`);
    expect(message).not.toContain("hunter2");
  });

  it("is parsed into its parts in every valid form", () => {
    expect(readDatabaseUrl("postgresql://us%40er:p%2Fw@[::1]:5433/d%20b")).toEqual({
      host: "::1",
      port: 5433,
      database: "d b",
      user: "us@er",
      password: "p/w",
      tls: false,
      shown: "PostgreSQL [::1]:5433/d b",
    });
    const socket = readDatabaseUrl("postgres://u@localhost/d?host=/run/postgresql&sslmode=require");
    expect(socket).toMatchObject({ host: "/run/postgresql", port: 5432, tls: { rejectUnauthorized: false } });
  });

  it("names the files of its certificates, or those of the system", () => {
    const file = new URL(import.meta.url).pathname;
    const content = readFileSync(file);
    const tlsOf = (options: string) => readDatabaseUrl(`postgres://u@h/d?${options}`).tls;
    expect(tlsOf("sslmode=verify-full")).toEqual({});
    expect(tlsOf("sslmode=verify-full&sslrootcert=system")).toEqual({});
    expect(tlsOf(`sslmode=verify-full&sslrootcert=${file}&sslcert=${file}&sslkey=${file}`)).toEqual({
      ca: content,
      cert: content,
      key: content,
    });
    expect(tlsOf(`sslmode=require&sslrootcert=${file}`)).toEqual({
      ca: content,
      checkServerIdentity: expect.any(Function),
    });
    expect(tlsOf("sslmode=verify-ca")).toEqual({ checkServerIdentity: expect.any(Function) });
    expect(() => tlsOf("sslmode=verify-full&sslkey=/nowhere.key")).toThrow(
      "LOGWEIR_METADATA_URL names the file /nowhere.key as sslkey, which is not there",
    );
  });

  it.each([
    ["postgres://u:hunter2@h:5/d?sslmode=require", "postgres://u:********@h:5/d?sslmode=require"],
    ["postgresql://u:hunter2@h/d?password=hunter2", "postgresql://u:********@h/d?password=********"],
    ["postgres://u@h/d#hunter2", "postgres://u@h/d"],
    ["hunter2", "(set)"],
    ["redis://u:hunter2@h", "(set)"],
  ])("%s is shown as %s", (url, shown) => {
    expect(maskDatabaseUrl(url)).toBe(shown);
  });
});
