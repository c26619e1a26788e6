import * as z from "zod";

/** Parameters of an issue whose text names several fields of which only some are missing. */
export const FieldFix = z.object({ missing: z.array(z.string()).readonly().optional(), fix: z.string() });

/** The words for the right type of a value, by zod's name of the type. */
const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

/**
 * The words for a rule that a field breaks, unless its schema states its own: they follow "<field>: ", or are a sentence about
 * the whole body. Undefined means zod's own words. Every part of a request is parsed with it.
 */
export function fieldRule(issue: z.core.$ZodRawIssue): string | undefined {
  const allowed = allowedValues(issue);
  if (allowed !== null)
    return allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(", ")}`;
  if (issue.code !== "invalid_type") return undefined;
  // The issue of a whole body has no path.
  if (issue.path === undefined) return "Request body must be a JSON object";
  if (issue.input === undefined) return "is required";
  const type = TYPES[issue.expected];
  return type === undefined ? undefined : `must be ${type}`;
}

/** The values of an enum, or of a union of enums; null for another issue. "" means "not given" and is left out. */
function allowedValues(issue: z.core.$ZodRawIssue): string[] | null {
  const parts = issue.code === "invalid_union" ? issue.errors.flat() : [issue];
  const values = parts.map((part) => (part.code === "invalid_value" ? part.values.map(String) : null));
  if (values.length === 0 || values.includes(null)) return null;
  return values.flatMap((some) => some ?? []).filter((value) => value !== "");
}
