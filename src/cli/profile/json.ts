/** A JSON object that somebody may have edited: its members are read one by one. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; none of any other value. */
export function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A member that is a text and not empty; null for any other, and for members that only the prototype has. */
export function textOf(members: Members, name: string): string | null {
  const value = Object.hasOwn(members, name) ? members[name] : null;
  return typeof value === "string" && value !== "" ? value : null;
}
