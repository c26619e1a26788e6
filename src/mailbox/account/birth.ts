import { standingFault, type Standing } from "../../contract/directory.ts";
import { conflict, type Answer, type Problem } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { CreatedMailbox, Lifecycle, NewMailbox } from "./lifecycle.ts";

/** No address is given out unless the directory said that it may be. */
const DIRECTORY_DOWN: Problem = {
  code: "unavailable",
  error: "The list of mailboxes does not answer; try again",
  retryAfterSeconds: 5,
};

/** Makes an object a mailbox: one life after another, should one end and the address be given out again. */
export class Birth {
  readonly #current: () => Lifecycle;
  readonly #standingOf: (address: string) => Promise<Standing>;

  /**
   * @param current the life that the object is in now.
   * @param standingOf how an address stands in the directory.
   */
  constructor(current: () => Lifecycle, standingOf: (address: string) => Promise<Standing>) {
    this.#current = current;
    this.#standingOf = standingOf;
  }

  /** Repeated with the same key it answers the same; with another key it is a conflict. */
  async create(mailbox: NewMailbox): Promise<Answer<CreatedMailbox>> {
    const { address, secretHash, evenIfQuarantined = false } = mailbox;
    for (;;) {
      const life = this.#current();
      if (life.isOver()) {
        await life.end();
        continue;
      }
      const taken = life.account;
      if (taken !== null) {
        if (!taken.holdsKey(secretHash)) return refused(conflict(`${address} is taken`));
        return done({ replayed: true, expiresAt: taken.row.expires_at });
      }
      const standing = await this.#standing(address);
      if (standing === null) return refused(DIRECTORY_DOWN);
      const fault = standingFault(address, standing, { evenIfQuarantined });
      if (fault !== null) return refused(fault);
      // While the directory was asked, another call may have made the mailbox, and a third may have erased it.
      if (this.#current() === life && life.account === null) return life.begin(mailbox);
    }
  }

  /** Null where the directory does not answer. */
  async #standing(address: string): Promise<Standing | null> {
    try {
      return await this.#standingOf(address);
    } catch (error) {
      console.error("The directory could not be asked for an address:", error);
      return null;
    }
  }
}
