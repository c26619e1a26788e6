/** The ways in which the text of an element is hidden from readers, as its descendants inherit them. */
export interface Hiding {
  /** display:none, `hidden`, opacity:0, clipped to nothing: no descendant can undo it. */
  removed: boolean;
  /** font-size:0; a descendant's own size undoes it. Mail templates (MJML) do this to every table cell. */
  tiny: boolean;
  /** visibility:hidden; a descendant's visibility:visible undoes it. */
  invisible: boolean;
}

/** Longer style attributes are read this far, in characters: enough for any real one. */
const MAX_STYLE_CHARS = 4_096;
/** At this size, in px or pt, nobody reads; preheader tricks write 1px as often as 0. */
const UNREADABLE_FONT_SIZE = 1;

/** How an element with these attributes is hidden inside such a parent. Only inline styles and `hidden` are read. */
export function hiding(attributes: ReadonlyMap<string, string>, parent: Hiding): Hiding {
  const style = attributes.get("style");
  const { removed, tiny, invisible } = parent;
  if (style === undefined) {
    const hasSize = attributes.has("size");
    return { removed: removed || attributes.has("hidden"), tiny: tiny && !hasSize, invisible };
  }
  const declared = declarations(style);
  return {
    removed: removed || attributes.has("hidden") || removes(declared),
    tiny: isTiny(declared, tiny),
    invisible: isInvisible(declared, invisible),
  };
}

function declarations(style: string): ReadonlyMap<string, string> {
  const plain = style
    .slice(0, MAX_STYLE_CHARS)
    .toLowerCase()
    .replace(/\/\*.*?(?:\*\/|$)/gs, " ");
  const declared = new Map<string, string>();
  for (const declaration of plain.split(";")) {
    const colon = declaration.indexOf(":");
    if (colon === -1) continue;
    const value = declaration
      .slice(colon + 1)
      .replace("!important", "")
      .trim();
    declared.set(declaration.slice(0, colon).trim(), value);
  }
  return declared;
}

function removes(declared: ReadonlyMap<string, string>): boolean {
  if (declared.get("display") === "none" || isZero(declared.get("opacity"))) return true;
  if (!/^(?:hidden|clip)/.test(declared.get("overflow") ?? "")) return false;
  return ["height", "max-height", "width", "max-width"].some((side) => isZero(declared.get(side)));
}

function isZero(value: string | undefined): boolean {
  return value !== undefined && /^[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z]{1,4}|%)?$/.test(value);
}

function isInvisible(declared: ReadonlyMap<string, string>, inherited: boolean): boolean {
  const visibility = declared.get("visibility");
  if (visibility === "visible") return false;
  return inherited || visibility === "hidden" || visibility === "collapse";
}

function isTiny(declared: ReadonlyMap<string, string>, inherited: boolean): boolean {
  // `font: 0/0 a` sets a size of zero.
  const size =
    declared.get("font-size") ??
    /(?:^|\s)([0-9.]+(?:[a-z]{1,4}|%)?)(?:\/|\s)/.exec(declared.get("font") ?? "")?.[1];
  if (size === undefined) return inherited;
  if (isZero(size)) return true;
  const absolute = /^([0-9.]+)(px|pt)$/.exec(size);
  if (absolute !== null) return Number(absolute[1]) <= UNREADABLE_FONT_SIZE;
  // A multiple of zero is zero; any other unit or keyword sets another size.
  return inherited && /^(?:[0-9.]+(?:em|ex|ch|%)|inherit|unset|smaller|larger)$/.test(size);
}
