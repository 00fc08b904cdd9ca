import type { OutputStream } from "../context.ts";
import { rawStream } from "./safe-output.ts";

/** Shows how far a long work has come. */
export interface ProgressBar {
  update(done: number, total: number): void;
  /** Ends the line of the bar. */
  end(): void;
}

const barWidth = 30;
const redrawMs = 100;
const lineMs = 10_000;

function drawBar(share: number): string {
  const filled = Math.round(share * barWidth);
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`;
}

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
        stream.write(`\r${title} ${drawBar(share)}${percent}  ${counts}`);
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

/** Shows how many events an import has stored, and how fast it is. */
export interface ImportProgress {
  update(events: number, readBytes: number): void;
  end(): void;
}

/** Like a progress bar, but elsewhere a line every ten seconds; without a total there is no bar. */
export function createImportProgress(
  errors: OutputStream,
  totalBytes: number | undefined,
  nowMs: () => number,
): ImportProgress {
  const stream = rawStream(errors);
  const startedAtMs = nowMs();
  let shownAtMs = startedAtMs;
  let text = "";
  const draw = (ending: string) => void stream.write(stream.isTTY === true ? `\r${text}${ending}` : `${text}\n`);
  return {
    update(events, readBytes) {
      const elapsedMs = Math.max(1, nowMs() - startedAtMs);
      const rate = Math.round((events * 1000) / elapsedMs).toLocaleString("en");
      const share = totalBytes ? Math.min(1, readBytes / totalBytes) : undefined;
      const bar = share === undefined ? "" : `${drawBar(share)} ${Math.floor(share * 100)}%  `;
      text = `${bar}${events.toLocaleString("en")} events, ${rate} events/s`;
      if (nowMs() - shownAtMs < (stream.isTTY === true ? redrawMs : lineMs)) return;
      shownAtMs = nowMs();
      draw("");
    },
    end() {
      if (text !== "") draw("\n");
    },
  };
}
