// The entry point `mailkeep-server/playwright`.
import { expect, test as base } from "@playwright/test";
import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from "@playwright/test";
import type { Twin, TwinMailbox, TwinOptions } from "../twin/api.ts";
import { startMailkeep } from "./testing.ts";

export { expect };

/** Fixtures of a test. */
export interface MailkeepFixtures {
  /** A mailbox that no other test has. */
  mailbox: TwinMailbox;
}

/** Fixtures of a worker, whose tests share them. */
export interface MailkeepWorkerFixtures {
  /** How the twin begins: `test.use({ mailkeep: { seed: 1 } })`. */
  mailkeep: TwinOptions;
  /** The twin, its clock and its faults. */
  mail: Twin;
}

/** `test` with a twin and a mailbox of its own: `test("…", async ({ page, mail, mailbox }) => …)`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & MailkeepFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & MailkeepWorkerFixtures
> = base.extend<MailkeepFixtures, MailkeepWorkerFixtures>({
  mailkeep: [{}, { scope: "worker", option: true }],
  mail: [
    async ({ mailkeep }, use) => {
      const mail = await startMailkeep(mailkeep);
      await use(mail);
      await mail.stop();
    },
    { scope: "worker" },
  ],
  mailbox: async ({ mail }, use) => {
    await use(await mail.mailbox());
    mail.faults.clear();
  },
});
