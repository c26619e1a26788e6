import * as z from "zod";

const ACTION = z.object({ type: z.string(), value: z.array(z.string()).optional() });

/** Something that `up` made or changed, with what is needed to take it back. */
export const Made = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("subdomain"), name: z.string() }),
  z.object({ kind: z.literal("bucket"), name: z.string() }),
  z.object({ kind: z.literal("queue"), name: z.string() }),
  z.object({ kind: z.literal("worker"), name: z.string() }),
  /** Email Routing of the apex, or of a name below it. */
  z.object({ kind: z.literal("routing"), name: z.string(), wasOn: z.boolean() }),
  z.object({
    kind: z.literal("catch_all"),
    previous: z.object({ isEnabled: z.boolean(), actions: z.array(ACTION), name: z.string() }),
  }),
  z.object({ kind: z.literal("sending"), name: z.string() }),
  z.object({ kind: z.literal("record"), type: z.string(), name: z.string(), content: z.string() }),
  z.object({ kind: z.literal("subscription"), name: z.string() }),
  z.object({ kind: z.literal("custom_domain"), name: z.string() }),
]);
export type Made = z.infer<typeof Made>;

/** The shape of a journal on disk. */
export const JournalShape = z.object({
  version: z.literal(1),
  account: z.string(),
  zone: z.string(),
  domain: z.string(),
  worker: z.string(),
  made: z.array(Made),
  /** The last upload: a hash of it, and Cloudflare's hash of the script; null before the first time. */
  deployed: z.object({ hash: z.string(), etag: z.string() }).nullable(),
});
export type JournalContents = z.infer<typeof JournalShape>;

/**
 * The list of what `up` made, so that `down` removes nothing else. An entry is written after the thing was looked up and not
 * found, and before it is made: if the process is killed in between, the next run makes the thing of that entry.
 */
export interface Journal {
  readonly contents: JournalContents;
  /**
   * Adds an entry. An entry of the same thing stays, because it has the state from before `up`. The entry of a catch-all rule is
   * replaced if the rule that `up` replaces now is not the worker's: then somebody changed the rule after the entry was written.
   */
  add(made: Made): void;
  /** Removes an entry whose thing was taken back. */
  remove(made: Made): void;
  setDeployed(deployed: JournalContents["deployed"]): void;
}

/** A journal in memory, which passes each change to `save`. */
export class KeptJournal implements Journal {
  #contents: JournalContents;
  readonly #save: (contents: JournalContents) => void;

  constructor(contents: JournalContents, save: (contents: JournalContents) => void) {
    this.#contents = contents;
    this.#save = save;
  }

  get contents(): JournalContents {
    return this.#contents;
  }

  add(made: Made): void {
    const { made: all, worker } = this.#contents;
    const others = all.filter((one) => !isSameThing(one, made));
    // The first entry knows how things were before.
    if (others.length < all.length && !isOfOthers(made, worker)) return;
    this.#change({ made: [...others, made] });
  }

  remove(made: Made): void {
    this.#change({ made: this.#contents.made.filter((one) => !isSameThing(one, made)) });
  }

  setDeployed(deployed: JournalContents["deployed"]): void {
    this.#change({ deployed });
  }

  #change(change: Partial<JournalContents>): void {
    this.#contents = { ...this.#contents, ...change };
    this.#save(this.#contents);
  }
}

/** Whether an entry is of a catch-all rule that led elsewhere than to the worker. */
function isOfOthers(made: Made, worker: string): boolean {
  return (
    made.kind === "catch_all" &&
    !made.previous.actions.some(({ type, value }) => type === "worker" && value?.includes(worker) === true)
  );
}

function isSameThing(one: Made, other: Made): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(made: Made): string {
  if (made.kind === "catch_all") return made.kind;
  if (made.kind === "record") return JSON.stringify([made.kind, made.type, made.name, made.content]);
  return JSON.stringify([made.kind, made.name]);
}
