import type { BrowserContext, Locator, Page } from "playwright-core";
import type { MailboxKey, Service } from "../served/client.ts";
import { message, type Parts } from "../served/messages.ts";
import type { Reader, Site } from "./browser.ts";

/** Opens the viewer as a new reader, and signs in as people do. */
export async function openViewer(site: Site, { api_key }: MailboxKey, reader: Reader = {}): Promise<Page> {
  const page = await site.visit("/mailbox", reader);
  await signIn(page, api_key);
  return page;
}

/** Pastes a key and waits for the mailbox. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Open the mailbox" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
}

/** Lines of the list. */
export const lines = (page: Page): Locator => page.locator(".mails > li");

/** The line of a subject. */
export const line = (page: Page, subject: string): Locator => lines(page).filter({ hasText: subject });

/** Views beside the list. */
export const reading = (page: Page): Locator => page.locator("[data-part=reading]");

/** A mail with HTML, which is all that it has. */
export function htmlMail(html: string, parts: Parts = {}): Buffer {
  return message({
    subject: "In HTML",
    ...parts,
    headers: ["MIME-Version: 1.0", "Content-Type: text/html; charset=utf-8", ...(parts.headers ?? [])],
    body: html,
  });
}

/** Hands a mail over and answers its id. */
export async function deliver(service: Service, { mailbox }: MailboxKey, raw: Buffer): Promise<string> {
  const { status, body } = await service.handOver(mailbox, raw);
  if (status !== 202) throw new Error(`The mail was not taken: ${status}`);
  return body.id;
}

/** Every address that the pages of a reader asked for, from now on. */
export function requestsOf(context: BrowserContext): string[] {
  const urls: string[] = [];
  context.on("request", (request) => urls.push(request.url()));
  return urls;
}
