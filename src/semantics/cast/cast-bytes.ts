import { trimEnd } from "../../values/trim-end.ts";
import { decodeDigits, encodeBase32 } from "../text/bytes.ts";

/**
 * CAST between BYTES and STRING with FORMAT. Source: GoogleSQL's "Format bytes as string" and "Format string as
 * bytes".
 */

const BASE64M_LINE = 76;

/** The bytes as one number, in so many digits of a radix of two or eight as they may need. */
function encodeNumber(bytes: Uint8Array, radix: 2 | 8): string {
  if (bytes.length === 0) return "";
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  const digits = Math.ceil((bytes.length * 8) / Math.log2(radix));
  return BigInt(`0x${hex}`).toString(radix).padStart(digits, "0");
}

/** Bytes of eight digits each in base 2; in base 8, bytes of fewer digits than the eight that make three. */
const LEFT_BYTES: Readonly<Record<2 | 8, readonly number[]>> = {
  2: [0, 1, 1, 1, 1, 1, 1, 1],
  8: [0, 1, 1, 1, 2, 2, 2, 3],
};

/** The last bytes of the number that the digits are. */
function decodeNumber(text: string, radix: 2 | 8): Uint8Array {
  if (!(radix === 2 ? /^[01]*$/ : /^[0-7]*$/).test(text)) throw invalidText(text, `BASE${radix}`);
  const size = Math.floor(text.length / 8) * (radix === 2 ? 1 : 3) + (LEFT_BYTES[radix][text.length % 8] ?? 0);
  if (size === 0) return new Uint8Array();
  const hex = BigInt(`${radix === 2 ? "0b" : "0o"}${text}`).toString(16);
  return new Uint8Array(Buffer.from(hex.padStart(size * 2, "0").slice(-size * 2), "hex"));
}

function invalidText(text: string, format: string): Error {
  return new Error(`Failed to decode invalid ${format} string: ${JSON.stringify(text)}`);
}

function formatName(format: string): string {
  const name = format.toUpperCase();
  return name === "BASE16" ? "HEX" : name === "UTF8" ? "UTF-8" : name;
}

function invalidFormat(format: string): Error {
  return new Error(
    `Invalid format '${format}'; BYTES have HEX, BASE2, BASE8, BASE16, BASE32, BASE64, BASE64M, ASCII and UTF-8`,
  );
}

/** Throws for bytes that the format cannot show, and for an unknown format. */
export function formatBytes(bytes: Uint8Array, format: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (formatName(format)) {
    case "HEX":
      return buffer.toString("hex");
    case "BASE2":
      return encodeNumber(bytes, 2);
    case "BASE8":
      return encodeNumber(bytes, 8);
    case "BASE32":
      return encodeBase32(bytes);
    case "BASE64":
      return buffer.toString("base64");
    case "BASE64M":
      return buffer.toString("base64").replace(new RegExp(`.{${BASE64M_LINE}}(?=.)`, "g"), "$&\n");
    case "ASCII":
      if (bytes.some((byte) => byte > 127)) throw new Error("BYTES with a byte beyond 127 are no ASCII");
      return buffer.toString("latin1");
    case "UTF-8":
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        throw new Error("Invalid cast of bytes to UTF8 string");
      }
    default:
      throw invalidFormat(format);
  }
}

/** Throws for a text that the format cannot have made, and for an unknown format. */
export function parseBytes(text: string, format: string): Uint8Array {
  switch (formatName(format)) {
    case "HEX":
      if (!/^[0-9a-fA-F]*$/.test(text)) throw invalidText(text, "HEX");
      return new Uint8Array(Buffer.from(text.length % 2 === 1 ? `0${text}` : text, "hex"));
    case "BASE2":
      return decodeNumber(text, 2);
    case "BASE8":
      return decodeNumber(text, 8);
    case "BASE32":
      if (!/^[A-Za-z2-7]*=*$/.test(text)) throw invalidText(text, "BASE32");
      return decodeDigits(trimEnd(text, "=").toUpperCase()) ?? new Uint8Array();
    case "BASE64":
    case "BASE64M": {
      const compact = text.replace(/[\t-\r ]+/g, "");
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.replace(/=/g, "").length % 4 === 1) {
        throw invalidText(text, "BASE64");
      }
      return new Uint8Array(Buffer.from(compact, "base64"));
    }
    case "ASCII":
      if (/[^\0-\x7f]/.test(text)) throw new Error("STRING with a character beyond 127 is no ASCII");
      return new Uint8Array(Buffer.from(text, "latin1"));
    case "UTF-8":
      return new Uint8Array(Buffer.from(text, "utf8"));
    default:
      throw invalidFormat(format);
  }
}
