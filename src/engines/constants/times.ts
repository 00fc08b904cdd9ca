/** Functions of constants that are times. Zones other than UTC are not computed. */
import type { CallExpr } from "../../googlesql/resolved.ts";
import type { SqlType } from "../../googlesql/types.ts";
import {
  civilFromDays,
  daysFromCivil,
  floorDivide,
  isTimestampInRange,
  MICROS_PER_DAY,
  MICROS_PER_PART,
  MONTHS_PER_PART,
} from "../../values/calendar.ts";
import type { ConstantFunction, ConstantFunctions } from "./functions.ts";
import type { ConstantValue } from "./values.ts";

function kindOf({ arguments: operands }: CallExpr, index = 0): SqlType["kind"] | undefined {
  return operands[index]?.type.kind;
}

function fromUnix(unit: bigint): ConstantFunction {
  return {
    takes: (call) => kindOf(call) === "INT64" && call.arguments.length === 1,
    call([value]) {
      const micros = BigInt(`${value}`) * unit;
      if (!isTimestampInRange(micros)) throw new Error("Timestamp value in Unix time is out of bounds");
      return micros;
    },
  };
}

function toUnix(unit: bigint): ConstantFunction {
  return { takes: (call) => kindOf(call) === "TIMESTAMP", call: ([value]) => floorDivide(BigInt(`${value}`), unit)[0] };
}

/** Days cut to their month, quarter or year. */
function cutDays(days: number, months: number): number {
  const { year, month } = civilFromDays(days);
  return daysFromCivil({ year, month: month - ((month - 1) % months), day: 1 });
}

function partOf({ arguments: operands }: CallExpr): string {
  const part = operands[1];
  return part?.kind === "DatePart" ? part.part : "";
}

function truncate(kind: SqlType["kind"]): ConstantFunction {
  return {
    takes(call) {
      const part = partOf(call);
      if (kindOf(call) !== kind || call.arguments.length !== 2) return false;
      if (MONTHS_PER_PART[part] !== undefined || part === "DAY") return true;
      return kind !== "DATE" && MICROS_PER_PART[part] !== undefined && part !== "WEEK";
    },
    call([value = null], call) {
      const part = partOf(call);
      const months = MONTHS_PER_PART[part];
      if (typeof value === "number") return months === undefined ? value : cutDays(value, months);
      const micros = BigInt(`${value}`);
      if (months === undefined) return micros - floorDivide(micros, MICROS_PER_PART[part] ?? 1n)[1];
      return BigInt(cutDays(Number(floorDivide(micros, MICROS_PER_DAY)[0]), months)) * MICROS_PER_DAY;
    },
  };
}

/** A time as one of another type, by clocks that show UTC. */
export function convertTime(value: ConstantValue, to: SqlType["kind"]): ConstantValue {
  const micros = typeof value === "number" ? BigInt(value) * MICROS_PER_DAY : BigInt(`${value}`);
  return to === "DATE" ? Number(floorDivide(micros, MICROS_PER_DAY)[0]) : micros;
}

const CONVERTED: ReadonlySet<SqlType["kind"] | undefined> = new Set(["DATE", "DATETIME", "TIMESTAMP"] as const);

function conversion(to: SqlType["kind"]): ConstantFunction {
  return {
    takes: (call) => call.arguments.length === 1 && CONVERTED.has(kindOf(call)),
    call: ([value = null]) => convertTime(value, to),
  };
}

export const timeFunctions: ConstantFunctions = {
  DATE: conversion("DATE"),
  DATE_TRUNC: truncate("DATE"),
  DATETIME: conversion("DATETIME"),
  DATETIME_TRUNC: truncate("DATETIME"),
  TIMESTAMP: conversion("TIMESTAMP"),
  TIMESTAMP_MICROS: fromUnix(1n),
  TIMESTAMP_MILLIS: fromUnix(1_000n),
  TIMESTAMP_SECONDS: fromUnix(1_000_000n),
  TIMESTAMP_TRUNC: truncate("TIMESTAMP"),
  UNIX_MICROS: toUnix(1n),
  UNIX_MILLIS: toUnix(1_000n),
  UNIX_SECONDS: toUnix(1_000_000n),
};
