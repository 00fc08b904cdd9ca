/** DuckDB's types by their names. */
import { nameSql } from "./atoms.ts";

export const BIGINT = nameSql("BIGINT");
export const BLOB = nameSql("BLOB");
export const BOOLEAN = nameSql("BOOLEAN");
export const DATE = nameSql("DATE");
export const DOUBLE = nameSql("DOUBLE");
export const HUGEINT = nameSql("HUGEINT");
export const INTEGER = nameSql("INTEGER");
export const INTERVAL = nameSql("INTERVAL");
export const TIME = nameSql("TIME");
export const TIMESTAMP = nameSql("TIMESTAMP");
export const VARCHAR = nameSql("VARCHAR");
