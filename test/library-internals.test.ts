import { WorkerMailer } from "worker-mailer";
import { describe, expect, it } from "vitest";
import { dependencies, devDependencies } from "../package.json";
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
  ["nodemailer", "10.6.0", "src/outbound/nodemailer-internals.ts"],
  ["worker-mailer", "1.2.1", "src/outbound/worker-mailer-internals.ts"],
  // Public members, but when they are called is not documented.
  ["smtp-server", "3.21.6", "src/host/smtp/greeting.ts"],
] as const)("the private members of %s", (name, version, file) => {
  it(`were checked for version ${version}`, () => {
    expect({ ...dependencies, ...devDependencies }[name], `check ${file} against the new version`).toBe(
      version,
    );
  });
});

describe("the private members that we use", () => {
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
    for (const made of [nodemailer.MessageParser, nodemailer.RelaxedBody, nodemailer.sign]) {
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
});
