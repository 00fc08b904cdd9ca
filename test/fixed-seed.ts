import fc from "fast-check";

/** Properties try the same values each time; `SEED=7 npm test` tries others. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_260_820) });
