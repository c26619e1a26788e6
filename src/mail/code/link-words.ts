import { lazy } from "../lazy.ts";
import type { LinkWords } from "../languages/language.ts";
import { anyOf, keyWordPattern, keyWordsOf, wordsOf } from "../languages/matching.ts";

const matcher = (list: keyof LinkWords) => lazy(() => keyWordPattern(keyWordsOf(({ link }) => link?.[list])));

/** Matches what only the label of a link that verifies, activates or resets says. */
export const proves = matcher("proves");

/** Matches the label of a link that signs in, or that leads to any account page. */
export const signsIn = matcher("signsIn");

/** Matches the label of a button that takes the reader on, to a sign-in or to anything else. */
export const goesOn = matcher("goesOn");

/** Matches the name of a password. */
export const password = matcher("password");

/** Matches what, beside "confirm" or "activate" in a subject, says that an account is meant and not a discount. */
export const account = matcher("account");

/** Matches what no verification link is called. */
export const otherPurpose = matcher("otherPurpose");

const inAddress = (list: keyof LinkWords, start: string, others = "") =>
  lazy(
    () =>
      new RegExp(
        `(?:^|[^a-z])${start}(?:${anyOf(wordsOf(({ link }) => link?.[list]))})(?![a-z])${others}`,
        "u",
      ),
  );

/** Matches hosts, paths and parameters of links that verify. */
export const provingPath = inAddress("provesInPath", "(?:e?mail[-_]?)?");

/** Matches hosts, paths and parameters of links that sign in. */
export const signInPath = inAddress("signsInPath", "");

/** Matches paths that only a footer links to, and files that nobody opens to sign in. */
export const otherPath = inAddress(
  "otherPath",
  "",
  "|(?:^|[^a-z])open\\.(?:gif|php|aspx)(?![a-z])|\\.(?:png|gif|jpe?g|webp|svg|ico|css|js|woff2?|ttf|ics|pdf|dtd)$",
);

/** Hosts of social networks, app stores and vocabularies. */
export const SOCIAL_HOST =
  /(?:^|\.)(?:facebook\.com|fb\.com|twitter\.com|x\.com|instagram\.com|linkedin\.com|youtube\.com|youtu\.be|tiktok\.com|pinterest\.com|threads\.net|bsky\.app|discord\.gg|t\.me|wa\.me|vk\.com|weibo\.com|reddit\.com|medium\.com|play\.google\.com|apps\.apple\.com|itunes\.apple\.com|g\.page|goo\.gl|w3\.org|schema\.org)$/;
