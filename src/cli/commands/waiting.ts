import { command } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { queryFlags } from "../route-flags.ts";
import { instantOf, shownTime, TIME_FORMS } from "../time.ts";

const codeQuery = queryFlags("code", ["timeout"]);

/** Seconds that `mailkeep wait` waits unless it is told. */
const USUAL_WAIT_SECONDS = 60;

const seconds = (about: string) => ({ type: "integer", about, value: "seconds" }) as const;

/** The end of a command for which nothing came in time. */
function nothingCame(what: string, waited: number): CliError {
  const next = waited === 0 ? "wait for one: mailkeep code --wait 60" : "mailkeep inbox";
  return new CliError(
    EXIT.nothing,
    waited === 0 ? `there is no ${what}` : `no ${what} came in ${waited} s`,
    next,
  );
}

export const waitingCommands = [
  command({
    name: "code",
    summary: "Print a verification code, and wait until it comes",
    args: [],
    flags: {
      wait: seconds("How long to wait; 0, and nothing is waited for, unless given."),
      ...codeQuery.flags,
    },
    about: [
      "Prints the code and nothing else (with --kind link the link); exit code 3 if none came. Without --since or --max-age a code",
      "of the last ten minutes counts, or the next; with --max-age 0 the newest of any age.",
    ],
    examples: ["CODE=$(mailkeep code --wait 60)", "mailkeep code --wait 120 --from github --since now"],
    run: async ({ mail, output, signal }, { flags }): Promise<ExitCode | void> => {
      const wait = typeof flags["wait"] === "number" ? Math.max(0, flags["wait"]) : 0;
      const query = codeQuery.read(flags);
      // The shortest time that the service takes is a second.
      const timeoutMs = Math.max(1, wait) * 1_000;
      const found = await output.progress.during("Waiting for a code", () =>
        mail.codes.wait({ ...query, timeoutMs, signal }),
      );
      if (found === null) throw nothingCame(query.kind === "link" ? "link" : "code", wait);
      if (output.isJsonAsked) return output.value(found, () => []);
      await output.text((query.kind === "link" ? found.link : (found.code ?? found.link)) ?? "");
    },
  }),
  command({
    name: "wait",
    summary: "Wait for an email, and print it",
    args: [],
    flags: {
      from: { type: "text", about: "Part of the sender's address or name." },
      subject: { type: "text", about: "Part of the subject." },
      thread: { type: "text", about: "The thread that it belongs to.", value: "id" },
      since: {
        type: "text",
        about: `Also emails that came before, at ${TIME_FORMS} or later.`,
        value: "time",
      },
      timeout: seconds(`How long to wait; ${USUAL_WAIT_SECONDS} unless given.`),
    },
    examples: ["mailkeep wait --from shop.example --timeout 300", "mailkeep wait --subject invoice --json"],
    run: async ({ mail, output, signal }, { flags }) => {
      const { from, subject, thread, timeout = USUAL_WAIT_SECONDS } = flags;
      const since = flags.since === undefined ? undefined : instantOf("since", flags.since, Date.now());
      const email = await output.progress.during("Waiting for an email", () =>
        mail.waitFor({ from, subject, thread, since, timeoutMs: Math.max(1, timeout) * 1_000, signal }),
      );
      if (email === null) throw nothingCame("email", Math.max(1, timeout));
      const { id, from_address, subject: title, received_at, code } = email;
      await output.fields(email, {
        Id: id,
        From: from_address,
        Subject: title,
        Date: shownTime(received_at),
        Code: code,
      });
    },
  }),
];
