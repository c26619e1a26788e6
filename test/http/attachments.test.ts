import { beforeAll, describe, expect, it } from "vitest";
import { api, ask, createMailbox, deliver, message, type TestMailbox } from "../harness.ts";

interface Attachment {
  id: string;
  email_id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  mime_part_index: number;
}

/** The content of every test file: numbered blocks of ten bytes, so that a wrong range shows. */
const CONTENT = Array.from({ length: 100 }, (_, index) => String(index).padStart(10, "0")).join("");

function part(disposition: string, type = "application/octet-stream"): string[] {
  return [
    "--cut",
    `Content-Type: ${type}`,
    `Content-Disposition: ${disposition}`,
    "Content-Transfer-Encoding: base64",
    "",
    ...(btoa(CONTENT).match(/.{1,76}/g) ?? []),
  ];
}

/** A message with a file; over 512 KB if `large`. */
function mailWith(file: string[], large = false): string {
  const text = large ? "filler line of a large message\n".repeat(20_000) : "See the file.";
  return message(
    [`Message-ID: <${crypto.randomUUID()}@x>`, "Content-Type: multipart/mixed; boundary=cut"],
    ["--cut", "Content-Type: text/plain", "", text, ...file, "--cut--"].join("\n"),
  );
}

async function receive(box: TestMailbox, raw: string): Promise<Attachment> {
  const { body } = await deliver(box.mailbox, raw);
  const email = await ask<{ attachments: Attachment[] }>(`/v1/emails/${body.id}`, { key: box.api_key });
  const [attachment] = email.body.attachments;
  if (attachment === undefined) throw new Error("No attachment was found");
  return attachment;
}

let box: TestMailbox;
let small: Attachment;
let large: Attachment;

beforeAll(async () => {
  box = await createMailbox();
  small = await receive(box, mailWith(part('attachment; filename="a.bin"')));
  large = await receive(box, mailWith(part('attachment; filename="a.bin"'), true));
});

const get = (id: string, headers: Record<string, string> = {}) =>
  api(`/v1/attachments/${id}`, { key: box.api_key, headers });

describe.each([
  ["row", () => small],
  ["blob", () => large],
])("an attachment of a message that lies in a %s", (_, file) => {
  it("is described, and downloaded completely", async () => {
    const { id, email_id } = file();
    const email = await ask<{ attachments: unknown[] }>(`/v1/emails/${email_id}`, { key: box.api_key });
    expect(email.body).toMatchObject({
      has_attachments: true,
      attachment_count: 1,
      attachment_names: "a.bin",
    });
    expect(email.body.attachments).toEqual([
      {
        id,
        email_id,
        filename: "a.bin",
        content_type: "application/octet-stream",
        size_bytes: 1_000,
        content_disposition: "attachment",
        content_id: null,
        mime_part_index: 0,
        text_content: "",
        text_extraction_status: "unsupported",
        downloadable: true,
        created_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    const response = await get(id);
    expect(response.status).toBe(200);
    expect(response.headers.get("Accept-Ranges")).toBe("bytes");
    expect(response.headers.get("Content-Length")).toBe("1000");
    expect(await response.text()).toBe(CONTENT);
    expect(await (await api(`/v1/attachment?id=${id}`, { key: box.api_key })).text()).toBe(CONTENT);
  });

  it.each([
    ["the first byte", "bytes=0-0", 0, 1],
    ["the last byte", "bytes=999-999", 999, 1_000],
    ["a part", "bytes=10-29", 10, 30],
    ["an open end", "bytes=990-", 990, 1_000],
    ["all by an open end", "bytes=0-", 0, 1_000],
    ["a suffix", "bytes=-10", 990, 1_000],
    ["a suffix longer than the file", "bytes=-5000", 0, 1_000],
    ["an end beyond the file", "bytes=990-5000", 990, 1_000],
  ])("serves %s", async (_range, range, start, end) => {
    const response = await get(file().id, { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get("Content-Range")).toBe(`bytes ${start}-${end - 1}/1000`);
    expect(response.headers.get("Content-Length")).toBe(String(end - start));
    expect(await response.text()).toBe(CONTENT.slice(start, end));
  });

  it.each(["bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=999999999999999-"])(
    "answers 416 with its size to %s",
    async (range) => {
      const response = await get(file().id, { Range: range });
      expect(response.status).toBe(416);
      expect(response.headers.get("Content-Range")).toBe("bytes */1000");
      await response.arrayBuffer();
    },
  );

  it.each([
    "bytes=0-1,5-9",
    "items=0-1",
    "bytes=",
    "bytes=-",
    "bytes=5-1",
    "bytes=a-b",
    "bytes=0-0-0",
    "0-1",
  ])("is served whole for a Range that is not one range of bytes: %s", async (range) => {
    const response = await get(file().id, { Range: range });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Range")).toBeNull();
    expect(await response.text()).toBe(CONTENT);
  });

  it("is deleted with its email", async () => {
    const own = await createMailbox();
    const isLarge = file() === large;
    const attachment = await receive(own, mailWith(part("attachment; filename=a"), isLarge));
    await ask(`/v1/emails/${attachment.email_id}`, { key: own.api_key, method: "DELETE" });
    expect((await api(`/v1/attachments/${attachment.id}`, { key: own.api_key })).status).toBe(404);
  });
});

describe("no attachment is ever rendered on this origin", () => {
  it.each(["text/html", "image/svg+xml", "application/xhtml+xml", "text/javascript", "application/pdf"])(
    "not as %s, though it asks to be inline",
    async (type) => {
      const attachment = await receive(box, mailWith(part('inline; filename="page.html"', type)));
      const response = await get(attachment.id);
      await response.arrayBuffer();
      expect(response.headers.get("Content-Disposition")).toMatch(/^attachment;/);
      expect(response.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("Content-Type")?.split(";")[0]).toBe(type);
    },
  );

  it.each([
    ['attachment; filename="../../etc/passwd"', "passwd"],
    ['attachment; filename="C:\\\\temp\\\\evil.exe"', "evil.exe"],
    ['attachment; filename="a\\"; x=\\"b.txt"', 'a"; x="b.txt'],
    ["attachment; filename*=UTF-8''a%0D%0AX-Injected:%20y.txt", "a X-Injected: y.txt"],
    ["attachment; filename*=UTF-8''%E2%80%AEcod.exe", "cod.exe"],
    ["attachment; filename*=UTF-8''caf%C3%A9%20%F0%9F%98%80.txt", "café 😀.txt"],
    ["attachment; filename*=UTF-8''100%25.txt", "100%.txt"],
    ['attachment; filename="it\'s (1)*.txt"', "it's (1)*.txt"],
  ])("whatever its name: %s", async (disposition, filename) => {
    const attachment = await receive(box, mailWith(part(disposition)));
    expect(attachment.filename).toBe(filename);
    const response = await get(attachment.id);
    await response.arrayBuffer();
    const header = response.headers.get("Content-Disposition") ?? "";
    expect(response.headers.get("X-Injected")).toBeNull();
    expect(header).toMatch(
      /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w.!#$&+^`|~%-]*$/,
    );
    expect(decodeURIComponent(header.split("UTF-8''")[1] ?? "")).toBe(filename);
  });

  it("with a name of 5 kB, which is shortened and keeps its extension", async () => {
    const attachment = await receive(box, mailWith(part(`attachment; filename="${"n".repeat(5_000)}.pdf"`)));
    expect(attachment.filename.length).toBeLessThanOrEqual(200);
    expect(attachment.filename).toMatch(/^n+\.pdf$/);
    expect((await get(attachment.id)).status).toBe(200);
  });

  it("with a Content-Type that would split the header", async () => {
    const attachment = await receive(
      box,
      mailWith(part('attachment; filename="a"', 'text/html\u0000\u000b; charset="x\\\r y"')),
    );
    const response = await get(attachment.id);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(/^[\w.+-]+\/[\w.+-]+(;.*)?$/);
  });
});
