/**
 * Words that each occur in one message of a hundred. They are searched for in turn, and are more than the pages that a
 * mailbox caches, so each search is computed.
 */
export const NEEDLES = [
  "quetzalcoatlus",
  "archaeopteryx",
  "pteranodon",
  "deinonychus",
  "iguanodon",
  "plesiosaur",
] as const;
/** Messages of which one has a certain word. */
export const NEEDLE_EVERY = 100;
