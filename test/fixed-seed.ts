import fc from "fast-check";

/**
 * Properties try the same values each time; `SEED=7 npm test` tries others, and `PROPERTY_RUNS=1000 npm test` more of
 * them than the 40 that a property tries unless it says otherwise.
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_260_820), numRuns: Number(process.env.PROPERTY_RUNS ?? 40) });
