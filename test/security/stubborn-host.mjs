// An engine host that is the real one but for queries that name "unstoppable": these it takes, and answers nothing to
// them, not even to their end; and for those that name "garbled", which it answers with bytes that are no frame. It
// passes frames on between the service (file descriptor 3) and the real host.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";

const real = spawn(process.execPath, [fileURLToPath(new URL("../../dist/engine-host.js", import.meta.url))], {
  stdio: ["ignore", "ignore", "inherit", "pipe"],
});
const service = new Socket({ fd: 3 });
const inner = real.stdio[3];
const stubborn = new Set();

let rest = Buffer.alloc(0);
service.on("data", (piece) => {
  rest = Buffer.concat([rest, piece]);
  for (;;) {
    if (rest.length < 8) return;
    const end = rest.readUInt32LE(0) + 4;
    if (rest.length < end) return;
    const frame = rest.subarray(0, end);
    rest = rest.subarray(end);
    const { id, kind, query } = JSON.parse(frame.toString("utf8", 8, 8 + frame.readUInt32LE(4)));
    if (kind === "run" && query.sql.includes("unstoppable")) stubborn.add(id);
    if (kind === "run" && query.sql.includes("garbled")) service.write(Buffer.alloc(64, 0xff));
    if (!stubborn.has(id)) inner.write(frame);
  }
});
inner.on("data", (piece) => service.write(piece));
service.on("close", () => inner.end());
service.on("error", () => inner.destroy());
inner.on("error", () => process.exit(1));
real.on("exit", (code) => process.exit(code ?? 1));
