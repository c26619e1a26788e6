import { ImapFlow, type FetchMessageObject, type ListResponse } from "imapflow";
import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { Refusal } from "../../host/refusal.ts";
import type { MovedMessage, Source, TooLarge } from "../../cli/moving/message.ts";
import { Contiguous } from "./contiguous.ts";
import type { ImapState } from "./imap-state.ts";

/** An IMAP account. */
export interface ImapAccount {
  host: string;
  port: number;
  /** TLS from the first byte (imaps); else STARTTLS, which only this machine may lack. */
  isSecure: boolean;
  user: string;
  password: string;
}

/** Messages that one FETCH asks for. */
const SLICE = 200;
const PORTS: Readonly<Record<string, number>> = { "imaps:": 993, "imap:": 143 };
const FLAGS: Readonly<Record<string, string>> = {
  "\\Seen": "S",
  "\\Answered": "R",
  "\\Flagged": "F",
  "\\Draft": "D",
  "\\Deleted": "T",
};

/** Reads `imaps://user@host[:port]`. Throws a {@link Refusal} for any other text, and for one that holds a password. */
export function readImapUrl(text: string): Omit<ImapAccount, "password"> {
  const url = URL.canParse(text) ? new URL(text) : null;
  const port = PORTS[url?.protocol ?? ""];
  if (url === null || port === undefined || url.hostname === "" || url.username === "") {
    throw new Refusal(`--imap: "${text.replace(/:[^@/]*@/, ":…@")}" must be of the form imaps://user@host`);
  }
  if (url.password !== "") {
    throw new Refusal(
      "--imap: must not hold the password, because others see the arguments of a program; use MAILKEEP_IMAP_PASSWORD or --password-stdin",
    );
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? port : Number(url.port),
    isSecure: url.protocol === "imaps:",
    user: decodeURIComponent(url.username),
  };
}

/**
 * The messages of an account, folder by folder, after those that `state` knows. Folders that show messages of other folders
 * again are left out. Nothing is changed in the account.
 *
 * @param only the names of the folders that are wanted; empty = all.
 */
export function imapSource(account: ImapAccount, state: ImapState, only: readonly string[]): Source {
  let place = "";
  async function* messages(): AsyncGenerator<MovedMessage | TooLarge, void> {
    const client = await connected(account);
    try {
      const folders = (await client.list()).filter((folder) => isWanted(folder, only));
      for (const folder of folders) {
        place = folder.path;
        yield* inFolder(client, folder, state);
      }
    } finally {
      await client.logout().catch(() => client.close());
    }
  }
  return { messages: messages(), place: () => place };
}

async function connected({ host, port, isSecure, user, password }: ImapAccount): Promise<ImapFlow> {
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  const client = new ImapFlow({
    host,
    port,
    secure: isSecure,
    // A password must not be sent through a network without TLS.
    ...(isSecure || isHere ? {} : { doSTARTTLS: true }),
    auth: { user, pass: password },
    logger: false,
  });
  // A lost connection also rejects the call that is under way.
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.close();
    const said = error instanceof Error ? error.message : String(error);
    throw new Refusal(`${host}: no login as ${user}: ${said}`);
  }
}

function isWanted({ path, flags, specialUse }: ListResponse, only: readonly string[]): boolean {
  if (flags.has("\\Noselect") || flags.has("\\NonExistent")) return false;
  return only.length > 0 ? only.includes(path) : specialUse !== "\\All" && specialUse !== "\\Flagged";
}

const WANTED = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
  source: { maxLength: MAX_MESSAGE_BYTES },
};

async function* inFolder(
  client: ImapFlow,
  folder: ListResponse,
  state: ImapState,
): AsyncGenerator<MovedMessage | TooLarge, void> {
  const lock = await client.getMailboxLock(folder.path, { readOnly: true });
  try {
    const open = client.mailbox;
    if (open === false || open.exists === 0) return;
    const validity = String(open.uidValidity);
    const after = state.lastUid(folder.path, validity);
    const found = await client.search({ uid: `${after + 1}:*` }, { uid: true });
    // In IMAP, "n:*" includes the last message even if its UID is below n (RFC 9051 §6.4.9).
    const uids = (found || []).filter((uid) => uid > after).toSorted((one, other) => one - other);
    const order = new Contiguous(uids);
    const note = (...handled: readonly number[]) => {
      const uid = order.handled(...handled);
      if (uid !== null) state.reached(folder.path, validity, uid);
    };
    for (let at = 0; at < uids.length; at += SLICE) {
      const slice = uids.slice(at, at + SLICE);
      const missing = new Set(slice);
      for await (const answer of client.fetch(slice.join(","), WANTED, { uid: true })) {
        const { uid } = answer;
        if (!missing.delete(uid)) continue;
        const message = messageOf(answer, folder);
        if ("tooLarge" in message) note(uid);
        yield "tooLarge" in message ? message : { ...message, done: () => note(uid) };
      }
      // They were deleted after the search.
      note(...missing);
    }
  } finally {
    lock.release();
  }
}

function messageOf(found: FetchMessageObject, folder: ListResponse): MovedMessage | TooLarge {
  const { uid, source, size = 0, internalDate } = found;
  if (source === undefined || size > MAX_MESSAGE_BYTES) return { tooLarge: `${folder.path} ${uid}` };
  const flags = [...(found.flags ?? [])].map((flag) => FLAGS[flag] ?? "");
  const parts = folder.path.split(folder.delimiter || "/").map((part) => part.replaceAll("/", "_"));
  const inside = folder.path.toUpperCase() === "INBOX" ? "" : `${parts.join("/")}/`;
  const received = internalDate === undefined ? Number.NaN : new Date(internalDate).getTime();
  return {
    raw: source,
    name: `${inside}cur/${uid}:2,${flags.toSorted().join("")}`,
    modifiedMs: Number.isNaN(received) ? 0 : received,
    note: {
      ...(Number.isNaN(received) ? {} : { received_at: new Date(received).toISOString() }),
      ...(folder.specialUse === "\\Sent" ? { direction: "outbound" as const } : {}),
    },
  };
}
