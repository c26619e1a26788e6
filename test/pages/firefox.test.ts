import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PolledClaim, StartedClaim } from "../../src/contract/claim.ts";
import { message } from "../served/messages.ts";
import { Server } from "../served/server.ts";
import { Firefox, NO_FIREFOX, type Tab } from "./firefox.ts";

describe.skipIf(NO_FIREFOX)("the pages in Firefox", () => {
  let server: Server;
  let firefox: Firefox;
  beforeAll(async () => {
    [server, firefox] = await Promise.all([
      Server.start({ env: { CLAIM_APPROVAL: "open" } }),
      Firefox.open(),
    ]);
  });
  afterAll(async () => {
    await firefox.close();
    await server.stop();
  });

  const FOCUSED = "document.activeElement.textContent";

  /** The beginning of a mail's view: its heading. */
  const reading = (tab: Tab, heading: string): Promise<void> => tab.see(heading, "[data-part=reading] h2");

  it("sign a reader in, show mail and its code, find, write and send, by mouse and by keys", async () => {
    const { service } = server;
    const [box, friend] = await Promise.all([service.createMailbox(), service.createMailbox()]);
    const deliver = (subject: string, body: string): Promise<unknown> =>
      service.handOver(box.mailbox, message({ subject, body }));
    await deliver("Your code", "Your code is 482913.\n");
    await deliver("About pears", "We have pears today.\n");
    await deliver("About plums", "We have plums today.\n");

    const tab = await firefox.visit(`${server.url}/mailbox`);
    await tab.fill("Key", box.api_key);
    await tab.click("button", "Open the mailbox");
    await tab.see("About plums", ".mails");
    await tab.see("Live", "[data-part=connection]");
    await deliver("Just now", "While the page is open.\n");
    await tab.see("Just now", ".mails");

    // The keys of the viewer.
    await tab.press("j", "j");
    await expect.poll(() => tab.evaluate(FOCUSED)).toContain("About plums");
    await tab.press("j", "Enter");
    await reading(tab, "About pears");
    await tab.press("j");
    await reading(tab, "Your code");
    await tab.click("button", "Copy the code");
    // Whether a program may write to the clipboard is the browser's to say; the page tells either.
    await expect
      .poll(() => tab.evaluate("document.querySelector('.prominent button').textContent"))
      .toMatch(/^(?:Copied|Not allowed here)$/);
    await tab.press("u");
    await tab.see("Choose a mail", "[data-part=reading]");
    await expect.poll(() => tab.evaluate(FOCUSED)).toContain("Your code");
    await tab.press("?");
    await tab.see("The next mail, the mail before", "dialog[open]");
    await tab.press("Escape");

    await tab.press("/");
    await tab.type("plums");
    await tab.press("Enter");
    await expect.poll(() => tab.evaluate("document.querySelectorAll('.mails > li').length")).toBe(1);
    await tab.see("About plums", ".mails");

    await tab.press("Escape", "c");
    await reading(tab, "New mail");
    await tab.fill("Subject", "From Firefox");
    await tab.fill("Text", "Hello.");
    await tab.fill("To", friend.mailbox);
    await tab.click("button", "Send");
    await reading(tab, "From Firefox");
    await tab.see("delivered", "[data-part=reading]");
    const [arrived] = await service.inbox(friend.api_key);
    expect(arrived?.subject).toBe("From Firefox");

    await tab.reload();
    await reading(tab, "From Firefox");
    expect(firefox.faults()).toEqual([]);
  });

  it("let a person approve a claim", async () => {
    const { service } = server;
    const json = { name: "from-firefox" };
    const { body: claim } = await service.ask<StartedClaim>("/v1/claim/start", { json });
    const tab = await firefox.visit(claim.verification_uri_complete);
    await tab.see(claim.device_code);
    await tab.click("button", "Approve");
    await tab.see("is your agent's mailbox now");
    const polled = await service.ask<PolledClaim>(`/v1/claim/poll?session=${claim.session_id}`);
    expect(polled.body.status).toBe("complete");
    expect(firefox.faults()).toEqual([]);
  });

  it("sign the operator in, and list the mailboxes", async () => {
    const box = await server.service.createMailbox();
    const tab = await firefox.visit(`${server.url}/operator`);
    await tab.fill("Operator key", server.token);
    await tab.click("button", "Sign in");
    await tab.see("Sign out");
    await tab.click("link", "Mailboxes");
    await tab.see("Last activity");
    // The directory hears of a new mailbox a second later.
    await expect
      .poll(
        async () => {
          await tab.reload();
          return tab.evaluate("document.querySelector('main').innerText");
        },
        { interval: 500 },
      )
      .toContain(box.mailbox);
    expect(firefox.faults()).toEqual([]);
  });
});
