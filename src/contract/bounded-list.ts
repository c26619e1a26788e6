import * as z from "zod";

/**
 * A schema that reads at most one entry more than the `max` of its list or object: one more is enough to refuse it, and a list
 * of 400,000 entries would otherwise be checked entry by entry. The schema itself must state the rule with `max`.
 */
export function readUpTo<Schema extends z.ZodType>(max: number, schema: Schema) {
  return z.preprocess((value: z.input<Schema>) => cut(value, max + 1), schema);
}

function cut(value: unknown, entries: number): unknown {
  if (Array.isArray(value)) return value.length > entries ? value.slice(0, entries) : value;
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value);
  if (names.length <= entries) return value;
  return Object.fromEntries(names.slice(0, entries).map((name) => [name, Reflect.get(value, name)]));
}
