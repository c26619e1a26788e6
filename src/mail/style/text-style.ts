import { PAGE, type Place } from "./css-boxes.ts";
import type { Color } from "./css-colors.ts";
import { BLACK, WHITE } from "./css-colors.ts";

/** How a text is hidden: by CSS, by its size, or by its colour. */
export type HidingKind = "css" | "size" | "color";

/** Everything that decides whether a text is seen; the texts and elements inside have the same, as far as they do not change it. */
export interface TextStyle {
  /** Set where no element inside can undo it: `display: none`, no opacity, clipped, off the page. */
  gone: HidingKind | null;
  /** `visibility: hidden`. */
  isInvisible: boolean;
  /** px, and by how much transforms scale it. */
  fontSize: number;
  scale: number;
  color: Color;
  /** The colour of `-webkit-text-fill-color`; null where it is that of the text. */
  letters: Color | null;
  /** The colours of which one is behind the text; none where they are not known. */
  background: readonly Color[];
  /** The colours behind all elements around it. */
  outer: readonly Color[];
  /** Colours of which one fills the letters, under `color`; null where the background is behind the text. */
  fill: readonly Color[] | null;
  /** Of the element and all around it. */
  opacity: number;
  /** px. */
  indent: number;
  /** Number of font sizes, or px with a unit; null for that of the font. */
  lineHeight: string | null;
  place: Place;
  /** Whether its font is one whose letters may have any form. */
  isOddFont: boolean;
  /** Whether lines are not wrapped. */
  isOneLine: boolean;
  /** Whether it is in an element that may stand over others. */
  isOver: boolean;
  /** Custom properties; null where there are none. */
  variables: ReadonlyMap<string, string> | null;
  /** The declarations of the element, for elements that inherit it by name. */
  declared: ReadonlyMap<string, string> | null;
  /** Styles by other combinations of the conditions of its sheets. */
  others: readonly TextStyle[];
  /** The verdict on the text itself: null where it is seen, whatever holds. */
  hidden: HidingKind | null;
}

/** The style of a page without any: black on white, 16 px. */
export const PAGE_STYLE: TextStyle = {
  gone: null,
  isInvisible: false,
  fontSize: 16,
  scale: 1,
  color: BLACK,
  letters: null,
  background: [WHITE],
  outer: [WHITE],
  fill: null,
  opacity: 1,
  indent: 0,
  lineHeight: null,
  place: PAGE,
  isOddFont: false,
  isOneLine: false,
  isOver: false,
  variables: null,
  declared: null,
  others: [],
  hidden: null,
};

/** Of an element about which nothing can be said: it is not shown. */
export const UNJUDGED: TextStyle = { ...PAGE_STYLE, gone: "css", hidden: "css" };
