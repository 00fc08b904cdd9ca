import type { FastifyReply } from "fastify";
import type { TailRow } from "../../endpoints/tail/ask-tail.ts";
import { layOutOnce, type TailForm, type TailOutlet } from "./tail-stream.ts";

/** An answer of Server-Sent Events; its head is written once the stream begins. */
export function openEvents(reply: Pick<FastifyReply, "raw" | "header" | "getHeaders" | "hijack">): {
  readonly outlet: TailOutlet;
  readonly begin: () => void;
} {
  const { raw } = reply;
  const outlet: TailOutlet = {
    waitingBytes: () => raw.writableLength,
    isClosed: () => raw.destroyed,
    write: (message, taken) => void raw.write(message, taken),
    beat: () => void raw.write(":\n\n"),
    end(error) {
      raw.write(message("end", { code: error.code, message: error.message }));
      raw.end();
    },
    onClose: (callback) => void raw.once("close", callback),
  };
  const begin = () => {
    reply.header("Content-Type", "text/event-stream; charset=utf-8");
    reply.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
    const headers = reply.getHeaders() as Record<string, string>;
    reply.hijack();
    raw.writeHead(200, headers);
    raw.write(": following\n\n");
  };
  return { outlet, begin };
}

/** Makes forms of Server-Sent Events; `seal` makes the id of a row of its place. */
export function createEventForm(): (seal: (place: TailRow["place"]) => string) => TailForm {
  const layOut = layOutOnce((rows, seal: (place: TailRow["place"]) => string) => [
    Buffer.from(rows.map(({ place, json }) => `id: ${seal(place)}\ndata: ${json}\n\n`).join("")),
  ]);
  return (seal) => ({
    rows: (rows) => layOut(rows, seal),
    skipped: (count) => message("skipped", { count: count ?? null }),
  });
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
