/** A value of a property: a text, a number in decimals, or another thing. */
export type Value = string | Thing;

/** A thing of schema.org as JSON-LD or microdata say it: types and property names without their vocabulary's address. */
export interface Thing {
  types: readonly string[];
  properties: ReadonlyMap<string, readonly Value[]>;
}

/** A name of schema.org without the address of the vocabulary, by any of its spellings. */
export function localName(name: string): string {
  return name.trim().replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, "");
}

const isThing = (value: Value): value is Thing => typeof value !== "string";

/** The things that a property holds. */
export function thingsAt(thing: Thing | null | undefined, ...names: readonly string[]): Thing[] {
  return names.flatMap((name) => thing?.properties.get(name)?.filter(isThing) ?? []);
}

/** The first text among properties, blanks folded; null if none has one. */
export function textAt(thing: Thing | null | undefined, ...names: readonly string[]): string | null {
  for (const name of names) {
    const text = thing?.properties
      .get(name)
      ?.find((value) => typeof value === "string" && value.trim() !== "");
    if (typeof text === "string") return text.trim().replace(/\s+/g, " ");
  }
  return null;
}

/** The text of the first of these properties that has one, or the name of the thing it holds; null if none has. */
export function nameAt(thing: Thing | null | undefined, ...names: readonly string[]): string | null {
  for (const name of names) {
    const named = textAt(thing, name) ?? textAt(thingsAt(thing, name)[0], "name");
    if (named !== null) return named;
  }
  return null;
}

/** All things of some types among these and inside them, outermost first. */
export function findThings(things: readonly Thing[], isWanted: (type: string) => boolean): Thing[] {
  const queue = [...things];
  for (const thing of queue) {
    for (const values of thing.properties.values()) queue.push(...values.filter(isThing));
  }
  return queue.filter((thing) => thing.types.some(isWanted));
}
