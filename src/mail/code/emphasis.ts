/** Mail programs clip far smaller mails; what stands behind is a footer or hostile. */
const MAX_HTML_CHARS = 400_000;

/** How often one code is looked for in the HTML: it stands in the title, the preheader and the text. */
const MAX_PLACES = 8;

/** How far back the tags that a code stands in are looked at: two or three with inline styles. */
const TAGS_CHARS = 400;

/** Elements that make their text stand out. */
const STRONG_ELEMENT = /^<(?:h[1-6]|b|strong|em|code|kbd|pre|tt|samp|big|mark)(?![a-z0-9])/;

/** From 18 px or 14 pt a text is larger than that around it. */
const LARGE =
  /font-size\s?:\s?(?:1[89]|[2-9]\d)(?:\.\d+)?\s?px|font-size\s?:\s?(?:1[4-9]|[2-9]\d)(?:\.\d+)?\s?pt|font-size\s?:\s?(?:1\.[3-9]|[2-9])\d*(?:\.\d+)?\s?r?em|font-size\s?:\s?(?:x{1,2}-)?large/;
const BOLD = /font-weight\s?:\s?(?:bold|[6-9]00)/;
const SPACED = /letter-spacing\s?:\s?(?:\.\d|0?\.[1-9]|[1-9])/;
const MONO = /font-family\s?:[^;"]{0,40}(?:mono|courier|consolas|menlo)/;

/** The tags that open right before `at`, innermost first, with only white space between them. */
function tagsBefore(html: string, at: number): string[] {
  const tags: string[] = [];
  let rest = html.slice(Math.max(0, at - TAGS_CHARS), at).trimEnd();
  while (rest.endsWith(">") && tags.length < 3) {
    const start = rest.lastIndexOf("<");
    if (start < 0) break;
    tags.push(rest.slice(start).toLowerCase());
    rest = rest.slice(0, start).trimEnd();
  }
  return tags;
}

const opensStrongly = (tag: string): boolean =>
  [STRONG_ELEMENT, LARGE, BOLD, SPACED, MONO].some((set) => set.test(tag));

/**
 * Whether an HTML part sets a text off from what is around it: alone in an element that is a heading, bold, large, spaced or
 * monospaced. `shown` is the text as the reader sees it. Looks at named limits only: linear in the HTML.
 */
export function isEmphasised(html: string, shown: string): boolean {
  const capped = html.slice(0, MAX_HTML_CHARS);
  let at = capped.indexOf(shown);
  for (let place = 0; at >= 0 && place < MAX_PLACES; place += 1) {
    const end = at + shown.length;
    const closes = /^\s{0,20}</.test(capped.slice(end, end + TAGS_CHARS));
    if (closes && tagsBefore(capped, at).some(opensStrongly)) return true;
    at = capped.indexOf(shown, end);
  }
  return false;
}
