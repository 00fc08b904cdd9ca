import { expect, it } from "vitest";
import { parseEvents } from "../parse-events.ts";

function read(bytes: Uint8Array) {
  const contentType = "application/vnd.fdo.journal";
  return parseEvents({
    protocol: "journald",
    bytes,
    contentType,
    contentEncoding: undefined,
    nowUs: 5n,
    maxBytes: 1e6,
  });
}

const binary = Buffer.concat([
  Buffer.from("MESSAGE\n"),
  Buffer.from([9, 0, 0, 0, 0, 0, 0, 0]),
  Buffer.from("two\nlines\n_PID=7\n"),
]);

it("the journald protocol reads entries, including multi-line fields", async () => {
  const first =
    "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1423944916375353\nPRIORITY=6\n_HOSTNAME=h\nTAG=a\nTAG=b\nMESSAGE=a=b\n\n\n";
  const { events, untimed } = await read(Buffer.concat([Buffer.from(first), binary]));
  expect(events).toMatchObject([
    {
      id: "s=1;i=2",
      timestampUs: 1423944916375353n,
      eventMessage: "a=b",
      fields: { metadata: { level: "info", PRIORITY: "6", _HOSTNAME: "h", TAG: ["a", "b"] } },
    },
    { timestampUs: 5n, eventMessage: "two\nlines", fields: { metadata: { _PID: "7" } } },
  ]);
  expect(untimed).toBe(0);
});

it.each([binary.subarray(0, 10), binary.subarray(0, 20), Buffer.from("no field"), Buffer.from("=x\n")])(
  "the journald protocol refuses truncated or invalid entries: %s",
  async (bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ name: "BodyError", code: "invalid_body" });
  },
);

it("the journald protocol quotes the beginning of what is no field, and says where it is", async () => {
  const line = "x".repeat(70);
  await expect(read(Buffer.from(`A=1\n${line}`))).rejects.toMatchObject({
    message: `The body is not in the journal's export format: "${"x".repeat(60)}" at byte 4 is no field`,
  });
});
