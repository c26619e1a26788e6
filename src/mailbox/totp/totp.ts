import { conflict, notFound, type Answer, type Problem } from "../../contract/problem.ts";
import type { Totp, TotpBody, TotpCode, TotpList } from "../../contract/totp.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { openBytes, sealBytes } from "../../lib/secret-box.ts";
import { totpCode, totpSecondsLeft } from "../../lib/totp.ts";
import type { Access } from "../account/access.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import type { TotpRow } from "./rows.ts";
import { readTotpBody, shownTotp } from "./rules.ts";
import { TOTP } from "./schema.ts";

/** The most secrets of one mailbox. */
const MAX_SECRETS = 100;
/** How many of the codes that were handed out are remembered, and how many are answered. */
const MAX_USES = 1_000;
const SHOWN_USES = 100;
/** Makes the keys of these secrets differ from all other keys that are derived from KEY_SECRET. */
const PURPOSE = "mailkeep totp secret 1";

const NO_KEY_SECRET: Problem = {
  code: "misconfigured",
  error: "One-time passwords need KEY_SECRET to be set on this deployment",
};
const OTHER_KEY_SECRET: Problem = {
  code: "misconfigured",
  error: "This secret was stored under another KEY_SECRET than the one that is set on this deployment",
  fix: "Set the earlier KEY_SECRET again, or delete this secret and add it anew.",
};
const TOO_MANY: Problem = conflict(
  `Too many secrets (max ${MAX_SECRETS})`,
  "Call DELETE /v1/totp/<id> for one of GET /v1/totp, then repeat the call.",
);

/** Secrets of second factors: encrypted at rest, and never answered. Each code that is handed out is recorded. */
export class TotpSecrets {
  readonly #context: MailboxContext;
  readonly #tables: Tables;

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#tables = context.tables(TOTP);
  }

  /** Keeps a secret. 400 for one that is none; 409 if there are too many; 503 without KEY_SECRET. */
  async addTotp(access: Access, body: TotpBody): Promise<Answer<Totp>> {
    const { answer, write, now } = this.#context;
    const admitted = answer(access, (account) => {
      const read = readTotpBody(body);
      if (!read.ok) return read;
      const { keySecret } = this.#context.config();
      if (keySecret === null) return refused(NO_KEY_SECRET);
      return this.#isFull() ? refused(TOO_MANY) : done({ read: read.value, keySecret, account });
    });
    if (!admitted.ok) return admitted;
    const { read, keySecret, account } = admitted.value;
    const nowMs = now();
    const id = uuidV7(nowMs);
    const { label, algorithm, digits, period, secret } = read;
    const sealed = (await sealBytes(keySecret, boundTo(account.row.address, id), secret)).buffer;
    const row: TotpRow = { id, label, algorithm, digits, period, sealed, created_at: nowMs };
    return answer(access, () => {
      if (this.#isFull()) return refused(TOO_MANY);
      write(() => this.#insert(row));
      return done(shownTotp(row));
    });
  }

  listTotp(access: Access): Answer<TotpList> {
    return this.#context.answer(access, () => {
      const uses = this.#tables.all(rows.USES, SHOWN_USES).map(({ totp, at, key_id }) => ({
        id: totp,
        at: new Date(at).toISOString(),
        key_id,
      }));
      return done({ totp: this.#tables.all(rows.LIST).map(shownTotp), uses });
    });
  }

  /**
   * The current code. It is recorded before it is answered. 503 if KEY_SECRET is not the one that the secret was stored under.
   */
  async totpCode(access: Access, id: string): Promise<Answer<TotpCode>> {
    const { answer, write, now } = this.#context;
    const admitted = answer(access, (account) => {
      const row = this.#tables.first(rows.FIND, id);
      const { keySecret } = this.#context.config();
      if (row === null) return refused(notFound("Secret"));
      return keySecret === null ? refused(NO_KEY_SECRET) : done({ row, keySecret, account });
    });
    if (!admitted.ok) return admitted;
    const { row, keySecret, account } = admitted.value;
    const secret = await openBytes(keySecret, boundTo(account.row.address, id), new Uint8Array(row.sealed));
    if (secret === null) return refused(OTHER_KEY_SECRET);
    const nowMs = now();
    const code = await totpCode(secret, row, nowMs);
    return answer(access, (_, { keyId }) => {
      write(() => {
        this.#tables.run(rows.RECORD_USE, id, nowMs, keyId);
        this.#tables.run(rows.FORGET_USES, MAX_USES);
      });
      return done({ code, valid_for_seconds: totpSecondsLeft(row, nowMs) });
    });
  }

  deleteTotp(access: Access, id: string): Answer<{ deleted: true }> {
    const { answer, write } = this.#context;
    return answer(access, () => {
      if (this.#tables.first(rows.FIND, id) === null) return refused(notFound("Secret"));
      write(() => this.#tables.run(rows.DELETE, id));
      return done({ deleted: true });
    });
  }

  /** All secrets, encrypted, for the mailbox that takes this one over. */
  sealedTotp(access: Access): Answer<TotpRow[]> {
    return this.#context.answer(access, () => done(this.#tables.all(rows.LIST)));
  }

  /**
   * Takes over the secrets of a temporary mailbox, once: each is encrypted again for this mailbox and keeps its id. One that
   * cannot be decrypted is left out.
   */
  async takeOver(address: string, secrets: readonly TotpRow[], signal: AbortSignal): Promise<void> {
    const account = this.#context.account();
    const { keySecret } = this.#context.config();
    if (account === null || keySecret === null || secrets.length === 0) return;
    if (this.#tables.first(rows.WAS_MOVED, address) !== null) return;
    const own: TotpRow[] = [];
    for (const row of secrets) {
      const secret = await openBytes(keySecret, boundTo(address, row.id), new Uint8Array(row.sealed));
      if (secret === null) continue;
      const sealed = await sealBytes(keySecret, boundTo(account.row.address, row.id), secret);
      own.push({ ...row, sealed: sealed.buffer });
    }
    if (signal.aborted) return;
    this.#context.write(() => {
      this.#tables.run(rows.SET_MOVED, address);
      for (const row of own) this.#insert(row);
    });
  }

  #isFull(): boolean {
    return (this.#tables.first(rows.COUNT)?.count ?? 0) >= MAX_SECRETS;
  }

  #insert({ id, label, algorithm, digits, period, sealed, created_at }: TotpRow): void {
    this.#tables.run(rows.INSERT, id, label, algorithm, digits, period, sealed, created_at);
  }
}

/** The key of a secret is that of its mailbox and id: a row that is copied elsewhere cannot be opened there. */
function boundTo(address: string, id: string): readonly string[] {
  return [PURPOSE, address, id];
}
