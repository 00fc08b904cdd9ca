import { describe, expect, it } from "vitest";
import { ServiceError } from "../../shared/errors.ts";
import { UserError } from "../../shared/user-error.ts";
import {
  describeStartFailure,
  fromDriver,
  isConnectionLost,
  isLockTimeout,
  metadataUnavailable,
} from "./database-error.ts";
import type { DatabasePlace } from "./database-url.ts";

const failing = (code: string | undefined, message = "m") => Object.assign(new Error(message), { code });

describe("a driver error", () => {
  it.each(["22P02", "23505", "42703"])(
    "with the code %s belongs to the statement and is returned unchanged",
    (code) => {
      const error = failing(code);
      expect(fromDriver(error)).toBe(error);
    },
  );

  it("that is already a service error is returned unchanged", () => {
    for (const error of [metadataUnavailable("m"), new UserError("m")]) expect(fromDriver(error)).toBe(error);
  });

  it("for a text that PostgreSQL cannot store becomes a validation error", () => {
    const cause = failing("22021");
    expect(fromDriver(cause)).toMatchObject({
      code: "validation_failed",
      message: "Nothing was saved: a text has the character U+0000",
      details: { hint: "PostgreSQL keeps every character but this one." },
      cause,
    });
  });

  it.each([
    ["55P03", "Another node is in the middle of a change"],
    ["25006", "The database of the metadata is read-only"],
    ["57P01", "The database of the metadata does not answer"],
    ["ECONNREFUSED", "The database of the metadata does not answer"],
    ["422", "The database of the metadata does not answer"],
    [undefined, "The database of the metadata does not answer"],
  ])("with the code %s becomes a retryable error of the database", (code, message) => {
    const cause = failing(code);
    const error = fromDriver(cause);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: "metadata_unavailable", message, cause, details: { retryAfterSeconds: 2 } });
  });

  it("is recognized as a lock timeout before and after conversion", () => {
    expect([failing("55P03"), fromDriver(failing("55P03"))].map(isLockTimeout)).toEqual([true, true]);
    expect([failing("25006"), fromDriver(failing("25006")), undefined, null].map(isLockTimeout)).toEqual(
      Array(4).fill(false),
    );
  });

  it.each([
    ["08006", true],
    ["57P01", true],
    ["25P03", true],
    ["25P02", false],
    ["55P03", false],
    ["57014", false],
    ["23505", false],
    ["ECONNRESET", true],
    ["EPIPE", true],
    ["E1234", true],
    [undefined, true],
  ])("with the code %s means a lost connection: %s", (code, isLost) => {
    expect(isConnectionLost(failing(code))).toBe(isLost);
  });
});

describe("a failed start", () => {
  const place: DatabasePlace = {
    host: "h",
    port: 5432,
    database: "d",
    user: "u",
    password: undefined,
    tls: {},
    shown: "PostgreSQL h:5432/d",
  };
  const plain: DatabasePlace = { ...place, tls: false };
  const said = (error: unknown, to = place) => {
    const { message, cause } = describeStartFailure(error, to);
    expect(cause).toBe(error);
    return /^PostgreSQL h:5432\/d cannot be used: (.*)\. It is named by LOGWEIR_METADATA_URL$/.exec(message)?.[1];
  };

  it.each([
    ["28P01", "m", "it refused the user u: m. Check the user and the password"],
    ["28000", "m", "it refused the user u: m. Check the user and the password"],
    [
      undefined,
      "client password must be a string",
      "it refused the user u: client password must be a string. Check the user and the password",
    ],
    ["3D000", "m", "there is no database d. Make it: createdb -O u d"],
    [
      "42501",
      "m",
      "the user u may not do what is needed (m). Make it the owner of the database, or GRANT CREATE ON SCHEMA public",
    ],
    ["42P07", "m", "it holds tables of something else (m). Give Logweir a database of its own"],
    ["53300", "m", "it has no connection left (m)"],
    ["25006", "m", "it is read-only, as a standby is. Name the primary"],
    ["ENOTFOUND", "m", "there is no host h (ENOTFOUND)"],
    ["EAI_AGAIN", "m", "there is no host h (EAI_AGAIN)"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed", "TLS failed: self-signed. Check sslmode, and sslrootcert"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "m", "TLS failed: m. Check sslmode, and sslrootcert"],
    ["ECONNREFUSED", "refused", "refused"],
  ])("by %s (%s) explains what to do", (code, message, expected) => {
    expect(said(failing(code, message))).toBe(expected);
  });

  it("on a server that requires TLS explains how to enable it", () => {
    for (const message of ["no pg_hba.conf entry, no encryption", "SSL off"]) {
      expect(said(failing("28000", message), plain)).toBe(`it asks for TLS (${message}). Add ?sslmode=verify-full`);
      expect(said(failing("28000", message))).toContain("it refused the user u");
    }
    expect(said(failing("08P01", "SSL required"), plain)).toBe(
      "it asks for TLS (SSL required). Add ?sslmode=verify-full",
    );
  });

  it("at several addresses reports the first failure, and any other thrown value", () => {
    expect(said(new AggregateError([failing("ECONNREFUSED", "first"), failing("x", "second")], ""))).toBe("first");
    expect(said(new AggregateError([failing("ECONNREFUSED", "")], "all"))).toBe("all");
    expect(said("a text")).toBe("a text");
    const own = new UserError("own");
    expect(describeStartFailure(own, place)).toBe(own);
  });
});
