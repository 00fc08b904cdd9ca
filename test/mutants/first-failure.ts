import { VitestTestRunner } from "vitest/runners";

/** Loads no more files of tests once a test has failed: a mutant that was noticed needs no second look. */
export default class FirstFailure extends VitestTestRunner {
  #hasFailed = false;

  override cancel(...reason: Parameters<VitestTestRunner["cancel"]>): void {
    this.#hasFailed = true;
    super.cancel(...reason);
  }

  override importFile(...[path, source]: Parameters<VitestTestRunner["importFile"]>): unknown {
    return this.#hasFailed && source === "collect" ? undefined : super.importFile(path, source);
  }
}
