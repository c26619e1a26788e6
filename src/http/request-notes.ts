import type { ProblemCode } from "../contract/problem.ts";

/** Facts about a request, for counts and logs. None of them names a person or a mailbox. */
export interface RequestNotes {
  /** The path of its route, with the names of parameters instead of their values; null if no route serves it. */
  route: string | null;
  /** The code of its refusal; null if it was served. */
  refusal: ProblemCode | null;
  /** Ids of the messages that it stored or sent. */
  messages: readonly string[];
}

const notes = new WeakMap<Request, RequestNotes>();

/** The notes of a request, which its handlers fill in. */
export function notesOf(request: Request): RequestNotes {
  let known = notes.get(request);
  if (known === undefined) {
    known = { route: null, refusal: null, messages: [] };
    notes.set(request, known);
  }
  return known;
}
