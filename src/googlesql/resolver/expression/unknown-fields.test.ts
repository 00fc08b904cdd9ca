import { describe, expect, it } from "vitest";
import { resolveText, sandboxed } from "../../../../test/support/googlesql/resolver/resolved.ts";

const from = "FROM logs AS t CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.response) AS response";
const warningsOf = (text: string) => resolveText(text).warnings?.map(({ message }) => message);

describe("the warning about a field that no event has carried", () => {
  it("suggests the nearest known field", () => {
    expect(warningsOf(`SELECT 1 ${from} WHERE response.origin_tim > 5`)).toEqual([
      "no event has carried response.origin_tim; did you mean origin_time?",
    ]);
    expect(warningsOf("SELECT metadata.response.origin_tim, metadata[0].reqest.path FROM logs")).toEqual([
      "no event has carried response.origin_tim; did you mean origin_time?",
      "no event has carried metadata.reqest; did you mean request?",
    ]);
  });

  it("points to the first use, and suggests nothing where no known field is near", () => {
    const text = `SELECT response.zzz ${from}\nWHERE response.zzz IS NULL`;
    expect(resolveText(text).warnings).toEqual([
      { code: "unknown_column", message: "no event has carried response.zzz", span: { start: 16, end: 19 } },
    ]);
  });

  it("comes in the order of the text, whichever clause is resolved first", () => {
    expect(warningsOf("SELECT metadata.bb FROM logs WHERE metadata.aa = 1 ORDER BY metadata.cc")).toEqual([
      "no event has carried metadata.bb",
      "no event has carried metadata.aa",
      "no event has carried metadata.cc",
    ]);
    expect(warningsOf("SELECT metadata.aa FROM logs WHERE metadata.aa = 1 GROUP BY metadata.aa")).toHaveLength(1);
  });

  it("is omitted if the field differs in case only, the record is open or its parent is unknown", () => {
    expect(warningsOf(`SELECT response.ORIGIN_TIME, m.extra.surprise, m.request.host ${from}`)).toBeUndefined();
    expect(warningsOf("SELECT m.nope FROM logs CROSS JOIN UNNEST(metadata.nothing) AS m")).toEqual([
      "no event has carried metadata.nothing",
    ]);
  });

  it("in the saved query of a sandbox is not shown to consumers who send their own query", () => {
    const saved = `WITH own AS (SELECT t.metadata, m.secrt ${from}) SELECT 1`;
    expect(sandboxed(saved, "SELECT secrt FROM own").warnings).toBeUndefined();
    expect(sandboxed(saved, "SELECT metadata.levl FROM own").warnings).toEqual([
      {
        code: "unknown_column",
        message: "no event has carried metadata.levl; did you mean level?",
        span: { start: 16, end: 20 },
      },
    ]);
  });
});
