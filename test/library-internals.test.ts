import { sha256 } from "@noble/hashes/sha2.js";
import { WorkerMailer } from "worker-mailer";
import { describe, expect, it } from "vitest";
import { dependencies } from "../package.json";
import { PostalMimeInternals, type Internals, type PartNode } from "../src/mail/postal-mime-internals.ts";
import * as nodemailer from "../src/outbound/nodemailer-internals.ts";
import type { Steps } from "../src/outbound/worker-mailer-internals.ts";

/** The type of each member as `typeof` says it. A member that is missing in one of these lists does not compile. */
type Members<Type> = Record<
  keyof Type,
  "function" | "object" | "string" | "number" | "boolean" | "undefined"
>;

/** The types of the members of `owner` that are expected of it; "missing" for one that it does not have. */
function typesOf(owner: object, expected: object): Record<string, string> {
  const names = Object.keys(expected);
  return Object.fromEntries(
    names.map((name) => [name, name in owner ? typeof Reflect.get(owner, name) : "missing"]),
  );
}

// Private members may change with any version. After an upgrade, read what changed in them, run the tests of mail, outbound
// and transport, and only then raise the number here.
describe.each([
  ["postal-mime", "4.0.0", "src/mail/postal-mime-internals.ts"],
  ["nodemailer", "10.6.0", "src/outbound/nodemailer-internals.ts"],
  ["worker-mailer", "1.2.1", "src/outbound/worker-mailer-internals.ts"],
  ["@noble/hashes", "2.4.0", "src/lib/hash.ts"],
] as const)("the private members of %s", (name, version, file) => {
  it(`were checked for version ${version}`, () => {
    expect(dependencies[name], `check ${file} against the new version`).toBe(version);
  });
});

describe("the private members that we use", () => {
  it("exist in postal-mime's parser and its nodes", async () => {
    const parser: Members<Internals> = {
      textMap: "object",
      root: "object",
      currentNode: "object",
      boundaries: "object",
      forceRfc822Attachments: "boolean",
      processLine: "function",
      finalize: "function",
      collectNode: "function",
      addTextEntry: "function",
      collectAttachment: "function",
      isInlineTextNode: "function",
      attachments: "object",
    };
    const node: Members<PartNode> = {
      parentNode: "object",
      childNodes: "object",
      state: "string",
      content: "object",
      contentDecoder: "object",
      contentTransferEncoding: "object",
      contentType: "object",
      contentDisposition: "object",
      feed: "function",
      getTextContent: "function",
    };
    const made = new PostalMimeInternals({});
    expect(typesOf(made, parser)).toEqual(parser);
    const mail = [
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "text",
    ];
    for (const line of mail) await made.processLine(new TextEncoder().encode(line), false);
    expect(typesOf(made.root.childNodes[0] ?? {}, node)).toEqual(node);
  });

  it("exist in nodemailer's connection, and its modules are there", () => {
    const members: Members<nodemailer.Inner> = {
      _onData: "function",
      _onError: "function",
      _upgradeConnection: "function",
      _getDsnRcptToArgs: "function",
      _remainder: "string",
      _responseQueue: "object",
      _responsePartial: "boolean",
      _recipientQueue: "object",
      _supportedExtensions: "object",
      _maxAllowedSize: "number",
      _envelope: "boolean",
      _currentDataStream: "boolean",
    };
    expect(typesOf(new nodemailer.SmtpConnectionInternals({ host: "relay.example" }), members)).toEqual(
      members,
    );
    for (const made of [
      nodemailer.MessageParser,
      nodemailer.RelaxedBody,
      nodemailer.sign,
      nodemailer.XOAuth2,
    ]) {
      expect(typeof made).toBe("function");
    }
  });

  it("exist in worker-mailer's session", () => {
    const steps: Members<Steps> = {
      greet: "function",
      ehlo: "function",
      tls: "function",
      parseCapabilities: "function",
      auth: "function",
      mail: "function",
      rcpt: "function",
      data: "function",
      notificationBuilder: "function",
      writeLine: "function",
      readTimeout: "function",
    };
    expect(typesOf(WorkerMailer.prototype, steps)).toEqual(steps);
  });

  it("exist in the hashes: a state is reset from another one", () => {
    const [untouched, state] = [sha256.create(), sha256.create()];
    const first = state.update(new Uint8Array([1])).digest();
    const again = untouched
      ._cloneInto(sha256.create())
      .update(new Uint8Array([1]))
      .digest();
    expect(again).toEqual(first);
  });
});
