import { expect, it } from "vitest";
import { printQuery } from "../../../test/support/googlesql/print-query.ts";
import { parseClientQuery, parseQuery } from "../parse.ts";

it.each([
  ["SELECT 'it''s'", `SELECT "it's"`],
  ["SELECT 'a''b''c' AS x", `SELECT "a'b'c" AS x`],
  ["SELECT 'a'''", `SELECT "a'"`],
  ["SELECT t.x LIKE '%don''t%' FROM t", `SELECT t.x LIKE "%don't%" FROM t`],
])("parseClientQuery reads a client's %s as %s", (client, plain) => {
  expect(printQuery(parseClientQuery(client))).toBe(printQuery(parseQuery(plain)));
  expect(() => parseQuery(client)).toThrow();
});

it.each(["SELECT '', 'a', '''b''c'''", "SELECT 'a' AS `b`, 'c'", "SELECT x FROM t WHERE y = ''", "SELECT 'a' 'b'"])(
  "parseClientQuery leaves the meaning of a valid query unchanged: %s",
  (text) => {
    expect(printQuery(parseClientQuery(text))).toBe(printQuery(parseQuery(text)));
  },
);

it.each(["SELECT 'a''b", "SELECT r'a''b'", `SELECT "a""b"`])("parseClientQuery still rejects %s", (text) => {
  expect(() => parseClientQuery(text)).toThrow();
});
