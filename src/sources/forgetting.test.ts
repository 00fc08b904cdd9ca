import { describe, expect, it } from "vitest";
import { ServiceError } from "../shared/errors.ts";
import { createForgetting } from "./forgetting.ts";

const filter = { tenants: { of: ["acme"] } };

/** A store that holds some events of the filter, and other nodes, which can be out of reach, or go while it deletes. */
function openBench({ count = 2, isReachable = true, staysReachable = true } = {}) {
  const done: string[] = [];
  const reach = (isThere: boolean, what: string) => {
    if (!isThere) throw new ServiceError("metadata_unavailable", "away");
    done.push(what);
  };
  const forgetting = createForgetting({
    store: {
      countEvents: async () => count,
      deleteEvents: async () => {
        done.push("delete");
        return { matched: count, deleted: count };
      },
    },
    clearAnswers: async () => reach(isReachable && staysReachable, "clear"),
    checkOthers: async () => reach(isReachable, "check"),
    warn: (message) => void done.push(message),
  });
  forgetting.onRequest(async (source) => void done.push(`tell of ${source}`));
  return { forgetting, done };
}

describe("a deletion of events", () => {
  it("by request deletes nothing where other nodes cannot be told to forget their answers", async () => {
    const { forgetting, done } = openBench({ isReachable: false });
    await expect(forgetting.delete("edge", filter, "request")).rejects.toMatchObject({ code: "metadata_unavailable" });
    expect(done).toEqual([]);
    expect(forgetting.deletedCounts).toEqual([]);
  });

  it("drops answers once events are deleted, before those are told that wait for it", async () => {
    const { forgetting, done } = openBench();
    expect(await forgetting.delete("edge", filter, "request")).toEqual({ matched: 2, deleted: 2 });
    expect(done).toEqual(["check", "delete", "clear", "tell of edge"]);
    expect(forgetting.deletedCounts).toEqual([{ source: "edge", reason: "request", count: 2 }]);
  });

  it("says in the log that answers may be left where other nodes go out of reach meanwhile", async () => {
    const { forgetting, done } = openBench({ staysReachable: false });
    await forgetting.delete("edge", filter, "request");
    expect(done).toEqual(["check", "delete", expect.stringContaining("until these expire"), "tell of edge"]);
  });

  it("that finds nothing leaves answers where they are", async () => {
    const { forgetting, done } = openBench({ count: 0 });
    expect(await forgetting.delete("edge", filter, "request")).toEqual({ matched: 0, deleted: 0 });
    expect(done).toEqual(["check", "delete"]);
  });

  it("in the background waits for no other node", async () => {
    const { forgetting, done } = openBench({ isReachable: false });
    await forgetting.delete("edge", filter, "retention");
    expect(done).toEqual(["delete", expect.stringContaining("until these expire")]);
  });
});
