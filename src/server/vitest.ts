// The entry point `mailkeep-server/vitest`.
import { test as base } from "vitest";
import type { TestAPI } from "vitest";
import type { Twin, TwinMailbox, TwinOptions } from "../twin/api.ts";
import { startMailkeep } from "./testing.ts";

/** Fixtures of a test. */
export interface MailkeepFixtures {
  /** The twin of the worker that runs the test. Tests of one worker share it, its clock and its faults. */
  mail: Twin;
  /** A mailbox that no other test has. */
  mailbox: TwinMailbox;
}

/** Makes a `test` with the fixtures `mail` and `mailbox`, whose twins begin with `options`. */
export function mailkeepTest(options: TwinOptions = {}): TestAPI<MailkeepFixtures> {
  return base.extend<MailkeepFixtures>({
    mail: [
      // Vitest reads the names of the fixtures that one needs from its first parameter.
      // oxlint-disable-next-line no-empty-pattern -- this one needs none
      async ({}, use) => {
        const mail = await startMailkeep(options);
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
}

/** `test` with a twin and a mailbox of its own: `test("…", async ({ mail, mailbox }) => …)`. */
export const test: TestAPI<MailkeepFixtures> = mailkeepTest();
