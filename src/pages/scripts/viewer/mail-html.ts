import { webAddress } from "../lib/web-address.ts";
import { stillStyle } from "./mail-css.ts";

/** More would make a browser too slow to read anything in it. */
const MAX_NODES = 50_000;
/** Of the list of links. */
const MAX_LINKS = 200;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Elements that say how text looks and hangs together. Of others, what stands in them is shown, or nothing. */
const SHOWN = words(`
  abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt
  em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main mark ol p pre q s samp section small
  span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`);

/** What is no text of the mail, with all that is in it. */
const LEFT_OUT = words(`
  applet audio base canvas datalist embed frame frameset head iframe input link math meta noembed noframes object option
  param script select source svg template textarea title track video`);

/** Attributes that load, run, name and send nothing. `style`, `href`, `src` and their like are looked at one by one. */
const KEPT = words(`
  abbr align alt bgcolor border cellpadding cellspacing class color colspan dir face headers height hidden hspace id lang
  nowrap open reversed rowspan scope size span start summary type valign value vspace width`);

/** A link of a mail. */
export interface MailLink {
  url: string;
  text: string;
}

/** Where images of a mail come from. */
export interface ImageSource {
  /** Whether the reader asked for what lies elsewhere. */
  remote: boolean;
  /** Gives the address of an image that came with the mail, by its Content-ID, once it is there. */
  attached: (contentId: string, show: (url: string) => void) => void;
}

/** What was built of the HTML of a mail. */
export interface BuiltMail {
  links: MailLink[];
  /** Whether images that lie elsewhere were left out. */
  leftOut: boolean;
  /** Whether the mail is longer than what is shown. */
  isCut: boolean;
}

/**
 * Builds the HTML of a mail anew in the document of `target`, of nothing but what is known to be harmless. It is parsed into a document that
 * runs and loads nothing, and never written as text again, so no other parser can read it in another way.
 *
 * This is the second wall. The first is the frame of `target`: no scripts, and a policy by which nothing loads (mail-frame.ts).
 */
export function buildMail(html: string, target: Window, images: ImageSource): BuiltMail {
  // The parser of the frame: what is parsed by ours would stand under the page's policy, which tells of each style in it.
  const { DOMParser } = target as Window & typeof globalThis;
  return new Builder(target.document, images).build(new DOMParser().parseFromString(html, "text/html"));
}

/** Elements of a frame are none of this window's `HTMLElement`. */
const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;
const HTML = "http://www.w3.org/1999/xhtml";

class Builder {
  readonly #target: Document;
  readonly #images: ImageSource;
  readonly #built: BuiltMail = { links: [], leftOut: false, isCut: false };
  #nodes = 0;

  constructor(target: Document, images: ImageSource) {
    this.#target = target;
    this.#images = images;
  }

  build(source: Document): BuiltMail {
    const { head, body } = this.#target;
    for (const style of source.head.querySelectorAll("style")) head.append(this.#style(style));
    this.#attributes(source.body, body);
    this.#children(source.body, body);
    return this.#built;
  }

  #children(from: Element, to: Element): void {
    for (const child of from.childNodes) {
      this.#nodes += 1;
      if (this.#nodes > MAX_NODES) {
        this.#built.isCut = true;
        return;
      }
      if (isElement(child)) this.#element(child, to);
      else if (child.nodeType === Node.TEXT_NODE) to.append(child.nodeValue ?? "");
    }
  }

  #element(from: Element, to: Element): void {
    const name = from.localName;
    if (LEFT_OUT.has(name) || from.namespaceURI !== HTML) return;
    if (name === "style") return to.append(this.#style(from));
    if (name === "img") return to.append(this.#image(from));
    if (name !== "a" && !SHOWN.has(name)) return this.#children(from, to);
    const element = this.#target.createElement(name);
    this.#attributes(from, element);
    if (name === "a") this.#link(from, element);
    this.#children(from, element);
    to.append(element);
  }

  #attributes(from: Element, to: Element): void {
    for (const { name, value } of from.attributes) {
      if (KEPT.has(name)) to.setAttribute(name, value);
      else if (name === "style") to.setAttribute("style", stillStyle(value));
    }
  }

  #style(from: Element): Element {
    const style = this.#target.createElement("style");
    style.textContent = stillStyle(from.textContent ?? "");
    return style;
  }

  #link(from: Element, to: Element): void {
    const url = webAddress(from.getAttribute("href") ?? "", ["http:", "https:", "mailto:"]);
    if (url === null) return;
    to.setAttribute("href", url.href);
    // No word of the mail's, so that a reader sees where it leads.
    to.setAttribute("title", url.href);
    to.setAttribute("target", "_blank");
    to.setAttribute("rel", "noopener noreferrer");
    const { links } = this.#built;
    if (links.length < MAX_LINKS) links.push({ url: url.href, text: (from.textContent ?? "").trim() });
  }

  #image(from: Element): Element {
    const source = (from.getAttribute("src") ?? "").trim();
    const [, contentId] = /^cid:(.*)$/i.exec(source) ?? [];
    if (contentId === undefined && !this.#mayLoad(source)) return this.#absent(from);
    const image = this.#target.createElement("img");
    this.#attributes(from, image);
    image.setAttribute("referrerpolicy", "no-referrer");
    if (contentId === undefined) image.setAttribute("src", source);
    else this.#images.attached(contentId, (url) => image.setAttribute("src", url));
    return image;
  }

  /** What stands for an image that is left out: what it is said to show. */
  #absent(from: Element): Element {
    const words = (from.getAttribute("alt") ?? "").trim();
    const absent = this.#target.createElement("span");
    if (words !== "") absent.append(`[${words}]`);
    return absent;
  }

  /** Remembers that something was left out which a reader could ask for. */
  #mayLoad(source: string): boolean {
    if (/^data:image\//i.test(source)) return true;
    const url = webAddress(source, ["http:", "https:"]);
    // Nothing of this service is an image of a mail: asked for from here, it would come with this origin's standing.
    if (url === null || url.origin === location.origin) return false;
    if (this.#images.remote) return true;
    this.#built.leftOut = true;
    return false;
  }
}
