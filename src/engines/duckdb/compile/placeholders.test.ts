import { describe, expect, it } from "vitest";
import { numberPlaceholders } from "./placeholders.ts";

describe("numberPlaceholders", () => {
  it("renumbers placeholders by their first occurrence", () => {
    expect(numberPlaceholders("SELECT $12, $3, $12 + $1")).toEqual({ sql: "SELECT $1, $2, $1 + $3", used: [12, 3, 1] });
  });

  it("leaves literals and quoted names unchanged, including doubled quotes", () => {
    const sql = `SELECT '$1 it''s $2', "a""$3", $2, '%$'`;
    expect(numberPlaceholders(sql)).toEqual({ sql: `SELECT '$1 it''s $2', "a""$3", $1, '%$'`, used: [2] });
  });

  it("does not read a dollar sign without a number as a placeholder", () => {
    expect(numberPlaceholders("SELECT '$', $ || $1")).toEqual({ sql: "SELECT '$', $ || $1", used: [1] });
    expect(numberPlaceholders("SELECT 1")).toEqual({ sql: "SELECT 1", used: [] });
  });
});
