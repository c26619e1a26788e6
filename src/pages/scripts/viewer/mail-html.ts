import createDOMPurify, { type Config } from "dompurify";
import { webAddress } from "../lib/web-address.ts";
import { stillStyle } from "./mail-css.ts";

/** More nodes would make a browser too slow to read any of them. */
const MAX_NODES = 50_000;
/** Links in the list. */
const MAX_LINKS = 200;

const words = (text: string): string[] => text.trim().split(/\s+/);

const RULES = {
  // Elements that lay out text. Of other elements, the contents are shown.
  ALLOWED_TAGS: words(`
    a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl
    dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark ol p pre q s samp
    section small span strike strong style sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`),
  // Elements that are left out with their contents, which are no text of the mail.
  FORBID_CONTENTS: words(`
    applet audio base canvas datalist embed frame frameset iframe input link math meta noembed noframes object option
    param script select source svg template textarea title track video`),
  ALLOWED_ATTR: words(`
    abbr align alt bgcolor border cellpadding cellspacing class color colspan dir face headers height hidden href hspace id
    lang nowrap open reversed rowspan scope size span src start style summary type valign value vspace width`),
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  // The result is a tree of nodes that no parser reads again. The rules for text would drop each style in an HTML comment.
  SAFE_FOR_XML: false,
  WHOLE_DOCUMENT: true,
  RETURN_DOM: true,
} satisfies Config;

/** A link of a mail. */
export interface MailLink {
  url: string;
  text: string;
}

/** Where images of a mail come from. */
export interface ImageSource {
  /** Whether the reader asked for images of other servers. */
  remote: boolean;
  /** Gives the address of an image that came with the mail, by its Content-ID, once it is loaded. */
  attached: (contentId: string, show: (url: string) => void) => void;
}

/** The result for one mail. */
export interface BuiltMail {
  links: MailLink[];
  /** Whether images of other servers were left out. */
  leftOut: boolean;
  /** Whether the mail is longer than the part that is shown. */
  isCut: boolean;
}

/**
 * Shows the HTML of a mail in the document of `target`, sanitised by DOMPurify, with rules of ours for links, images and styles.
 *
 * This is the second of two defences. The first is the frame of `target`: no scripts, and a policy by which nothing loads
 * (mail-frame.ts).
 */
export function buildMail(html: string, target: Window, images: ImageSource): BuiltMail {
  // With the parser of the frame: a document that the page's own parser makes is under the page's policy, which reports each style.
  const purify = createDOMPurify(target as Window & typeof globalThis);
  if (!purify.isSupported) throw new Error("This browser cannot sanitise HTML");
  const built: BuiltMail = { links: [], leftOut: false, isCut: false };
  let nodes = 0;
  purify.addHook("beforeSanitizeElements", (node) => {
    nodes += 1;
    if (nodes <= MAX_NODES) return;
    built.isCut = true;
    node.parentNode?.removeChild(node);
  });
  purify.addHook("uponSanitizeElement", (node, { tagName }) => {
    if (tagName === "style") node.textContent = stillStyle(node.textContent ?? "");
  });
  purify.addHook("uponSanitizeAttribute", ({ localName }, event) => {
    const { attrName } = event;
    if (attrName === "style") event.attrValue = stillStyle(event.attrValue);
    if (attrName === "href" && localName !== "a") event.keepAttr = false;
    if (attrName === "src" && localName !== "img") event.keepAttr = false;
  });
  purify.addHook("afterSanitizeAttributes", (element) => {
    if (element.localName === "a") restrictLink(element, built);
    else if (element.localName === "img") restrictImage(element, images, built);
  });
  place(purify.sanitize(html, RULES), target.document);
  return built;
}

/** Moves the styles and the contents of a sanitised document into an empty one. */
function place(sanitised: Node, target: Document): void {
  const { head, body } = target;
  const source = target.createDocumentFragment();
  source.append(sanitised);
  target.documentElement.dir = source.querySelector("html")?.getAttribute("dir") ?? "";
  for (const style of source.querySelectorAll("head > style")) head.append(style);
  const contents = source.querySelector("body");
  if (contents === null) return;
  for (const { name, value } of contents.attributes) body.setAttribute(name, value);
  while (contents.firstChild !== null) body.append(contents.firstChild);
}

/** Makes a link open a window that knows nothing of this one, and show where it leads. */
function restrictLink(link: Element, { links }: BuiltMail): void {
  const url = webAddress(link.getAttribute("href") ?? "", ["http:", "https:", "mailto:"]);
  if (url === null) return link.removeAttribute("href");
  link.setAttribute("href", url.href);
  link.setAttribute("title", url.href);
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
  if (links.length < MAX_LINKS) links.push({ url: url.href, text: (link.textContent ?? "").trim() });
}

/** Keeps an image that may load, fetches one that came with the mail, and puts the alternative text in place of any other. */
function restrictImage(image: Element, images: ImageSource, built: BuiltMail): void {
  const source = (image.getAttribute("src") ?? "").trim();
  const [, contentId] = /^cid:(.*)$/i.exec(source) ?? [];
  image.setAttribute("referrerpolicy", "no-referrer");
  if (contentId !== undefined) {
    image.removeAttribute("src");
    images.attached(contentId, (url) => image.setAttribute("src", url));
  } else if (!mayLoad(source, images, built)) {
    const alternative = (image.getAttribute("alt") ?? "").trim();
    image.replaceWith(alternative === "" ? "" : `[${alternative}]`);
  }
}

/** Notes in `built` that an image was left out for which a reader could ask. */
function mayLoad(source: string, images: ImageSource, built: BuiltMail): boolean {
  if (/^data:image\//i.test(source)) return true;
  const url = webAddress(source, ["http:", "https:"]);
  // A request to this service would come with the standing of its own pages.
  if (url === null || url.origin === location.origin) return false;
  if (images.remote) return true;
  built.leftOut = true;
  return false;
}
