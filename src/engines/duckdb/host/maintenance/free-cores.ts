import { cpus } from "node:os";

interface CoreTimes {
  readonly idle: number;
  readonly all: number;
}

function readTimes(): CoreTimes {
  const times = cpus().map(({ times: { idle, user, nice, sys, irq } }) => ({
    idle,
    all: idle + user + nice + sys + irq,
  }));
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    // Cores count alike.
    all: times.reduce((sum, { all }) => sum + all, 0) / Math.max(1, times.length),
  };
}

/** Watches how much of the machine's processors nobody uses, whichever process it is. */
export class FreeCores {
  readonly #read: () => CoreTimes;
  #last: CoreTimes;

  constructor(read: () => CoreTimes = readTimes) {
    this.#read = read;
    this.#last = read();
  }

  /** Cores that were idle on average since it was asked last; none where no time has passed. */
  take(): number {
    const last = this.#last;
    this.#last = this.#read();
    const passed = this.#last.all - last.all;
    return passed <= 0 ? 0 : (this.#last.idle - last.idle) / passed;
  }
}
