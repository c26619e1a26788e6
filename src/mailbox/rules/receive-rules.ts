import { MAX_DETAILS, type Answer } from "../../contract/problem.ts";
import {
  MAX_RULE_CHANGES,
  type MailboxRules,
  type RefusalReason,
  type RuleChange,
  type StatedRules,
} from "../../contract/rules.ts";
import { ownJson } from "../../lib/json-text.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { isRoleAddress } from "../../mail/address/roles.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import type { Access } from "../account/access.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import { isVerified, readEntries, refusalOf, type RuleEntry } from "./rules.ts";
import { RULES } from "./schema.ts";

/** The numbers of changed entries, for the list of changes. */
type Counted = Pick<RuleChange, "added" | "removed">;

/** The rules of a mailbox: who may write to it. Without any, everyone may. */
export class ReceiveRules {
  readonly #context: MailboxContext;
  readonly #tables: Tables;

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#tables = context.tables(RULES);
  }

  /** The rules, with their entries in canonical form. */
  rules(access: Access): Answer<MailboxRules> {
    return this.#context.answer(access, () => done(this.#shown()));
  }

  /** Replaces all rules in one transaction. 400 names each entry that is wrong, and changes nothing. */
  putRules(access: Access, stated: StatedRules["receive"]): Answer<MailboxRules> {
    return this.#context.answer(access, () => {
      const { entries, faults } = readEntries(stated);
      const [first] = faults;
      if (first !== undefined) {
        const details = faults.slice(0, MAX_DETAILS);
        return refused({ code: "invalid", error: `${first.path}: ${first.message}`, details });
      }
      this.#context.write(() => this.#replace(stated.mode, entries));
      return done(this.#shown());
    });
  }

  /** Takes over the rules of another mailbox, unless somebody set rules for this one already. */
  adopt({ receive }: MailboxRules): void {
    const { allow, block, mode } = receive;
    const isDefault = mode === "everyone" && allow.length === 0 && block.length === 0;
    if (isDefault || this.#setting() !== null) return;
    this.#context.write(() => this.#replace(mode, readEntries(receive).entries));
  }

  /** Why the rules refuse a mail; null if they let it in. It reads the settings and the entries that could name the sender. */
  refusalOf(mail: PreparedMail): RefusalReason | null {
    const setting = this.#setting();
    if (setting === null || (setting.mode === "everyone" && setting.entries === 0)) return null;
    // RFC 5321 §4.5.1: mail to the postmaster is not turned away.
    if (isRoleAddress(mail.toAddress, this.#context.config().mailDomain)) return null;
    const judged = { senders: mail.senders, isVerified: isVerified(mail) };
    return refusalOf(setting.mode, judged, (matches) => (setting.entries === 0 ? [] : this.#find(matches)));
  }

  #setting(): rows.SettingRow | null {
    return this.#tables.first(rows.READ_SETTING);
  }

  #find(matches: readonly string[]): RuleEntry[] {
    return this.#tables.all(rows.FIND_ENTRIES, JSON.stringify(matches)).map(entryOf);
  }

  #entries(): RuleEntry[] {
    return this.#tables.all(rows.ALL_ENTRIES).map(entryOf);
  }

  /** Writes only what differs: rules that are put again write nothing. Runs inside one transaction. */
  #replace(mode: StatedRules["receive"]["mode"], entries: readonly RuleEntry[]): void {
    const earlier = this.#setting();
    const { added, removed } = this.#replaceEntries(entries);
    if (earlier?.mode === mode && added + removed === 0) return;
    const at = new Date(this.#context.now()).toISOString();
    const changes = [{ at, mode, added, removed }, ...ownJson<RuleChange[]>(earlier?.changes ?? "[]")];
    const kept = JSON.stringify(changes.slice(0, MAX_RULE_CHANGES));
    this.#tables.run(rows.WRITE_SETTING, mode, entries.length, kept);
  }

  #replaceEntries(entries: readonly RuleEntry[]): Counted {
    const stored = new Map(this.#entries().map((entry) => [nameOf(entry), entry]));
    const wanted = new Set(entries.map(nameOf));
    const changed = entries.filter((entry) => stored.get(nameOf(entry))?.unverified !== entry.unverified);
    const gone = [...stored.values()].filter((entry) => !wanted.has(nameOf(entry)));
    for (const { match, list } of gone) this.#tables.run(rows.REMOVE_ENTRY, match, list);
    for (const { match, list, unverified } of changed) {
      this.#tables.run(rows.PUT_ENTRY, match, list, unverified ? 1 : 0);
    }
    return { added: changed.length, removed: gone.length };
  }

  #shown(): MailboxRules {
    const setting = this.#setting();
    const entries = this.#entries();
    const allow = entries.filter(({ list }) => list === "allow");
    const block = entries.filter(({ list }) => list === "block");
    return {
      receive: {
        mode: setting?.mode ?? "everyone",
        allow: allow.map(({ match, unverified }) => ({ match, ...(unverified ? { unverified } : {}) })),
        block: block.map(({ match }) => ({ match })),
      },
      changes: ownJson<RuleChange[]>(setting?.changes ?? "[]"),
    };
  }
}

function entryOf({ match, list, unverified }: rows.EntryRow): RuleEntry {
  return { match, list, unverified: unverified === 1 };
}

function nameOf({ match, list }: RuleEntry): string {
  return `${list} ${match}`;
}
