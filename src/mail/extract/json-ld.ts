import { localName, type Thing, type Value } from "./schema-org.ts";

/** Nesting that is followed; a reservation with its places is 5 deep. */
const MAX_DEPTH = 20;
/** Things of one mail: a long order has some hundred. */
const MAX_THINGS = 5_000;

/**
 * The things that a JSON-LD script describes: one, an array of them or a `@graph`. What is no JSON describes nothing. Names are
 * taken as schema.org has them; other contexts are not looked up.
 */
export function thingsInJson(script: string): Thing[] {
  const count = { things: 0 };
  return thingsIn(parsed(script), count, 0);
}

function parsed(script: string): unknown {
  // Mailers wrap scripts into comments and CDATA, against browsers that knew none.
  const json = script
    .trim()
    .replace(/^(?:<!--|\/\*|<!\[CDATA\[|\s)+/, "")
    .replace(/(?:-->|\*\/|\]\]>|;)$/, "");
  try {
    return JSON.parse(json);
  } catch {
    // Not JSON: templates break it often enough.
    return null;
  }
}

function thingsIn(value: unknown, count: { things: number }, depth: number): Thing[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => thingsIn(one, count, depth + 1));
  if (typeof value !== "object" || value === null) return [];
  const graph = "@graph" in value ? thingsIn(value["@graph"], count, depth + 1) : [];
  return "@type" in value ? [thing(value, count, depth), ...graph] : graph;
}

function thing(object: object, count: { things: number }, depth: number): Thing {
  count.things += 1;
  const properties = new Map<string, Value[]>();
  const types: string[] = [];
  for (const [key, value] of Object.entries(object)) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (key === "@type") types.push(...values.filter((type) => typeof type === "string").map(localName));
    else if (!key.startsWith("@")) {
      properties.set(
        localName(key),
        values.flatMap((one) => valueOf(one, count, depth)),
      );
    }
  }
  return { types, properties };
}

function valueOf(value: unknown, count: { things: number }, depth: number): Value[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  if (depth > MAX_DEPTH || count.things > MAX_THINGS) return [];
  if (Array.isArray(value)) return value.flatMap((one) => valueOf(one, count, depth + 1));
  if ("@value" in value) return valueOf(value["@value"], count, depth + 1);
  return [thing(value, count, depth + 1)];
}
