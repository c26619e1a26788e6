/**
 * The texts that a person sees in a page, as the browser lays them out: an oracle for the judgement of `src/mail/style`, with
 * which it shares no code. Sent to the page as a script.
 */
export const SHOWN_IN_BROWSER = String.raw`(() => {
  const LEAST_HEIGHT = 4, LEAST_OPACITY = 0.1;
  const numbers = (text) => (text.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
  const rgba = (text) => { const [r = 0, g = 0, b = 0, a = 1] = numbers(text); return { r, g, b, a }; };
  const over = (top, under, opacity) => {
    const a = top.a * opacity;
    return { r: top.r * a + under.r * (1 - a), g: top.g * a + under.g * (1 - a), b: top.b * a + under.b * (1 - a), a: 1 };
  };
  const linear = (v) => { const s = v / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
  const light = (c) => 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b) + 0.05;
  const isSeen = (one, two) => {
    if (Math.max(Math.abs(one.r - two.r), Math.abs(one.g - two.g), Math.abs(one.b - two.b)) > 40) return true;
    const [a, b] = [light(one), light(two)];
    return Math.max(a, b) / Math.min(a, b) >= 1.2;
  };
  const chain = (element) => { const all = []; for (let e = element; e !== null; e = e.parentElement) all.unshift(e); return all; };
  const backgrounds = new Map();
  const behind = (element) => {
    if (element === null) return [{ r: 255, g: 255, b: 255, a: 1 }];
    const known = backgrounds.get(element);
    if (known !== undefined) return known;
    const style = getComputedStyle(element);
    let found = behind(element.parentElement);
    if (!style.backgroundClip.includes("text")) {
      found = found.map((under) => over(rgba(style.backgroundColor), under, 1));
      const stops = style.backgroundImage.includes("gradient") ? style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? [] : [];
      if (stops.length > 0) found = stops.map((stop) => over(rgba(stop), found[0], 1));
    }
    backgrounds.set(element, found);
    return found;
  };
  const isHit = (element, rect) => {
    const points = [0.5, 0.1, 0.9].map((x) => [rect.left + rect.width * x, rect.top + rect.height / 2]);
    const inside = points.filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
    // Where the window does not reach, the layout alone decides.
    if (inside.length === 0) return rect.right > 0 && rect.bottom > 0 && rect.left < Math.max(innerWidth, 3000);
    return inside.some(([x, y]) => document.elementsFromPoint(x, y).includes(element));
  };
  const isShown = (node) => {
    const element = node.parentElement;
    const style = getComputedStyle(element);
    if (style.visibility !== "visible" || !element.checkVisibility()) return false;
    if (chain(element).some((e) => e.getAttribute("aria-hidden") === "true")) return false;
    let opacity = 1;
    for (const e of chain(element)) {
      const own = getComputedStyle(e);
      opacity *= Number(own.opacity);
      if (/opacity\((0|0%)\)/.test(own.filter)) opacity = 0;
      if (own.maskImage !== "none" && own.maskImage !== "") return false;
    }
    if (opacity < LEAST_OPACITY) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height >= LEAST_HEIGHT);
    if (!rects.some((rect) => isHit(element, rect))) return false;
    if (chain(element).some((e) => getComputedStyle(e).backgroundClip.includes("text"))) return true;
    const color = rgba(style.webkitTextFillColor || style.color);
    return behind(element).some((under) => isSeen(over(color, under, opacity), under));
  };
  const texts = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const isCode = /^(?:SCRIPT|STYLE|TITLE|TEMPLATE|NOSCRIPT|IFRAME|NOEMBED|NOFRAMES|OPTION)$/.test(node.parentElement.tagName);
    if (!isCode && node.data.trim() !== "" && isShown(node)) texts.push(node.data);
  }
  return texts;
})()`;
