// The fixtures as their users write them; it must compile in strict mode. Never run.
import { expect as expectPage, test as pageTest } from "mailkeep-server/playwright";
import { mailkeepTest, test } from "mailkeep-server/vitest";

test("waits for a code", async ({ mail, mailbox, expect }) => {
  await mail.deliver({ to: mailbox, text: "Your code is 482913." });
  const { code } = await mailbox.client.codes.get({ timeout: 5 });
  expect(code).toBe("482913");
});

const seeded = mailkeepTest({ seed: "checkout" });
seeded("has the same ids in every run", async ({ mail }) => {
  const date: Date = await mail.clock.now();
  console.log(date);
});

pageTest.use({ mailkeep: { seed: 1 } });
pageTest("opens a page", async ({ page, mail, mailbox }) => {
  await page.goto(`${mail.url}/mailbox`);
  await expectPage(page.getByText(mailbox.address)).toHaveCount(0);
});
