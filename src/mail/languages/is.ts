import type { Language } from "./language.ts";

/** Icelandic. Only a prefix of subjects so far. */
export const is: Language = {
  tag: "is",
  keyWords: "whole",
  subject: {
    forward: "fs",
  },
};
