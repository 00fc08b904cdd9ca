import type { OutputStream } from "../context.ts";
import { rawStream } from "./safe-output.ts";

/** Shows how far an import has come, and how fast it is. */
export interface ImportProgress {
  update(lines: number, readBytes: number): void;
  end(): void;
}

const barWidth = 30;
const redrawMs = 100;
const lineMs = 10_000;

/**
 * One line that is drawn over again on a terminal; elsewhere a line every ten seconds. Without a total there is no bar.
 */
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
    update(lines, readBytes) {
      const elapsedMs = Math.max(1, nowMs() - startedAtMs);
      const rate = Math.round((lines * 1000) / elapsedMs).toLocaleString("en");
      const share = totalBytes === undefined || totalBytes === 0 ? undefined : Math.min(1, readBytes / totalBytes);
      const filled = Math.round((share ?? 0) * barWidth);
      const bar =
        share === undefined
          ? ""
          : `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${Math.floor(share * 100)}%  `;
      text = `${bar}${lines.toLocaleString("en")} events, ${rate} events/s`;
      if (nowMs() - shownAtMs < (stream.isTTY === true ? redrawMs : lineMs)) return;
      shownAtMs = nowMs();
      draw("");
    },
    end() {
      if (text !== "") draw("\n");
    },
  };
}
