import { standingFault, type Standing } from "../../contract/directory.ts";
import { taken as takenAddress, type Answer, type Problem } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { CreatedMailbox, Lifecycle, NewMailbox } from "./lifecycle.ts";

/** 503 while the directory does not answer, because only the directory knows which addresses may not be given out again. */
const DIRECTORY_DOWN: Problem = {
  code: "unavailable",
  error: "The list of mailboxes does not answer; try again",
  retryAfterSeconds: 5,
};

/** Creates the mailbox of an object: several in turn, if one ends and its address is given out again. */
export class Birth {
  readonly #current: () => Lifecycle;
  readonly #standingOf: (address: string) => Promise<Standing>;

  /**
   * @param current the current life of the object.
   * @param standingOf asks the directory about an address.
   */
  constructor(current: () => Lifecycle, standingOf: (address: string) => Promise<Standing>) {
    this.#current = current;
    this.#standingOf = standingOf;
  }

  /** Creates the mailbox. A repeat with the same key gets the same answer; with another key it is a conflict (409). */
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
        if (!taken.holdsKey(secretHash)) return refused(takenAddress(address));
        return done({ replayed: true, expiresAt: taken.row.expires_at });
      }
      const standing = await this.#standing(address);
      if (standing === null) return refused(DIRECTORY_DOWN);
      const fault = standingFault(address, standing, { evenIfQuarantined });
      if (fault !== null) return refused(fault);
      // During the call to the directory, other calls may have created the mailbox and erased it again.
      if (this.#current() === life && life.account === null) return life.begin(mailbox);
    }
  }

  /** Null if the directory does not answer. */
  async #standing(address: string): Promise<Standing | null> {
    try {
      return await this.#standingOf(address);
    } catch (error) {
      console.error("The directory could not be asked whether an address is free:", error);
      return null;
    }
  }
}
