import { describe, expect, it } from "vitest";
import { ServiceError } from "../shared/errors.ts";
import { createForgetting } from "./forgetting.ts";

const filter = { tenants: { of: ["acme"] } };

/** A store and other nodes, which can be out of reach from the call of a number on. */
function openBench({ unreachableFrom = Number.POSITIVE_INFINITY } = {}) {
  const done: string[] = [];
  let calls = 0;
  const forgetting = createForgetting({
    store: {
      countEvents: async () => 2,
      deleteEvents: async () => {
        done.push("delete");
        return { matched: 2, deleted: 2 };
      },
    },
    clearAnswers: async () => {
      if (++calls >= unreachableFrom) throw new ServiceError("metadata_unavailable", "away");
      done.push("clear");
    },
    warn: (message) => void done.push(message),
  });
  forgetting.onRequest(async (source) => void done.push(`tell of ${source}`));
  return { forgetting, done };
}

describe("a deletion of events", () => {
  it("by request deletes nothing where other nodes cannot be told to forget their answers", async () => {
    const { forgetting, done } = openBench({ unreachableFrom: 1 });
    await expect(forgetting.delete("edge", filter, "request")).rejects.toMatchObject({ code: "metadata_unavailable" });
    expect(done).toEqual([]);
    expect(forgetting.deletedCounts).toEqual([]);
  });

  it("drops answers once events are deleted, before those are told that wait for it", async () => {
    const { forgetting, done } = openBench();
    expect(await forgetting.delete("edge", filter, "request")).toEqual({ matched: 2, deleted: 2 });
    expect(done).toEqual(["clear", "delete", "clear", "tell of edge"]);
    expect(forgetting.deletedCounts).toEqual([{ source: "edge", reason: "request", count: 2 }]);
  });

  it("says in the log that answers may be left where other nodes go out of reach meanwhile", async () => {
    const { forgetting, done } = openBench({ unreachableFrom: 2 });
    await forgetting.delete("edge", filter, "request");
    expect(done).toEqual(["clear", "delete", expect.stringContaining("until these expire"), "tell of edge"]);
  });

  it("in the background waits for no other node", async () => {
    const { forgetting, done } = openBench({ unreachableFrom: 1 });
    await forgetting.delete("edge", filter, "retention");
    expect(done).toEqual(["delete", expect.stringContaining("until these expire")]);
  });
});
