/** The pages of the documentation, as the build writes them for the search. */
export type GuideIndex = readonly {
  name: string;
  title: string;
  sections: readonly { anchor: string; heading: string; text: string }[];
}[];

/** A section that was found. */
export interface FoundSection {
  href: string;
  /** Of its page. */
  title: string;
  heading: string;
  text: string;
}

const MAX_RESULTS = 30;
const EXCERPT_CHARS = 160;

/** Finds the sections that have every word, those first whose heading or page has them. */
export function findSections(index: GuideIndex, query: string): FoundSection[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = index.flatMap(({ name, title, sections }) =>
    sections.flatMap(({ anchor, heading, text }) => {
      const score = scoreOf(words, {
        title: title.toLowerCase(),
        heading: heading.toLowerCase(),
        text: text.toLowerCase(),
      });
      if (score === 0) return [];
      const href = `/docs/${name}${anchor === "" ? "" : `#${anchor}`}`;
      return [{ score, section: { href, title, heading, text } }];
    }),
  );
  return found
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ section }) => section);
}

/** 0 where a word is missing. */
function scoreOf(
  words: readonly string[],
  section: { title: string; heading: string; text: string },
): number {
  let score = 0;
  for (const word of words) {
    const inHeading = section.heading.includes(word) ? 8 : 0;
    const inTitle = section.title.includes(word) ? 4 : 0;
    const inText = section.text.includes(word) ? 1 : 0;
    if (inHeading + inTitle + inText === 0) return 0;
    score += inHeading + inTitle + inText;
  }
  return score;
}

/** A part of a text around the first word that it has: what stands before it, the word, and what follows. */
export function excerptOf(text: string, query: string): [before: string, match: string, after: string] {
  const lower = text.toLowerCase();
  const word = wordsOf(query).find((one) => lower.includes(one)) ?? "";
  const at = word === "" ? 0 : lower.indexOf(word);
  const from = at < EXCERPT_CHARS / 3 ? 0 : text.indexOf(" ", at - EXCERPT_CHARS / 3) + 1;
  const start = from > at ? at : from;
  const end = at + word.length;
  const cut = text.slice(end, start + EXCERPT_CHARS);
  const rest = end + cut.length < text.length ? cut.replace(/\s\S*$/, "") : cut;
  return [
    `${start > 0 ? "… " : ""}${text.slice(start, at)}`,
    text.slice(at, end),
    end + rest.length < text.length ? `${rest} …` : rest,
  ];
}

/** The words of a query without endings, so that "retry" finds "retries". */
function wordsOf(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.map((word) => (word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|y|e)$/, "") : word));
}
