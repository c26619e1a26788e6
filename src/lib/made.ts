/** A binding that `npm start` adds. */
interface LocalBindings {
  /** The folder of the objects' files, read-only. `mailkeep-<class>/<id>.sqlite` exists once an object was made. */
  OBJECT_FILES?: Fetcher;
}

/** The classes whose objects a stranger can name: by an address, a key, a domain or the code of a claim. */
type Named = "Mailbox" | "Domain" | "ClaimSession";

/** A reference to one object of its class. */
interface Stub {
  readonly id: DurableObjectId;
}

/** The most objects to remember as made; each takes some 200 bytes. */
const MAX_KNOWN = 10_000;

/** Ids of objects that were made. A made object stays made: one that was emptied answers so itself. */
const known = new Set<string>();

/**
 * Whether an object was ever made; asking does not make it. On one machine workerd creates one file and opens three for every
 * object that is called, even if nothing is written, so a stranger could fill the disk and use up the file descriptors by
 * naming objects. On Cloudflare an object that writes nothing costs nothing, so the answer there is always true.
 */
export async function wasMade(env: object, kind: Named, { id }: Stub): Promise<boolean> {
  const { OBJECT_FILES }: LocalBindings = env;
  if (OBJECT_FILES === undefined) return true;
  const file = `${kind}/${id.toString()}`;
  if (known.has(file)) return true;
  const { status } = await OBJECT_FILES.fetch(`http://objects/mailkeep-${file}.sqlite`, { method: "HEAD" });
  // Any other status leaves the decision to the object: a fault here must not refuse mail.
  if (status === 404) return false;
  if (status === 200) remember(file);
  return true;
}

/** Whether calling an object creates a file: so it is on one machine. */
export function makesFiles(env: object): boolean {
  const { OBJECT_FILES }: LocalBindings = env;
  return OBJECT_FILES !== undefined;
}

/** Remembers an object. The oldest entry makes room; if it is asked for again, it is looked up again. */
function remember(file: string): void {
  const [oldest] = known;
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.add(file);
}
