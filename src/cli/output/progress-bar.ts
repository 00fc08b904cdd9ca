import type { OutputStream } from "../context.ts";
import { rawStream } from "./safe-output.ts";

/** Shows how far a long work has come. */
export interface ProgressBar {
  update(done: number, total: number): void;
  /** Ends the line of the bar. */
  end(): void;
}

const barWidth = 30;

/** One line that is drawn over again on a terminal; elsewhere a line for each tenth of the way. */
export function createProgressBar(errors: OutputStream, title: string): ProgressBar {
  const stream = rawStream(errors);
  let lastTenth = -1;
  let isDrawn = false;
  return {
    update(done, total) {
      const share = total === 0 ? 1 : done / total;
      const percent = `${Math.floor(share * 100)}%`.padStart(4);
      const counts = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
      if (stream.isTTY === true) {
        const filled = Math.round(share * barWidth);
        stream.write(`\r${title} [${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]${percent}  ${counts}`);
        isDrawn = true;
        return;
      }
      const tenth = Math.floor(share * 10);
      if (tenth === lastTenth) return;
      lastTenth = tenth;
      stream.write(`${title}:${percent}  ${counts}\n`);
    },
    end() {
      if (isDrawn) stream.write("\n");
    },
  };
}
