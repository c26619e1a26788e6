/** Tells the answer to the last of several requests from answers to earlier ones, which may arrive after it. */
export class Latest {
  #asked = 0;

  /** Called before each request. The result says, when the answer is there, whether no other request was made since. */
  ask(): () => boolean {
    this.#asked += 1;
    const own = this.#asked;
    return () => own === this.#asked;
  }
}
