// Signs up on a page that mails a code, as a person would: in a project that has installed `mailkeep-server`.
import { expect, test } from "mailkeep-server/playwright";
import { createTransport } from "nodemailer";
import { startSignUpApp } from "../signup-app.mjs";

test("signs up with the code that comes by mail", async ({ page, mail, mailbox }) => {
  const app = await startSignUpApp(createTransport({ ...mail.smtp, ignoreTLS: true }));
  await page.goto(app.url);
  await page.getByLabel("Email").fill(mailbox.address);
  await page.getByRole("button", { name: "Sign up" }).click();

  const found = await mailbox.client.codes.wait({ from: "shop.example", timeoutMs: 10_000 });
  await page.getByLabel("Code").fill(found?.code ?? "");
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByRole("status")).toHaveText(`Welcome, ${mailbox.address}!`);
  await app.stop();
});

test("says so when the code cannot be sent", async ({ page, mail, mailbox }) => {
  const app = await startSignUpApp(createTransport({ ...mail.smtp, ignoreTLS: true }));
  mail.faults.smtp("drop-after-data");
  await page.goto(app.url);
  await page.getByLabel("Email").fill(mailbox.address);
  await page.getByRole("button", { name: "Sign up" }).click();
  await expect(page.getByRole("status")).toContainText("could not send your code");
  await app.stop();
});
