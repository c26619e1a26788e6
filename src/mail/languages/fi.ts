import type { Language } from "./language.ts";

/** Finnish. Only a prefix of subjects so far. */
export const fi: Language = {
  tag: "fi",
  keyWords: "whole",
  subject: {
    strippedReply: "vs",
  },
};
