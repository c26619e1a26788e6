import { beforeAll, describe, expect, it } from "vitest";
import { notFound, problemBody } from "../../src/contract/problem.ts";
import { idOf, idTail, readId } from "../../src/lib/ids.ts";
import { locatorOf } from "../../src/contract/key.ts";
import {
  api,
  ask,
  createMailbox,
  deliver,
  DOMAIN,
  message,
  OPERATOR,
  plainMessage,
  tablesOf,
  type TestMailbox,
} from "../harness.ts";

const WRONG_MAILBOX = [403, '{"error":"forbidden","message":"Key not authorized for this mailbox"}'];

let a: TestMailbox;
let b: TestMailbox;
let emailOfB: string;
let threadOfB: string;
let attachmentOfB: string;

beforeAll(async () => {
  a = await createMailbox();
  b = await createMailbox();
  await deliver(a.mailbox, plainMessage({ subject: "Mail of A" }));
  const withFile = message(
    ["Subject: Secret of B", "Content-Type: multipart/mixed; boundary=x"],
    [
      "--x",
      "Content-Type: text/plain",
      "",
      "Hi",
      "--x",
      'Content-Disposition: attachment; filename="b.txt"',
      "",
      "B",
      "--x--",
    ].join("\n"),
  );
  emailOfB = (await deliver(b.mailbox, withFile)).body.id;
  const email = await ask<{ thread_id: string; attachments: { id: string }[] }>(`/v1/emails/${emailOfB}`, {
    key: b.api_key,
  });
  threadOfB = email.body.thread_id;
  attachmentOfB = email.body.attachments[0]?.id ?? "";
});

const toldOf = async (response: Response) => [response.status, await response.text()];

describe("a key of one mailbox that names another", () => {
  it.each(["mailbox", "mailbox[]", "mailbox%5B%5D", "address", "to"])(
    "is refused with the exact body: ?%s=",
    async (name) => {
      expect(await toldOf(await api(`/v1/inbox?${name}=${b.mailbox}`, { key: a.api_key }))).toEqual(
        WRONG_MAILBOX,
      );
    },
  );

  it("gets the same answer for a mailbox that does not exist, and for an invalid address", async () => {
    for (const other of [`nobody-at-all@${DOMAIN}`, "someone@elsewhere.example", "nonsense", "%00"]) {
      expect(await toldOf(await api(`/v1/inbox?mailbox=${other}`, { key: a.api_key }))).toEqual(
        WRONG_MAILBOX,
      );
    }
  });

  it("is refused on every route, before its input is checked", async () => {
    const other = `mailbox=${b.mailbox}`;
    for (const path of [
      "me",
      "inbox",
      "search?q=x",
      "email?id=x",
      "emails/x",
      "emails/x/raw",
      "code",
      "stats",
    ]) {
      const glue = path.includes("?") ? "&" : "?";
      expect(await toldOf(await api(`/v1/${path}${glue}${other}`, { key: a.api_key }))).toEqual(
        WRONG_MAILBOX,
      );
    }
    for (const path of [
      "threads",
      "thread?id=x",
      "threads/x",
      "attachments/x",
      "keys",
      "mailbox",
      "mailbox/routes",
      "webhook/deliveries",
      "suppressions",
      "mailbox/rules",
      "refused",
    ]) {
      const glue = path.includes("?") ? "&" : "?";
      expect(await toldOf(await api(`/v1/${path}${glue}${other}`, { key: a.api_key }))).toEqual(
        WRONG_MAILBOX,
      );
    }
    expect(await toldOf(await api(`/v1/inbox?limit=0&${other}`, { key: a.api_key }))).toEqual(WRONG_MAILBOX);
    expect(await toldOf(await api(`/v1/mailbox?${other}`, { key: a.api_key, method: "DELETE" }))).toEqual(
      WRONG_MAILBOX,
    );
    expect(
      await toldOf(await api(`/v1/mailbox/resume?${other}`, { key: a.api_key, method: "PATCH" })),
    ).toEqual(WRONG_MAILBOX);
    expect(await toldOf(await api(`/v1/emails/x?${other}`, { key: a.api_key, method: "DELETE" }))).toEqual(
      WRONG_MAILBOX,
    );
    for (const path of ["attachments?filename=a.txt", "attachments?filename="]) {
      const upload = { key: a.api_key, body: "bytes" };
      expect(await toldOf(await api(`/v1/${path}&${other}`, upload))).toEqual(WRONG_MAILBOX);
    }
    expect((await api("/v1/inbox", { key: b.api_key })).status).toBe(200);
  });

  it("is refused in the body too", async () => {
    const json = { mailbox: b.mailbox, display_name: "x" };
    expect(await toldOf(await api("/v1/mailbox", { key: a.api_key, method: "PATCH", json }))).toEqual(
      WRONG_MAILBOX,
    );
    for (const path of [
      "keys",
      "webhook/test",
      "webhook/replay",
      "webhook/deliveries/x/redeliver",
      "send",
      "emails/x/reply",
      "emails/x/forward",
    ]) {
      expect(
        await toldOf(await api(`/v1/${path}`, { key: a.api_key, json: { mailbox: b.mailbox } })),
      ).toEqual(WRONG_MAILBOX);
    }
  });

  it("is refused if it also names its own, in either order", async () => {
    for (const pair of [
      `mailbox=${a.mailbox}&mailbox=${b.mailbox}`,
      `mailbox=${b.mailbox}&mailbox=${a.mailbox}`,
      `mailbox=${a.mailbox}&address=${b.mailbox}`,
    ]) {
      expect(await toldOf(await api(`/v1/inbox?${pair}`, { key: a.api_key }))).toEqual(WRONG_MAILBOX);
    }
  });

  it("is refused by HEAD as by GET", async () => {
    const head = await api(`/v1/inbox?mailbox=${b.mailbox}`, { key: a.api_key, method: "HEAD" });
    expect(head.status).toBe(403);
    const recipient = await api(`/v1/inbox?to=${b.mailbox}`, { key: a.api_key, method: "HEAD" });
    expect(recipient.status).toBe(403);
  });

  it("cannot reach it by a header of that name", async () => {
    for (const header of ["X-Mailbox", "Mailbox", "X-Forwarded-User", "X-HTTP-Method-Override"]) {
      const { body } = await ask("/v1/stats", { key: a.api_key, headers: { [header]: b.mailbox } });
      expect(body).toMatchObject({ mailbox: a.mailbox });
    }
  });

  it("may filter by recipients at other domains", async () => {
    const { status, body } = await ask("/v1/inbox?to=someone@elsewhere.example", { key: a.api_key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ emails: [] });
  });
});

describe("a mailbox named by its own key", () => {
  it("is known in every spelling of its address", async () => {
    const [local = "", domain = ""] = a.mailbox.split("@");
    for (const spelling of [
      a.mailbox.toUpperCase(),
      `${local}%2Btag@${domain}`,
      `${local}%40${domain}`,
      `${local}@${domain}.`,
      `%20${a.mailbox}%20`,
      `%22${local}%22@${domain}`,
    ]) {
      const { status, body } = await ask(`/v1/stats?mailbox=${spelling}`, { key: a.api_key });
      expect([spelling, status]).toEqual([spelling, 200]);
      expect(body).toMatchObject({ mailbox: a.mailbox });
    }
  });

  it("is another one in every spelling that only looks similar", async () => {
    const [local = "", domain = ""] = a.mailbox.split("@");
    for (const spelling of [
      `${local}\uff20${domain}`,
      `${local.replace("o", "\u043e")}@${domain}`,
      `${local}\u200b@${domain}`,
      `${local}@sub.${domain}`,
      `${local}@${domain}@${domain}`,
      `${local}x@${domain}`,
      `${a.mailbox},${b.mailbox}`,
    ]) {
      const mailbox = encodeURIComponent(spelling);
      expect(await toldOf(await api(`/v1/stats?mailbox=${mailbox}`, { key: a.api_key }))).toEqual(
        WRONG_MAILBOX,
      );
    }
  });

  it("is not created by an operator who looks for a variant of it", async () => {
    const variant = `${a.mailbox.split("@")[0]}@other.example`;
    expect((await api(`/v1/inbox?mailbox=${variant}`, { key: OPERATOR })).status).toBe(404);
    expect(await tablesOf(variant)).toEqual([]);
  });
});

describe("an id of another mailbox", () => {
  /** A valid id of mailbox A that no message has. */
  const unused = () => idOf(123_456, idTail(locatorOf(a.mailbox)));

  it.each([
    ["GET", "/v1/emails/:id", () => emailOfB],
    ["GET", "/v1/email?id=:id", () => emailOfB],
    ["GET", "/v1/emails/:id/raw", () => emailOfB],
    ["DELETE", "/v1/emails/:id", () => emailOfB],
    ["DELETE", "/v1/email?id=:id", () => emailOfB],
    ["PATCH", "/v1/emails/:id", () => emailOfB],
    ["POST", "/v1/emails/:id/reply", () => emailOfB, { text: "Mine?" }],
    ["POST", "/v1/emails/:id/forward", () => emailOfB, { to: "ann@example.net" }],
    ["GET", "/v1/threads/:id", () => threadOfB],
    ["GET", "/v1/thread?id=:id", () => threadOfB],
    ["GET", "/v1/attachments/:id", () => attachmentOfB],
    ["GET", "/v1/attachment?id=:id", () => attachmentOfB],
  ])("is answered like a random one, to the byte: %s %s", async (method, path, foreign, json?: object) => {
    const answers = [];
    const ids = [
      foreign(),
      unused(),
      crypto.randomUUID(),
      "nonsense",
      "../../v1/me",
      "'; DROP TABLE message--",
    ];
    for (const id of ids) {
      const response = await api(path.replace(":id", encodeURIComponent(id)), {
        key: a.api_key,
        method,
        json,
      });
      answers.push(`${response.status} ${await response.text()}`);
    }
    expect(new Set(answers).size).toBe(1);
    const documented = (["Email", "Thread", "Attachment"] as const).map(
      (what) => `404 ${JSON.stringify(problemBody(notFound(what)))}`,
    );
    expect(documented).toContain(answers[0]);
  });

  it("changes nothing", async () => {
    await api(`/v1/emails/${emailOfB}`, { key: a.api_key, method: "DELETE" });
    await api(`/v1/emails/${emailOfB}`, {
      key: a.api_key,
      method: "PATCH",
      json: { add_labels: ["stolen"] },
    });
    const { status, body } = await ask(`/v1/emails/${emailOfB}`, { key: b.api_key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ subject: "Secret of B", labels: ["personal"] });
  });

  it("may be one of an upload", async () => {
    const upload = await ask<{ id: string }>("/v1/attachments?filename=b.txt", {
      key: b.api_key,
      body: "Secret of B",
    });
    const path = `/v1/attachments/${upload.body.id}`;
    expect(await toldOf(await api(path, { key: a.api_key }))).toEqual(
      await toldOf(await api(`/v1/attachments/${crypto.randomUUID()}`, { key: a.api_key })),
    );
    expect((await api(path, { key: b.api_key })).status).toBe(200);
  });

  it("may be one of a key", async () => {
    const { body } = await ask<{ keys: { id: string }[] }>("/v1/keys", { key: b.api_key });
    const refused = await ask(`/v1/keys/${body.keys[0]?.id}`, { key: a.api_key, method: "DELETE" });
    expect(refused.status).toBe(404);
    expect((await api("/v1/inbox", { key: b.api_key })).status).toBe(200);
  });

  it("has a part that no other mailbox can make", () => {
    expect(readId(emailOfB, idTail(locatorOf(a.mailbox)))).toBeNull();
    expect(readId(emailOfB, idTail(locatorOf(b.mailbox)))).not.toBeNull();
  });

  it("of an email is not one of an attachment, nor the other way round", async () => {
    expect((await api(`/v1/attachments/${emailOfB}`, { key: b.api_key })).status).toBe(404);
    expect((await api(`/v1/emails/${attachmentOfB}`, { key: b.api_key })).status).toBe(404);
    expect((await api(`/v1/threads/${attachmentOfB}`, { key: b.api_key })).status).toBe(404);
    expect((await api(`/v1/emails/${emailOfB.toUpperCase()}`, { key: b.api_key })).status).toBe(200);
  });
});
