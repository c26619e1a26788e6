// Signs up on a page that mails a code, as a person would: in a project that has installed `mailkeep-server`.
import { test } from "mailkeep-server/vitest";
import { createTransport } from "nodemailer";
import { expect } from "vitest";
import { startSignUpApp } from "../signup-app.mjs";

/** Posts a form of the page, and returns what the page says. */
async function post(url: string, form: Record<string, string>): Promise<string> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return response.text();
}

test("signs up with the code that comes by mail", async ({ mail, mailbox, onTestFinished }) => {
  const app = await startSignUpApp(createTransport({ ...mail.smtp, ignoreTLS: true }));
  onTestFinished(() => app.stop());

  await post(`${app.url}/sign-up`, { email: mailbox.address });
  const found = await mailbox.client.codes.wait({ from: "shop.example", timeoutMs: 10_000 });

  expect(await post(`${app.url}/verify`, { code: found?.code ?? "" })).toContain(
    `Welcome, ${mailbox.address}!`,
  );
});

test("says so when the code cannot be sent", async ({ mail, mailbox, onTestFinished }) => {
  const app = await startSignUpApp(createTransport({ ...mail.smtp, ignoreTLS: true }));
  onTestFinished(() => app.stop());

  mail.faults.smtp("defer");
  expect(await post(`${app.url}/sign-up`, { email: mailbox.address })).toContain(
    "could not send your code: 451",
  );
  const { emails } = await mailbox.client.inbox.list();
  expect(emails).toEqual([]);
});

test("loses its mailbox after three days, and no test waits for them", async ({ mail }) => {
  const temporary = await mail.mailbox({ kind: "temporary" });
  await mail.clock.advance("73h");
  await expect(temporary.client.me()).rejects.toMatchObject({ status: 401 });
});
