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
  /** The colours behind the text: one, or those of a gradient. */
  background: readonly Color[];
  /** Of the element and all around it. */
  opacity: number;
  /** px. */
  indent: number;
  /** `line-height: 0`. */
  isFlat: boolean;
  /** `background-clip: text`: the background is the colour of the text. */
  isFilled: boolean;
  /** Custom properties; null where there are none. */
  variables: ReadonlyMap<string, string> | null;
  /** The verdict on the text itself: null where it is seen. */
  hidden: HidingKind | null;
}

/** The style of a page without any: black on white, 16 px. */
export const PAGE_STYLE: TextStyle = {
  gone: null,
  isInvisible: false,
  fontSize: 16,
  scale: 1,
  color: BLACK,
  background: [WHITE],
  opacity: 1,
  indent: 0,
  isFlat: false,
  isFilled: false,
  variables: null,
  hidden: null,
};

/** Of an element about which nothing can be said: it is not shown. */
export const UNJUDGED: TextStyle = { ...PAGE_STYLE, gone: "css", hidden: "css" };
