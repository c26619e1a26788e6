import { afterEach, expect, it } from "vitest";
import {
  ask,
  createMailbox,
  deliver,
  DOMAIN,
  inject,
  OPERATOR,
  plainMessage,
  tablesOf,
  type Ask,
} from "../harness.ts";

interface Page {
  emails: { subject: string; to_address: string }[];
}

const POSTMASTER = `postmaster@${DOMAIN}`;
const asOperator = async (address: string, vars: Ask["vars"] = {}) =>
  (await ask<Page>(`/v1/inbox?mailbox=${address}`, { key: OPERATOR, vars })).body.emails;
const lookUp = (address: string, vars: Ask["vars"] = {}) =>
  ask<{ mailbox: string }>(`/v1/mailboxes/${address}`, { key: OPERATOR, vars });

afterEach(() => ask(`/v1/mailboxes/${POSTMASTER}`, { key: OPERATOR, method: "DELETE" }));

it("stores mail for postmaster and abuse in one mailbox, which the operator can read and list", async () => {
  for (const to of [POSTMASTER, `Abuse@${DOMAIN}`, `abuse+report@${DOMAIN}`]) {
    expect((await lookUp(to.replace("+", "%2B"))).body).toMatchObject({ mailbox: POSTMASTER });
    expect((await deliver(to, plainMessage({ subject: to }))).status).toBe(202);
  }
  expect(await inject(plainMessage({ subject: "routed" }), "s@example.com", POSTMASTER)).toEqual({
    rejected: null,
  });
  expect((await asOperator(POSTMASTER)).map(({ to_address }) => to_address)).toEqual([
    POSTMASTER,
    `abuse+report@${DOMAIN}`,
    `abuse@${DOMAIN}`,
    POSTMASTER,
  ]);
  const { body } = await ask<{ mailboxes: { mailbox: string }[] }>("/v1/mailboxes?limit=100", {
    key: OPERATOR,
  });
  expect(body.mailboxes.map((one) => one.mailbox)).toContain(POSTMASTER);
});

it("creates the role mailbox when the first mail comes, and again after it was erased", async () => {
  expect(await tablesOf(POSTMASTER)).toEqual([]);
  expect((await deliver(POSTMASTER, plainMessage())).status).toBe(202);
  await ask(`/v1/mailboxes/${POSTMASTER}`, { key: OPERATOR, method: "DELETE" });
  expect((await deliver(POSTMASTER, plainMessage())).status).toBe(202);
  expect((await asOperator(POSTMASTER)).length).toBe(1);
});

it("delivers mail for the roles to the mailbox that POSTMASTER names", async () => {
  const { mailbox, api_key } = await createMailbox();
  const vars = { POSTMASTER: mailbox.toUpperCase() };
  expect((await lookUp(POSTMASTER, vars)).body).toMatchObject({ mailbox });
  expect((await deliver(`abuse@${DOMAIN}`, plainMessage(), "s@example.com", vars)).status).toBe(202);
  const { body } = await ask<Page>("/v1/inbox", { key: api_key });
  expect(body.emails.map(({ to_address }) => to_address)).toEqual([`abuse@${DOMAIN}`]);
  expect(await tablesOf(POSTMASTER)).toEqual([]);
});

it("creates no role mailbox if nobody could read it, nor for another domain", async () => {
  const raw = plainMessage();
  expect((await inject(raw, "s@example.com", POSTMASTER, { AUTH_TOKEN: "" })).rejected).toMatch(/^550 /);
  for (const to of ["postmaster@elsewhere.example", `hostmaster@${DOMAIN}`]) {
    expect((await deliver(to, raw)).status).toBe(404);
  }
});

it("refuses a POSTMASTER that is not an address", async () => {
  const answer = await lookUp(POSTMASTER, { POSTMASTER: "me" });
  expect([answer.status, answer.body]).toMatchObject([
    503,
    { error: expect.stringContaining("POSTMASTER must be an email address") as string },
  ]);
});

it.each(["postmaster", "abuse"])("lets nobody claim %s", async (name) => {
  const claim = await ask("/v1/claim/start", { json: { name } });
  expect([claim.status, claim.body]).toMatchObject([400, { error: `name: ${name} is reserved` }]);
});
