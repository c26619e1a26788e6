import type { Api } from "../../client/index.ts";
import { command } from "../command.ts";
import { CliError, EXIT, usageError, type ExitCode } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { bodyFlags } from "../route-flags.ts";
import type { Column } from "../terminal/table.ts";
import { shownTime } from "../time.ts";

type Expectation = Api["expectation"]["answer"];
type Totp = Api["listTotp"]["answer"]["totp"][number];

const expectationBody = bodyFlags("createExpectation", ["from_domain"]);
const totpBody = bodyFlags("addTotp", ["label", "secret", "otpauth_uri"]);

/** Seconds that `mailkeep expect wait` waits by default. */
const USUAL_WAIT_SECONDS = 60;
/** The most seconds that the service holds a call. */
const MAX_POLL_SECONDS = 55;

const EXPECTATION = { name: "id", about: "The id of an expectation, as `mailkeep expect` shows it." };
const SECRET = { name: "id", about: "The id of a secret, as `mailkeep totp` shows it." };

const TOTP_COLUMNS: readonly Column<Totp>[] = [
  { title: "ID", of: ({ id }) => id, style: "dim" },
  { title: "ALGORITHM", of: ({ algorithm }) => algorithm },
  { title: "DIGITS", of: ({ digits }) => digits },
  { title: "PERIOD", of: ({ period }) => period },
  { title: "MADE", of: ({ created_at }) => shownTime(created_at) },
  { title: "LABEL", of: ({ label }) => label, flexible: true },
];

const shown = ({ id, address, status, expires_at, hint }: Expectation) => ({
  Id: id,
  Address: address,
  Status: status,
  Until: shownTime(expires_at),
  ...(hint === undefined ? {} : { Hint: hint }),
});

/** The error where the expected mail did not come; it names why other mail was rejected. */
function notMatched({ id, status, rejected }: Expectation): CliError {
  const reasons = [...new Set(rejected.map(({ reason }) => reason))].join(", ");
  const others = reasons === "" ? "" : `; other mail was rejected: ${reasons}`;
  const next = status === "waiting" ? `mailkeep expect wait ${id}` : "mailkeep expect <domain>";
  return new CliError(EXIT.nothing, `the expected mail did not come (${status})${others}`, next);
}

export const signUpCommands = [
  command({
    name: "expect",
    summary: "Expect a code from a domain, before you ask for the code",
    args: [{ name: "domain", about: OPERATIONS.createExpectation.body["from_domain"]?.about ?? "" }],
    flags: expectationBody.flags,
    about: [
      "Prints the address to sign up with, and the id for `mailkeep expect wait`.",
      "On a deployment that checks no senders, use --no-strict: the domain in From is then only compared.",
    ],
    examples: [
      "mailkeep expect github.com --exclusive",
      "mailkeep expect github.com --no-strict",
      "mailkeep expect shop.example --kind link --siblings shopmail.example --json",
    ],
    run: async ({ mail, output, signal }, { words: [from_domain = ""], flags }) => {
      const made = await mail.expectations.create(
        { ...expectationBody.read(flags), from_domain },
        { signal },
      );
      await output.fields(made, shown(made));
    },
  }),
  command({
    name: "expect wait",
    summary: "Wait for the expected mail, and print its code or link",
    args: [EXPECTATION],
    flags: {
      wait: {
        type: "integer",
        about: `How long to wait; ${USUAL_WAIT_SECONDS} unless given.`,
        value: "seconds",
      },
    },
    about: ["Prints the code and nothing else (the link where there is no code); exit code 3 if none came."],
    examples: ["CODE=$(mailkeep expect wait 01a202aa-8f50-7000-949b-74c43c6e0000 --wait 120)"],
    run: async ({ mail, output, signal }, { words: [id = ""], flags }): Promise<ExitCode | void> => {
      const seconds = typeof flags["wait"] === "number" ? Math.max(0, flags["wait"]) : USUAL_WAIT_SECONDS;
      const found = await output.progress.during("Waiting for the expected mail", async () => {
        const endMs = performance.now() + seconds * 1_000;
        for (;;) {
          const left = Math.max(0, Math.ceil((endMs - performance.now()) / 1_000));
          const wait = Math.min(MAX_POLL_SECONDS, left);
          const state = await mail.expectations.get(id, { wait }, { signal });
          if (state.status !== "waiting" || left <= MAX_POLL_SECONDS) return state;
        }
      });
      if (found.status !== "matched") throw notMatched(found);
      const value = found.code ?? found.link;
      if (output.isJsonAsked) return output.value(found, () => []);
      if (value === null)
        throw new CliError(
          EXIT.nothing,
          "the code was answered before, more than a minute ago",
          "mailkeep inbox",
        );
      await output.text(value);
    },
  }),
  command({
    name: "expect cancel",
    summary: OPERATIONS.cancelExpectation.summary,
    args: [EXPECTATION],
    flags: {},
    examples: ["mailkeep expect cancel 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const cancelled = await mail.expectations.cancel(id, { signal });
      await output.fields(cancelled, shown(cancelled));
    },
  }),
  command({
    name: "totp",
    summary: "List the stored secrets of second factors",
    args: [],
    flags: {},
    examples: ["mailkeep totp"],
    run: async ({ mail, output, signal }) => {
      const { totp } = await mail.totp.list({ signal });
      await output.rows(totp, TOTP_COLUMNS, "No secrets.");
    },
  }),
  command({
    name: "totp add",
    summary: "Store the secret of a second factor, from stdin",
    args: [
      { name: "label", about: "The name of the account; by default the label of the URI.", isOptional: true },
    ],
    flags: totpBody.flags,
    about: ["Reads the secret in Base32, or the otpauth:// address of a QR code. No command shows it again."],
    examples: ['mailkeep totp add "Shop: agent@mail.example" < secret.txt'],
    run: async (context, { words: [label = ""], flags }) => {
      const { mail, output, signal } = context;
      const written = new TextDecoder().decode(await context.readStdin("the secret")).trim();
      if (written === "") throw usageError("totp add needs a secret on stdin", "totp add");
      const secret = written.toLowerCase().startsWith("otpauth:")
        ? { otpauth_uri: written }
        : { secret: written };
      const named = label === "" ? {} : { label };
      const added = await mail.totp.add({ ...totpBody.read(flags), ...secret, ...named }, { signal });
      await output.fields(added, { Id: added.id, Label: added.label });
    },
  }),
  command({
    name: "totp code",
    summary: "Print the current one-time password",
    args: [SECRET],
    flags: {},
    examples: ["CODE=$(mailkeep totp code 01a202aa-8f50-7000-949b-74c43c6e0000)"],
    run: async ({ mail, output, signal }, { words: [id = ""] }): Promise<ExitCode | void> => {
      const answer = await mail.totp.code(id, { signal });
      if (output.isJsonAsked) return output.value(answer, () => []);
      await output.text(answer.code);
    },
  }),
  command({
    name: "totp delete",
    summary: OPERATIONS.deleteTotp.summary,
    args: [SECRET],
    flags: {},
    examples: ["mailkeep totp delete 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const deleted = await mail.totp.delete(id, { signal });
      await output.value(deleted, () => ["Deleted."]);
    },
  }),
];
