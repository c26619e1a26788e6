import type { Reporter, TestCase } from "vitest/node";

/** Names before the summary the tests that passed at their second try: a fault of the test, or of the service, is in each. */
export class SecondTries implements Reporter {
  readonly #titles: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) {
      this.#titles.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    }
  }

  onTestRunEnd(): void {
    if (this.#titles.length === 0) return;
    console.log(["", "Failed at first, passed at the second try:", ...this.#titles].join("\n"));
  }
}
