import * as z from "zod";

/** What an issue of a schema says beside its text, where that names several fields and only some of them are missing. */
export const MissingFields = z.object({ missing: z.array(z.string()).readonly(), fix: z.string() });

/** What a value that has the wrong type must be instead, by zod's name of the right one. */
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
 * The rule that a field breaks, where its schema states none itself; it completes "type: …", or is a sentence about the whole
 * body. Undefined leaves it to zod. Every part of a request is parsed with it.
 */
export function fieldRule(issue: z.core.$ZodRawIssue): string | undefined {
  const allowed = allowedValues(issue);
  if (allowed !== null)
    return allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(", ")}`;
  if (issue.code !== "invalid_type") return undefined;
  // Only what lies within something has a path by now.
  if (issue.path === undefined) return "Request body must be a JSON object";
  if (issue.input === undefined) return "is required";
  const type = TYPES[issue.expected];
  return type === undefined ? undefined : `must be ${type}`;
}

/** The values of an enum, or of a union of such; null for any other issue. "" stands for "not given" and is no choice. */
function allowedValues(issue: z.core.$ZodRawIssue): string[] | null {
  const parts = issue.code === "invalid_union" ? issue.errors.flat() : [issue];
  const values = parts.map((part) => (part.code === "invalid_value" ? part.values.map(String) : null));
  if (values.length === 0 || values.includes(null)) return null;
  return values.flatMap((some) => some ?? []).filter((value) => value !== "");
}
