import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { SmtpPeer, type Talk } from "../transport/smtp-peer.ts";
import type { MailboxKey } from "../served/client.ts";
import { message } from "../served/messages.ts";
import { answer, Target } from "../served/target.ts";
import { expectAccessible, NO_BROWSER, Site } from "./browser.ts";
import { deliver, line, lines, openViewer, reading } from "./viewer-rig.ts";

/** Holds uploads until the page calls `release()`, or for ever. (A route of the browser's driver would lose the bytes of a file.) */
const HELD_UPLOADS = `{
  const real = window.fetch;
  const held = new Promise((release) => (window.release = release));
  window.fetch = async (url, init) => {
    if (String(url).includes("/v1/attachments")) await held;
    return real(url, init);
  };
}`;

describe.skipIf(NO_BROWSER)("the viewer's forms", () => {
  let site: Site;
  let target: Target;
  let relay: SmtpPeer;
  let open: Page | null = null;
  beforeAll(async () => {
    relay = await SmtpPeer.start();
    const env = { ALLOW_PRIVATE_WEBHOOKS: "true", SMTP_URL: relay.url() };
    [site, target] = await Promise.all([Site.open({ env }), Target.start()]);
  });
  afterEach(async () => {
    await open?.context().close();
    open = null;
    Object.assign(relay.plan, { on: undefined, end: undefined });
  });
  afterAll(async () => {
    await site.close();
    await target.stop();
    relay.stop();
  });

  async function view(box: MailboxKey): Promise<Page> {
    open = await openViewer(site, box);
    return open;
  }

  const button = (page: Page, name: string): Locator =>
    reading(page).getByRole("button", { name, exact: true });

  it("sends a mail with a file, and shows its delivery to each recipient", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const page = await view(box);
    await page.getByRole("link", { name: "Compose" }).click();
    await page
      .getByLabel("To", { exact: true })
      .fill(`Friend <${friend.mailbox}>, "Out, Side" <someone@elsewhere.example>`);
    await page.getByLabel("Subject").fill("With a file");
    await page.getByLabel("Text").fill("Here it is.\n\nYours");
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 13) % 256));
    await page
      .getByLabel("Files")
      .setInputFiles({ name: "Liste für dich.bin", mimeType: "application/octet-stream", buffer: bytes });
    await reading(page).getByText("5.0 KB").waitFor();
    await button(page, "Send").click();
    await reading(page).getByRole("heading", { name: "With a file" }).waitFor();
    const delivery = reading(page).getByRole("region", { name: "Delivery" }).getByRole("listitem");
    await delivery.filter({ hasText: friend.mailbox }).getByText("delivered", { exact: true }).waitFor();
    await delivery
      .filter({ hasText: "someone@elsewhere.example" })
      .getByText("sent", { exact: true })
      .waitFor();
    await page.getByRole("link", { name: "Sent" }).click();
    await line(page, "With a file").getByText("1 file").waitFor();

    const [arrived] = await service.inbox(friend.api_key);
    const email = await service.email(friend.api_key, arrived?.id ?? "");
    expect(email.body_text.trim()).toBe("Here it is.\n\nYours");
    const [file] = email.attachments;
    expect(file?.filename).toBe("Liste für dich.bin");
    expect(
      (await service.call(`/v1/attachments/${file?.id}`, { key: friend.api_key })).bytes.equals(bytes),
    ).toBe(true);
    expect(site.faults()).toEqual([]);
  });

  it("updates the delivery of a shown mail for each recipient", async () => {
    const box = await site.server.service.createMailbox();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    Object.assign(relay.plan, {
      on: {
        RCPT: (talk: Talk, command: string) =>
          talk.write(
            command.includes("<nobody@") ? "550 5.1.1 <b>No such person</b>\r\n" : "250 2.1.5 fine\r\n",
          ),
      },
      end: (talk: Talk) => void released.then(() => talk.write("250 2.0.0 taken as 4711\r\n")),
    });
    const page = await view(box);
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill("somebody@elsewhere.example, nobody@elsewhere.example");
    await page.getByLabel("Subject").fill("On its way");
    await page.getByLabel("Text").fill("Hello.");
    await button(page, "Send").click();
    const delivery = reading(page).getByRole("region", { name: "Delivery" }).getByRole("listitem");
    const somebody = delivery.filter({ hasText: "somebody@" });
    await somebody.getByText("queued", { exact: true }).waitFor();
    release();
    await somebody.getByText("sent", { exact: true }).waitFor();
    const nobody = delivery.filter({ hasText: "nobody@" });
    await nobody.getByText("bounced", { exact: true }).waitFor();
    await nobody.getByText("<b>No such person</b>").waitFor();
    await page.getByRole("link", { name: "Sent" }).click();
    await line(page, "On its way").getByText("bounced", { exact: true }).waitFor();
    expect(site.faults()).toEqual([]);
  });

  it("answers a mail, to its author and to all, and forwards it with its files", async () => {
    const { service } = site.server;
    const [box, ann, bob] = await Promise.all([
      service.createMailbox(),
      service.createMailbox(),
      service.createMailbox(),
    ]);
    await service.ask("/v1/send?wait=10", {
      key: ann.api_key,
      json: {
        to: box.mailbox,
        cc: bob.mailbox,
        subject: "Question",
        text: "What do you say?",
        attachments: [{ filename: "plan.txt", content: Buffer.from("The plan").toString("base64") }],
      },
    });
    const page = await view(box);
    const write = async (link: string, text: string): Promise<void> => {
      await page.getByRole("link", { name: "Inbox" }).click();
      await line(page, "Question").getByRole("link").click();
      await reading(page).getByRole("link", { name: link, exact: true }).click();
      await page.getByLabel(/^Text/).fill(text);
    };
    await write("Reply", "To you alone.");
    await reading(page).getByText(ann.mailbox).waitFor();
    await button(page, "Send").click();
    await reading(page).getByText("delivered", { exact: true }).waitFor();
    await write("Reply all", "To both of you.");
    await button(page, "Send").click();
    await expect.poll(() => reading(page).getByText("delivered", { exact: true }).count()).toBe(2);
    await write("Forward", "For you.");
    await page.getByLabel("To", { exact: true }).fill(bob.mailbox);
    await reading(page).getByText("plan.txt").waitFor();
    await button(page, "Send").click();
    await reading(page).getByText("delivered", { exact: true }).waitFor();

    const texts = async ({ api_key }: MailboxKey): Promise<string[]> => {
      const mails = await service.inbox(api_key);
      return (await Promise.all(mails.map(({ id }) => service.email(api_key, id))))
        .filter(({ direction }) => direction === "inbound")
        .map(({ body_text }) => body_text);
    };
    const [toAnn, toBob] = [await texts(ann), await texts(bob)];
    expect(new Set(toAnn.map((text) => text.split("\n")[0]?.trim()))).toEqual(
      new Set(["To both of you.", "To you alone."]),
    );
    expect(toAnn.every((text) => text.includes("> What do you say?"))).toBe(true);
    expect(toBob.filter((text) => text.startsWith("To both of you."))).toHaveLength(1);
    expect(toBob.filter((text) => text.startsWith("For you."))).toHaveLength(1);
    const forwarded = (await service.inbox(bob.api_key)).find(({ subject }) => subject.startsWith("Fwd:"));
    expect(forwarded?.attachment_count).toBe(1);
  });

  it("sends a mail once, although the first try got no answer", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const page = await view(box);
    const keys: (string | undefined)[] = [];
    await page.route("**/v1/send", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      // It reaches the service, and its answer is lost.
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill(friend.mailbox);
    await page.getByLabel("Subject").fill("Once");
    await page.getByLabel("Text").fill("Hello.");
    await button(page, "Send").click();
    await reading(page).getByText("It is not known whether the mail was sent").waitFor();
    // Elsewhere and back: the draft is still the same one.
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("link", { name: "Compose" }).click();
    expect(await page.getByLabel("Subject").inputValue()).toBe("Once");
    await button(page, "Send").click();
    await reading(page).getByText("delivered", { exact: true }).waitFor();
    expect(page.url()).toContain("#/mail/");
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await service.inbox(friend.api_key)).toHaveLength(1);
    site.faults();
  });

  it("loses no draft without asking", async () => {
    const { service } = site.server;
    const page = await view(await service.createMailbox());
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("Text").fill("Half a thought");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByLabel("Text").inputValue()).toBe("Half a thought");
    await button(page, "Discard").click();
    await page.getByRole("link", { name: "Compose" }).click();
    expect(await page.getByLabel("Text").inputValue()).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
  });

  it("keeps a draft while the mailbox is paused", async () => {
    const { service } = site.server;
    const page = await view(await service.createMailbox());
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("Text").fill("Half a thought");
    await page.getByRole("link", { name: "Settings" }).click();
    await button(page, "Pause the mailbox").click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Compose" }).click();
    expect(await page.getByLabel("Text").inputValue()).toBe("Half a thought");
    site.faults();
  });

  it("shows what is wrong with a draft, and sends it after it is corrected", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const page = await view(box);
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill("nobody at all");
    await page.getByLabel("Subject").fill("Mended");
    await page.getByLabel("Text").fill("Hello.");
    await button(page, "Send").click();
    await reading(page).getByText("Not every entry is an address").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("draft-to");
    await expectAccessible(page);
    await page.keyboard.press("Backspace");
    await page.getByLabel("To", { exact: true }).fill(friend.mailbox);
    // What the service refuses stands under its field too.
    await page.getByText("Cc, Bcc, From").click();
    await page.getByLabel("From", { exact: true }).fill("not an address");
    await button(page, "Send").click();
    await reading(page).getByRole("alert").waitFor();
    const from = page.getByLabel("From", { exact: true });
    await expect.poll(() => from.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("#draft-from-error").textContent()).not.toBe("");
    await from.fill("");
    await button(page, "Send").click();
    await reading(page).getByText("delivered", { exact: true }).waitFor();
    site.faults();
  });

  it("makes chips of recipients that are typed and pasted, and marks those that are no addresses", async () => {
    const page = await view(await site.server.service.createMailbox());
    await page.getByRole("link", { name: "Compose" }).click();
    const to = page.getByLabel("To", { exact: true });
    const chips = reading(page).locator(".recipients .chip");
    await to.pressSequentially("ann@example.org,");
    await to.pressSequentially("Bob Baker <bob@example.org>");
    await page.keyboard.press("Enter");
    expect(await chips.allTextContents()).toEqual(["ann@example.org", "Bob Baker <bob@example.org>"]);
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "carla@example.org\\nnobody at all");
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
    }`);
    expect(await chips.count()).toBe(4);
    await chips.filter({ hasText: "nobody at all" }).getByText("(not an address)").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Backspace");
    await reading(page).getByRole("button", { name: "Remove ann@example.org" }).click();
    expect(await chips.allTextContents()).toEqual(["Bob Baker <bob@example.org>", "carla@example.org"]);
  });

  it("keeps a draft with its files over a reload, sends it with Ctrl and Enter, and erases it when signed out", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const page = await view(box);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill(friend.mailbox);
    await page.getByLabel("Subject").fill("Over a reload");
    await page.getByLabel("Text").fill("Still here.");
    await page.getByLabel("Files").setInputFiles({
      name: "plan.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("The plan"),
    });
    await reading(page).getByText("8 bytes").waitFor();
    await page.reload();
    expect(await page.getByLabel("Text").inputValue()).toBe("Still here.");
    expect(await page.getByLabel("Subject").inputValue()).toBe("Over a reload");
    await reading(page).getByText("plan.txt").waitFor();
    await page.getByLabel("Text").press("Control+Enter");
    await reading(page).getByText("delivered", { exact: true }).waitFor();
    const [arrived] = await service.inbox(friend.api_key);
    expect(arrived).toMatchObject({ subject: "Over a reload", attachment_count: 1 });
    await page.getByRole("link", { name: "Compose" }).click();
    expect(await page.getByLabel("Text").inputValue()).toBe("");
    await page.getByLabel("Text").fill("Never sent");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Look into a mailbox" }).waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(site.faults()).toEqual([]);
  });

  it("says after a reload which file is not attached, and sends nothing without it", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const page = await view(box);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.evaluate(HELD_UPLOADS);
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill(friend.mailbox);
    await page.getByLabel("Subject").fill("With the plan");
    await page.getByLabel("Text").fill("Here it is.");
    const plan = { name: "plan <b>.txt", mimeType: "text/plain", buffer: Buffer.from("The plan") };
    await page.getByLabel("Files").setInputFiles(plan);
    await reading(page).getByText("uploading…", { exact: true }).waitFor();
    await page.reload();
    const file = reading(page).locator(".file").filter({ hasText: "plan <b>.txt" });
    await file.getByText("not attached: its upload ended when the page was left.").waitFor();
    await expectAccessible(page);
    await button(page, "Send").click();
    await reading(page).getByText("Not every file is attached.").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("draft-files");
    expect(await service.inbox(friend.api_key)).toEqual([]);
    await file.getByRole("button", { name: "Remove plan <b>.txt" }).click();
    await page.getByLabel("Files").setInputFiles(plan);
    await file.getByText("8 bytes").waitFor();
    await button(page, "Send").click();
    await reading(page).getByText("delivered", { exact: true }).waitFor();
    expect((await service.inbox(friend.api_key))[0]?.attachment_count).toBe(1);
    site.faults();
  });

  it("shows the end of an upload in the form that is open then", async () => {
    const { service } = site.server;
    const page = await view(await service.createMailbox());
    await page.evaluate(HELD_UPLOADS);
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("Files").setInputFiles({
      name: "plan.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("The plan"),
    });
    await reading(page).getByText("uploading…", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Inbox" }).click();
    await reading(page).getByText("Choose a mail").waitFor();
    await page.getByRole("link", { name: "Compose" }).click();
    await reading(page).getByText("uploading…", { exact: true }).waitFor();
    await page.evaluate("release()");
    await reading(page).getByText("8 bytes").waitFor();
    expect(await button(page, "Send").isEnabled()).toBe(true);
    expect(site.faults()).toEqual([]);
  });

  it("leaves the reader where they are when a send ends, and says there that it failed", async () => {
    const { service } = site.server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    await deliver(service, box, message({ subject: "To read" }));
    const page = await view(box);
    let held = Promise.withResolvers<undefined>();
    await page.route("**/v1/send", async (route) => {
      await held.promise;
      await route.continue();
    });
    const sendAndLeave = async (text: string): Promise<void> => {
      await page.getByRole("link", { name: "Compose" }).click();
      await page.getByLabel("To", { exact: true }).fill(friend.mailbox);
      await page.getByLabel("Subject").fill("Meanwhile");
      await page.getByLabel("Text").fill(text);
      await button(page, "Send").click();
      await button(page, "Sending…").waitFor();
      await page.getByRole("link", { name: "Inbox" }).click();
      await line(page, "To read").getByRole("link").click();
      await reading(page).getByRole("heading", { name: "To read" }).waitFor();
    };
    const answered = async (): Promise<void> => {
      const response = page.waitForResponse("**/v1/send");
      held.resolve(undefined);
      await (await response).finished();
      held = Promise.withResolvers<undefined>();
    };
    await sendAndLeave("One");
    await answered();
    await expect.poll(() => page.evaluate("sessionStorage.getItem('mailbox-drafts')")).toBeNull();
    expect(await reading(page).getByRole("heading", { name: "To read" }).isVisible()).toBe(true);
    expect(await service.inbox(friend.api_key)).toHaveLength(1);

    await page.unroute("**/v1/send");
    await page.route("**/v1/send", async (route) => {
      await held.promise;
      await route.fulfill({ status: 400, json: { error: "This cannot be sent" } });
    });
    await sendAndLeave("Two");
    held.resolve(undefined);
    const notice = page.getByRole("alert").filter({ hasText: "A mail was not sent." });
    await notice.getByText("This cannot be sent").waitFor();
    await expectAccessible(page);
    await notice.getByRole("link", { name: "Open the draft" }).click();
    await expect.poll(() => page.getByLabel("Text").inputValue()).toBe("Two");
    site.faults();
  });

  it("makes a key, shows it once, and revokes it", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = await view(box);
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await button(page, "Make a key").click();
    const notice = reading(page).getByRole("status");
    const key = (await notice.getByText(/^mk_/).textContent()) ?? "";
    expect((await service.call("/v1/me", { key })).status).toBe(200);
    const rows = reading(page).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(2);
    await expectAccessible(page);
    await rows.filter({ hasText: "never used" }).or(rows.last()).last().getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await reading(page).getByText("The key is revoked.").waitFor();
    expect((await service.call("/v1/me", { key })).status).toBe(401);
    expect(await page.locator("main").textContent()).not.toContain(key);
    expect(site.faults()).toEqual([]);
  });

  it("sets a route of a label, and removes it; allows a suppressed address again", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = await view(box);
    await page.getByRole("link", { name: "Label routes" }).click();
    await page.getByLabel("Label", { exact: true }).fill("orders");
    await page.getByLabel("URL").fill(target.plan("/orders", answer(200, "ok")));
    await button(page, "Save the route").click();
    await reading(page).getByText("Saved.").waitFor();
    await reading(page).getByRole("link", { name: "orders" }).waitFor();
    await button(page, "Remove").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await reading(page).getByText("No label has a route.").waitFor();
    const nobody = `no-such-box@${box.mailbox.split("@")[1]}`;
    const json = { to: nobody, subject: "Hello", text: "Hello." };
    await service.ask("/v1/send?wait=10", { key: box.api_key, json });
    await page.getByRole("link", { name: "Suppressions" }).click();
    await reading(page).getByText(nobody).waitFor();
    await button(page, "Allow again").click();
    await reading(page).getByText("No address is suppressed.").waitFor();
    const left = await service.get<{ suppressions: unknown[] }>("/v1/suppressions", box.api_key);
    expect(left.suppressions).toEqual([]);
    site.faults();
  });

  it("explains what a temporary mailbox cannot do, and how to get a permanent one", async () => {
    const { service } = site.server;
    const box = await service.bootstrap();
    await deliver(
      service,
      box,
      message({
        subject: "Hello",
        headers: ["Content-Type: text/plain; name=x.txt", "Content-Disposition: attachment; filename=x.txt"],
        body: "file\n",
      }),
    );
    const page = await view(box);
    await page.getByText("This mailbox is temporary").waitFor();
    await line(page, "Hello").getByRole("link").click();
    await reading(page).getByText("Only permanent mailboxes can download files.").waitFor();
    await reading(page).getByRole("link", { name: "Reply", exact: true }).click();
    await reading(page).getByText("cannot send any").waitFor();
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    expect(await reading(page).getByRole("link", { name: "Claim a mailbox" }).getAttribute("href")).toBe(
      "/claim",
    );
    await page.getByRole("link", { name: "Settings" }).click();
    await reading(page).getByText("1 received, 0 sent").waitFor();
    expect(await reading(page).getByRole("button", { name: /Pause/ }).count()).toBe(0);
    await expectAccessible(page);
    expect(site.faults()).toEqual([]);
  });

  it("pauses the mailbox, and resumes it", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = await view(box);
    await page.getByRole("link", { name: "Settings" }).click();
    await button(page, "Pause the mailbox").click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByText("This mailbox is paused.").waitFor();
    await expectAccessible(page);
    expect((await service.call("/v1/inbox", { key: box.api_key })).status).toBe(403);
    await deliver(service, box, message({ subject: "While it was paused" }));
    expect(await lines(page).count()).toBe(0);
    // Paused as it is, another tab can sign in and resume too.
    await page.reload();
    await page.getByRole("button", { name: "Resume" }).click();
    await line(page, "While it was paused").waitFor();
    site.faults();
  });

  it("sets a webhook, tests it, and delivers a failed event again", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const url = target.plan("/hook", answer(500, "<b>Not now</b>"), answer(200, "Thanks"));
    const page = await view(box);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByLabel("URL").fill("ftp://nothing");
    await button(page, "Save the webhook").click();
    await reading(page).getByRole("alert").waitFor();
    await page.getByLabel("URL").fill(url);
    await page.getByLabel("Secret").fill("a secret of the test's own");
    await button(page, "Save the webhook").click();
    await reading(page).getByText("Saved.").waitFor();
    await reading(page).getByText("active", { exact: true }).waitFor();
    expect(await page.getByLabel("Secret").inputValue()).toBe("");
    await button(page, "Send a test").click();
    const log = reading(page).getByRole("region", { name: "Deliveries" });
    const entry = log.getByRole("listitem").filter({ hasText: "message.received (test)" });
    await entry.first().locator("summary").click();
    await entry.getByText("500, not a 2xx").waitFor();
    await entry.getByText("<b>Not now</b>").waitFor();
    await entry.getByRole("button", { name: "Deliver again" }).first().click();
    await log.getByText("delivered", { exact: true }).first().waitFor({ timeout: 20_000 });
    expect((await target.heard("/hook", 2)).length).toBeGreaterThanOrEqual(2);
    await log.getByLabel("Show").selectOption("failed");
    await log
      .getByText("No deliveries here.")
      .or(log.getByText("failed", { exact: true }).nth(1))
      .first()
      .waitFor();
    expect(await page.locator("main").innerText()).not.toContain("a secret of the test's own");
    site.faults();
  });

  it("shows the most recently requested deliveries, even if an older answer arrives later", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const url = target.plan("/late", answer(200, "Thanks"), answer(200, "Thanks"));
    const page = await view(box);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByLabel("URL").fill(url);
    await page.getByLabel("Secret").fill("a secret of the test's own");
    await button(page, "Save the webhook").click();
    await reading(page).getByText("Saved.").waitFor();
    await button(page, "Send a test").click();
    const log = reading(page).getByRole("region", { name: "Deliveries" });
    await log.getByText("delivered", { exact: true }).first().waitFor();
    const all = /deliveries\?(?!.*state=failed)/;
    const held = Promise.withResolvers<undefined>();
    await page.route(all, async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(all);
    await button(page, "Send a test").click();
    await asked;
    await log.getByLabel("Show").selectOption("failed");
    await log.getByText("No deliveries here.").waitFor();
    const late = page.waitForResponse(all);
    held.resolve(undefined);
    await (await late).finished();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    expect(await log.getByText("No deliveries here.").isVisible()).toBe(true);
    expect(await log.getByRole("listitem").count()).toBe(0);
    site.faults();
  });

  it("saves the display name", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = await view(box);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Name").fill("Billing of Example");
    await button(page, "Save the name").click();
    await reading(page).getByText("Saved.").waitFor();
    const info = await service.get<{ display_name: string }>("/v1/mailbox", box.api_key);
    expect(info.display_name).toBe("Billing of Example");
  });

  it("says who may write, shows what was refused and why, and receives it after all", async () => {
    const { service } = site.server;
    const box = await service.createMailbox();
    const page = await view(box);
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByLabel("Let in").selectOption("listed");
    await page.getByLabel("Blocked").fill("ads.example\nnot a <b>domain</b>");
    await button(page, "Save the rules").click();
    const wrong = "“not a <b>domain</b>” must be an address, a domain, or *. and a domain.";
    await reading(page).getByRole("alert").getByText(wrong).waitFor();
    await page.getByLabel("Blocked").fill("Ads.Example");
    await button(page, "Save the rules").click();
    await reading(page).getByText("Saved.").waitFor();
    expect(await page.getByLabel("Blocked").inputValue()).toBe("ads.example");
    for (const name of ["first", "second"]) {
      const from = `${name}@news.example`;
      const { status } = await service.handOver(box.mailbox, message({ subject: `The ${name}`, from }));
      expect(status).toBe(422);
    }
    await reading(page).getByRole("link", { name: "Refused mail" }).click();
    const row = (subject: string): Locator =>
      reading(page).getByRole("listitem").filter({ hasText: subject });
    await row("The first").getByText("The sender is not on the list of allowed senders").waitFor();
    await row("The first").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await reading(page).getByText("Deleted.").waitFor();
    expect(await row("The first").count()).toBe(0);
    await row("The second").getByRole("button", { name: "Release" }).click();
    await button(page, "Allow this sender").click();
    await page
      .getByRole("dialog")
      .getByText("It could not be confirmed that the mail is from second@news.example")
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await reading(page).getByText("second@news.example may write from now on.").waitFor();
    await page.getByRole("link", { name: "Rules", exact: true }).click();
    expect(await page.getByLabel("Allowed even if not proven").inputValue()).toBe("second@news.example");
    const again = message({ subject: "The third", from: "second@news.example" });
    expect((await service.handOver(box.mailbox, again)).status).toBe(202);
    await line(page, "The second").waitFor();
    await line(page, "The third").waitFor();
    site.faults();
  });

  it("says of a mail that it waits because the operator has halted all sending", async () => {
    const { service } = site.server;
    const turn = (action: "halt" | "resume") =>
      service.ask(`/v1/sending/${action}`, { key: service.operator, method: "PATCH", json: {} });
    const box = await service.createMailbox();
    onTestFinished(async () => void (await turn("resume")));
    await turn("halt");
    const json = { to: "ann@elsewhere.example", subject: "Held", text: "Hello." };
    await service.ask("/v1/send?wait=30", { key: box.api_key, json });
    const page = await view(box);
    await page.getByRole("link", { name: "Sent" }).click();
    await line(page, "Held").getByRole("link").click();
    const delivery = reading(page).getByRole("region", { name: "Delivery" }).getByRole("listitem");
    await delivery.getByText("The operator has halted all sending.").waitFor();
    await delivery.getByText("queued", { exact: true }).waitFor();
    await expectAccessible(page);
    expect(site.faults()).toEqual([]);
  });
});
