/** Finding one's way in the bytes of JSON. */
import type { PlainNode } from "./plain-tree.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Fields that may be missing between two, for the guess to hold. */
const MAX_SKIPPED = 4;

/** The first place from there on that is no white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  return byte === undefined || byte > SPACE ? at : skipSpaces(bytes, at);
}

/** Apart from the usual case, in which there is none. */
function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[++at]);
  return at;
}

/** The place of what ends the run of a string's plain characters behind `at`: its quote, a backslash, or an error. */
export function skipString(bytes: Buffer, at: number): number {
  let end = at + 1;
  for (let byte = bytes[end]; byte !== undefined && byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE; ) {
    byte = bytes[++end];
  }
  return end;
}

/** The place behind an object or a list, whether or not it is valid; -1 where it does not end. */
export function skipContainer(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
        break;
      case 0x7b:
      case 0x5b:
        depth++;
        break;
      case 0x7d:
      case 0x5d:
        if (--depth === 0) return at + 1;
    }
  }
  return -1;
}

export function matchesName(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
}

/**
 * The field of the parent whose name is there; undefined for none whose name is stored as it is. The guess at what
 * follows `last` is corrected.
 */
export function findChild(
  bytes: Buffer,
  at: number,
  parent: PlainNode,
  last: PlainNode | undefined,
  isCleanName: (name: string) => boolean,
): PlainNode | undefined {
  let guess = last === undefined ? parent.first : last.next;
  // Where fields are missing, those behind them are known.
  for (let skipped = 0; guess !== undefined && skipped < MAX_SKIPPED; skipped++) {
    guess = guess.next;
    if (guess !== undefined && matchesName(bytes, at, guess.name)) return guess;
  }
  const end = bytes.indexOf(QUOTE, at + 1);
  if (bytes[at] !== QUOTE || end === -1) return undefined;
  const node = parent.childOf(bytes.toString("latin1", at + 1, end), isCleanName);
  if (node !== undefined && last === undefined) parent.first = node;
  else if (node !== undefined && last !== undefined) last.next = node;
  return node;
}
