import { describe, expectTypeOf, it } from "vitest";
import type { Email, EmailSummary } from "../../src/contract/message.ts";
import type { CodeFilters } from "../../src/contract/routes.ts";
import type { Sent } from "../../src/contract/sending.ts";
import type { Change as LoggedChange } from "../../src/contract/event.ts";
import { Mailkeep, type Change, type Options } from "../../src/client/index.ts";

// The compiler reads this file; at run time it asks for nothing.
const mail = new Mailkeep({ url: "http://127.0.0.1:9", key: null });

describe("the types of the SDK", () => {
  it("are those of the route table", () => {
    expectTypeOf(mail.emails.get).returns.resolves.toEqualTypeOf<Email>();
    expectTypeOf(mail.send).returns.resolves.toEqualTypeOf<Sent>();
    expectTypeOf(mail.emails.raw).returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf<Change>().toEqualTypeOf<LoggedChange>();
    expectTypeOf(mail.codes.get).parameter(0).extract<object>().toHaveProperty("kind");
    type Kind = NonNullable<NonNullable<Parameters<typeof mail.codes.get>[0]>["kind"]>;
    expectTypeOf<Kind>().toEqualTypeOf<CodeFilters["kind"]>();
  });

  it("take a number as a number, a time as a Date or a text, and a flag as true or false", () => {
    type Query = NonNullable<Parameters<typeof mail.inbox.list>[0]>;
    expectTypeOf<Query["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Query["since"]>().toEqualTypeOf<Date | string | undefined>();
    expectTypeOf<Query["has_attachment"]>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<Query["direction"]>().toEqualTypeOf<"inbound" | "outbound" | undefined>();
    expectTypeOf<Query>().not.toHaveProperty("mailbox");
  });

  it("are items where a list is iterated", () => {
    type Listed = ReturnType<typeof mail.inbox.list>;
    type Item = Listed extends AsyncIterable<infer Each> ? Each : never;
    expectTypeOf<Item>().toExtend<EmailSummary>();
    expectTypeOf<Awaited<Listed>["next_cursor"]>().toEqualTypeOf<string | null>();
  });

  it("ask for what an endpoint needs, and only for that", () => {
    expectTypeOf(mail.send).toBeCallableWith(
      { to: ["a@b.example"], subject: "Hi", text: "Hi." },
      { wait: 5 },
    );
    expectTypeOf(mail.emails.forward).toBeCallableWith("1", { to: "a@b.example" });
    expectTypeOf(mail.mailbox.pause).toBeCallableWith();
    expectTypeOf(mail.mailboxes.list).toBeCallableWith({ status: "paused" });
    // @ts-expect-error a send needs recipients
    expectTypeOf(mail.send).toBeCallableWith({ subject: "Hi", text: "Hi." });
    // @ts-expect-error an email is found by its id
    expectTypeOf(mail.emails.get).toBeCallableWith();
    expectTypeOf<Options<"inbox">>().toHaveProperty("mailbox");
    expectTypeOf<Options<"listMailboxes">>().not.toHaveProperty("mailbox");
    expectTypeOf<Options<"reply">>().toHaveProperty("idempotencyKey");
    expectTypeOf<Options<"createKey">>().not.toHaveProperty("idempotencyKey");
  });
});
