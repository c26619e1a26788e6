import { locatorOf } from "../contract/key.ts";
import { ANYONE } from "../contract/scope.ts";
import { refused } from "../lib/outcome.ts";
import { envelopeOf } from "../mail/prepare.ts";
import { UNKNOWN_MAILBOX } from "../contract/problem.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { TakenMailbox, TakeoverSource, TakeoverTools } from "../mailbox/takeover/takeover.ts";
import { closeMessage } from "./arriving.ts";
import { mailboxAt } from "./mailbox-stub.ts";
import { storedMessage } from "./message-source.ts";
import { known } from "./sender-check.ts";
import { receiveTaken } from "./receive.ts";

/** Messages that one call lists. */
const PAGE_MESSAGES = 20;

/**
 * Reads the mail of a temporary mailbox and gives it to the mailbox that takes it over.
 *
 * @param addressOf the address of the mailbox that takes it over; null while there is none.
 */
export function takeoverTools(env: () => Env, addressOf: () => string | null): TakeoverTools {
  return {
    sourceOf: (mailbox) => sourceOf(env(), mailbox),
    receive: async (message, { metadata, authentication }, taken) => {
      const address = addressOf();
      if (address === null) return refused(UNKNOWN_MAILBOX);
      const mail = {
        message,
        envelope: envelopeOf(metadata),
        sender: known({ kind: "kept", authentication }),
      };
      try {
        return await receiveTaken(mail, { env: env(), locator: locatorOf(address), taken });
      } finally {
        await closeMessage(message);
      }
    },
  };
}

function sourceOf(env: Env, { from, secretHash }: TakenMailbox): TakeoverSource {
  const mailbox = mailboxAt(env, from);
  const access: Access = {
    credential: { kind: "key", secretHash },
    scopes: ANYONE,
    foreign: false,
    whilePaused: true,
    fault: null,
    upgradeUrl: "",
  };
  return {
    rules: async () => mailbox.rules(access),
    page: async (cursor) => mailbox.allInbound(access, { cursor, limit: PAGE_MESSAGES }),
    secrets: async () => mailbox.sealedTotp({ ...access, isCounted: true }),
    hold: async () => mailbox.hold(access),
    raw: async (id) => {
      const source = await mailbox.raw(access, id);
      return source.ok ? storedMessage(env, mailbox, source.value) : source;
    },
  };
}
