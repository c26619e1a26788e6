import type { Language } from "./language.ts";

/** Icelandic. Only links and a prefix of subjects so far. */
export const is: Language = {
  tag: "is",
  keyWords: "whole",
  link: {
    proves: "þetta var ég, staðfest*, virkja*, samþykk*, endurstill*, staðfesta, opna fyrir",
    account: "reikning*, netfang*",
    signsIn: "skrá inn, skráðu þig inn, innskrá*",
    goesOn: "halda áfram, smelltu hér, hér",
    password: "lykilorð*",
    refuses: `
      þetta var ekki ég, var ekki ég, ekki ég, ekki þú, hafna*, hætta við, afturkalla*, tilkynna*, loka á,
      loka fyrir, afskrá*, segja upp, eyða, grunsamleg*, útskrá*, neita*, meina*, banna*, leyfa ekki,
      ókunnug*, stöðva*
    `,
    negates: "ekki, nei, aldrei, einhver annar",
    agrees: "já",
  },
  subject: {
    forward: "fs",
  },
};
