import { describe, expect, it } from "vitest";
import { version } from "postal-mime/package.json" with { type: "json" };
import {
  KNOWN_VERSION,
  PostalMimeInternals,
  type Internals,
  type PartNode,
} from "../../../src/mail/mime/postal-mime-internals.ts";

const MESSAGE = `Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain

Hello
--inner
Content-Type: text/html

<p>Hello
--inner--
--outer
Content-Type: application/pdf
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=a.pdf

AAAA
--outer--
`;

/** Notes which of its members the parser itself calls. */
class Observed extends PostalMimeInternals {
  readonly calls = new Set<string>();

  async read(message: string): Promise<void> {
    for (const line of message.split("\n")) {
      await this.processLine(new TextEncoder().encode(line), false);
    }
    await this.finalize();
    this.forceRfc822Attachments = true;
    await this.collectNode(this.root, false, false);
  }

  override collectNode(...args: Parameters<Internals["collectNode"]>) {
    this.calls.add("collectNode");
    return super.collectNode(...args);
  }

  override addTextEntry(...args: Parameters<Internals["addTextEntry"]>) {
    this.calls.add("addTextEntry");
    super.addTextEntry(...args);
  }

  override collectAttachment(...args: Parameters<Internals["collectAttachment"]>) {
    this.calls.add("collectAttachment");
    super.collectAttachment(...args);
  }

  override isInlineTextNode(node: PartNode) {
    this.calls.add("isInlineTextNode");
    return super.isInlineTextNode(node);
  }
}

async function parsed(): Promise<Observed> {
  const parser = new Observed({});
  await parser.read(MESSAGE);
  return parser;
}

describe("The internal members of postal-mime", () => {
  it(`are those of ${KNOWN_VERSION}: compare them with the source of any other version`, () => {
    expect(version).toBe(KNOWN_VERSION);
  });

  it("are called by the parser itself where they are overridden", async () => {
    const { calls } = await parsed();
    expect([...calls].toSorted()).toEqual([
      "addTextEntry",
      "collectAttachment",
      "collectNode",
      "isInlineTextNode",
    ]);
  });

  it("hold the tree of parts, their headers and bodies", async () => {
    const { root } = await parsed();
    const [alternative, file] = root.childNodes;
    const [plain, html] = alternative?.childNodes ?? [];
    expect(root.contentType.multipart).toBe("mixed");
    expect(alternative?.parentNode).toBe(root);
    expect(alternative?.contentType).toMatchObject({ multipart: "alternative" });
    expect(html?.contentType.parsed.value).toBe("text/html");
    expect(plain).toMatchObject({ state: "finished", contentTransferEncoding: { encoding: "8bit" } });
    expect(plain?.getTextContent()).toBe("Hello\n");
    expect(file).toMatchObject({
      contentTransferEncoding: { encoding: "base64" },
      contentDisposition: { parsed: { value: "attachment", params: { filename: "a.pdf" } } },
    });
    expect(new Uint8Array(file?.content ?? new ArrayBuffer(0))).toEqual(new Uint8Array(3));
  });

  it("hold the texts of the parts that are shown, and the files", async () => {
    const { textMap, attachments } = await parsed();
    const texts = [...textMap.values()];
    expect(texts).toMatchObject([{ plain: [{ value: "Hello\n" }], html: [{ value: "<p>Hello\n" }] }]);
    expect(attachments).toMatchObject([{ filename: "a.pdf", mimeType: "application/pdf" }]);
  });

  it("name the delimiters that are open, and install a decoder before the first line of a body", async () => {
    const parser = new Observed({});
    const upToBody = MESSAGE.slice(0, MESSAGE.indexOf("Hello"));
    for (const line of upToBody.split("\n").slice(0, -1)) {
      await parser.processLine(new TextEncoder().encode(line), false);
    }
    const open = parser.boundaries.map(({ value }) => new TextDecoder().decode(value));
    expect(open).toEqual(["outer", "inner"]);
    expect(parser.currentNode.state).toBe("body");
    expect(parser.currentNode.contentDecoder).toMatchObject({
      update: expect.any(Function),
      finalize: expect.any(Function),
    });
  });
});
