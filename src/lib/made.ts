/** A binding that `npm start` adds. */
interface LocalBindings {
  /** The folder of the objects' files, to be looked at only: `mailkeep-<class>/<id>.sqlite` is there once an object was made. */
  OBJECT_FILES?: Fetcher;
}

/** The classes of objects that a stranger can name: by an address, a key, a domain or a code of a claim. */
type Named = "Mailbox" | "Domain" | "ClaimSession";

/** What names one object of its class. */
interface Stub {
  readonly id: DurableObjectId;
}

/** Objects that are known to be made; each takes some 200 bytes. */
const MAX_KNOWN = 10_000;

/** Objects are never unmade, so what is known once stays true: one that was emptied says so itself. */
const known = new Set<string>();

/**
 * Whether an object was ever made, found out without making it. On one machine workerd makes a file, and opens three, for every
 * object that is called, also when nothing is written: a stranger could fill the disk and use up the descriptors with names.
 * On the platform an object that writes nothing costs nothing, and it is always asked.
 */
export async function wasMade(env: object, kind: Named, { id }: Stub): Promise<boolean> {
  const { OBJECT_FILES }: LocalBindings = env;
  if (OBJECT_FILES === undefined) return true;
  const file = `${kind}/${id.toString()}`;
  if (known.has(file)) return true;
  const { status } = await OBJECT_FILES.fetch(`http://objects/mailkeep-${file}.sqlite`, { method: "HEAD" });
  // Whatever is not said plainly is left to the object: a fault here must refuse no mail.
  if (status === 404) return false;
  if (status === 200) remember(file);
  return true;
}

/** Whether every object that is called is a file from then on. */
export function makesFiles(env: object): boolean {
  const { OBJECT_FILES }: LocalBindings = env;
  return OBJECT_FILES !== undefined;
}

/** The oldest makes room for the newest: who is asked for again is found again. */
function remember(file: string): void {
  const [oldest] = known;
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.add(file);
}
