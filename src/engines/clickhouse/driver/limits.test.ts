import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { EngineError } from "../../contract/query-engine.ts";
import {
  askInPieces,
  chooseTransport,
  elementBytes,
  LIMIT_DEFAULTS,
  piecesOf as piecesOfItems,
  readLimits,
  ServerLimits,
} from "./limits.ts";
import { printValue } from "./parameter-form.ts";
import { toEngineError } from "./server-error.ts";

/** As a server words it. */
const fieldTooLong = () =>
  toEngineError(new Error("Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long"));

const piecesOf = (texts: readonly string[], maxBytes: number) => piecesOfItems(texts, elementBytes, maxBytes);
const bytesOf = (texts: readonly string[]) => Buffer.byteLength(printValue(texts));

function limitsOf(fieldBytes: number): ServerLimits {
  const limits = new ServerLimits();
  limits.take({ ...LIMIT_DEFAULTS, http_max_field_value_size: fieldBytes });
  return limits;
}

const texts = fc.array(fc.string({ unit: codePoint, maxLength: 300 }), { maxLength: 60 });

describe("texts for a server", () => {
  it("are cut into fields that it takes, and none is lost or sent twice", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4_096, max: 20_000 }), (all, maxBytes) => {
        const pieces = piecesOf(all, maxBytes);
        expect(pieces.flat()).toEqual(all);
        for (const piece of pieces) expect(bytesOf(piece)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it("go in as few fields as their limit allows", () => {
    const uuids = Array.from({ length: 7_000 }, () => crypto.randomUUID());
    expect(piecesOf(uuids, LIMIT_DEFAULTS.http_max_field_value_size)).toHaveLength(3);
    expect(piecesOf([], 100)).toEqual([]);
    // Two quotes, a comma or brackets.
    expect(piecesOf(["a".repeat(46), "b".repeat(46)], 99)).toHaveLength(1);
    expect(piecesOf(["a".repeat(46), "b".repeat(46)], 98)).toHaveLength(2);
  });

  it("are refused with the name of the limit where a single one is longer than it", () => {
    expect(piecesOf(["a".repeat(96)], 100)).toHaveLength(1);
    expect(() => piecesOf(["a".repeat(97)], 100)).toThrow(
      /^An id has 101 bytes.* takes 100 \(http_max_field_value_size\)/,
    );
  });

  it("are cut smaller when a server refuses what its settings allow, and asked for once each", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 4_096, max: 40_000 }), async (all, trueBytes) => {
        const limits = limitsOf(131_072);
        const asked: string[] = [];
        const rows = await askInPieces({ limits }, all, elementBytes, async (piece) => {
          if (bytesOf(piece) > trueBytes) throw fieldTooLong();
          asked.push(...piece);
          return piece.map((text) => [text]);
        });
        expect(asked).toEqual(all);
        expect(rows.flat()).toEqual(all);
      }),
    );
  });

  it("fail with the server's refusal when it refuses everything", async () => {
    const limits = limitsOf(131_072);
    const refusing = askInPieces({ limits }, ["a"], elementBytes, () => Promise.reject(fieldTooLong()));
    await expect(refusing).rejects.toMatchObject({ code: "limit_exceeded" });
    expect(limits.pieceBytes).toBe(4_096);
    const other = new EngineError("timeout", "late");
    await expect(askInPieces({ limits }, ["a"], elementBytes, () => Promise.reject(other))).rejects.toBe(other);
  });
});

describe("the limits of a server", () => {
  it("are those of its settings, and the defaults for what it does not know", async () => {
    const values = await readLimits(async () => [
      ["http_max_field_value_size", "8192"],
      ["http_max_fields", "500"],
    ]);
    expect(values).toEqual({ ...LIMIT_DEFAULTS, http_max_field_value_size: 8_192, http_max_fields: 500 });
  });

  it("never allow longer pieces than an unchanged server: its default profile counts, and cannot be asked for", () => {
    expect(limitsOf(10_000_000).pieceBytes).toBe(131_072);
    expect(limitsOf(5_000).pieceBytes).toBe(5_000);
  });
});

describe("a statement with its values", () => {
  const send = (statement: string, values: readonly string[], limits = LIMIT_DEFAULTS as typeof LIMIT_DEFAULTS) => {
    const params = Object.fromEntries(values.map((value, index) => [`p${index}`, value]));
    return chooseTransport({ statement, params, address: "query_id=1" }, limits);
  };

  it("travels in the address while that is short, and as a form beyond", () => {
    expect(send("SELECT 1", ["a".repeat(4_000)])).toBe("address");
    expect(send("SELECT 1", ["a".repeat(5_000)])).toBe("form");
    expect(send("SELECT 1", ["a".repeat(131_072)])).toBe("form");
  });

  it("travels in the address where the statement is longer than a field of a form", () => {
    expect(send("x".repeat(131_073), ["a".repeat(100_000)])).toBe("address");
    expect(() => send("x".repeat(131_073), Array(11).fill("a".repeat(100_000)))).toThrow(/http_max_uri_size/);
  });

  it("is refused with the limit and both sizes where a value is longer than a field", () => {
    expect(() => send("SELECT 1", ["a".repeat(131_073)])).toThrow(
      /^A value of the call has 131073 bytes, and the ClickHouse server takes 131072 \(http_max_field_value_size\)/,
    );
  });
});
