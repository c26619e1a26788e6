import type { Entry } from "./entry.ts";

/** Findings about the mailboxes, and about a mail on its way through the server. */
export const SERVICE = {
  "mailboxes.webhook-failed": {
    level: "warning",
    meaning: "A webhook of a mailbox failed so often that nothing is sent there any more.",
    cost: "The program behind it hears of no mail.",
    fix: "Repair the receiver first. The command sets the URL again, which starts deliveries; [replay](events.md#deliveries) delivers the events of the time between.",
  },
  "mailboxes.full": {
    level: "warning",
    meaning: "A mailbox has used up its quota.",
    cost: "Mail to it is refused.",
    fix: "The command doubles the quota of all mailboxes; or let the owner delete mail.",
  },
  "mailboxes.sending": {
    level: "warning",
    meaning:
      "The relay refused mail of a mailbox for a reason that concerns the whole deployment, and has taken none since.",
    cost: "Mail to other domains waits, and fails after some 41 hours.",
    fix: "The title has the relay's words. Where they are about the login, put the right user and password into the command, percent-encoded; where they are about your address or domain, the other findings say more.",
  },
  "mailboxes.halted": {
    level: "warning",
    meaning: "The operator has [halted all sending](operating.md#halt-all-sending).",
    cost: "All outgoing mail waits.",
    fix: "The command resumes sending, and what waits goes out. Before that, erase what must not go out.",
  },
  "refusals.own": {
    level: "warning",
    meaning:
      "Since the server started, it has refused mail for reasons of its own: faults, a full mailbox, or wrong settings.",
    cost: "Senders try again for some days, or got their mail back.",
    fix: "The command shows the log of the server.",
  },
  "probe.failed": {
    level: "broken",
    meaning:
      "With `--probe`: a mail that was handed to the server's own SMTP listener did not arrive in a mailbox.",
    cost: "No mail arrives, or no program is told of it.",
    fix: "The title says which step failed; the command shows the log of the server.",
  },
} as const satisfies Record<string, Entry>;
