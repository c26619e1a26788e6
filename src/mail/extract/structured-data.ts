import { readTree, walk, type HtmlElement, type HtmlText, type NodeReader } from "../text/html-tree.ts";
import { thingsInJson } from "./json-ld.ts";
import { MAX_HTML_CHARS } from "./mail-text.ts";
import { localName, type Thing, type Value } from "./schema-org.ts";

/** Items of microdata; a mail describes one order or trip. */
const MAX_ITEMS = 1_000;
/** Properties whose text is gathered at once: they may lie in one another. */
const MAX_OPEN_TEXTS = 16;
/** Characters of the text of one property. */
const MAX_TEXT_CHARS = 1_000;

/** The things of schema.org that the HTML of a mail describes. */
interface StructuredData {
  jsonld: Thing[];
  microdata: Thing[];
}

/** Reads the JSON-LD (a script element each) and the microdata (HTML §5) of a mail. Linear in the input. */
export function structuredData(html: string): StructuredData {
  const read = html.slice(0, MAX_HTML_CHARS);
  if (!/ld\+json|itemscope/i.test(read)) return { jsonld: [], microdata: [] };
  const reader = new StructuredDataReader();
  walk(readTree(read).document, reader);
  return reader.found;
}

interface OpenItem extends Thing {
  types: string[];
  properties: Map<string, Value[]>;
}

/** An item, or the text of a property, that ends where its element ends. */
interface Scope {
  item: OpenItem | null;
  text: { owner: OpenItem; names: readonly string[]; value: string } | null;
}

/** The attribute that is the value of a property on an element of this name; of others it is their text. */
const VALUE_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["meta", "content"],
  ["a", "href"],
  ["link", "href"],
  ["area", "href"],
  ["img", "src"],
  ["time", "datetime"],
  ["data", "value"],
  ["meter", "value"],
]);

class StructuredDataReader implements NodeReader {
  readonly found: StructuredData = { jsonld: [], microdata: [] };
  readonly #scopes = new Map<HtmlElement, Scope>();
  readonly #items: OpenItem[] = [];
  #itemCount = 0;
  #openTexts: { value: string }[] = [];

  text({ text }: HtmlText): void {
    for (const open of this.#openTexts) {
      if (open.value.length < MAX_TEXT_CHARS) open.value += text.slice(0, MAX_TEXT_CHARS);
    }
  }

  start(element: HtmlElement): void {
    const { name, attributes, first } = element;
    const isJsonLd = name === "script" && /^\s*application\/ld\+json/i.test(attributes.get("type") ?? "");
    if (isJsonLd && first?.kind === "text") this.found.jsonld.push(...thingsInJson(first.text));
    if (attributes.has("itemscope") || attributes.has("itemprop")) this.#property(element);
  }

  #property(element: HtmlElement): void {
    const { name, attributes } = element;
    const owner = this.#items.at(-1);
    const names = words(attributes.get("itemprop")).map(localName);
    const item = attributes.has("itemscope") ? this.#openItem(owner, names, attributes) : null;
    if (item !== null) {
      this.#items.push(item);
      this.#scopes.set(element, { item, text: null });
      return;
    }
    if (owner === undefined || attributes.has("itemscope")) return;
    const value = attributes.get(VALUE_ATTRIBUTES.get(name) ?? "content");
    if (value !== undefined) add(owner, names, value);
    else if (this.#openTexts.length < MAX_OPEN_TEXTS) {
      const text = { owner, names, value: "" };
      this.#openTexts.push(text);
      this.#scopes.set(element, { item: null, text });
    }
  }

  #openItem(
    owner: OpenItem | undefined,
    names: readonly string[],
    attributes: ReadonlyMap<string, string>,
  ): OpenItem | null {
    this.#itemCount += 1;
    if (this.#itemCount > MAX_ITEMS) return null;
    const types = words(attributes.get("itemtype")).map(localName);
    const item: OpenItem = { types, properties: new Map() };
    if (owner === undefined || names.length === 0) this.found.microdata.push(item);
    else add(owner, names, item);
    return item;
  }

  end(ended: HtmlElement): void {
    const scope = this.#scopes.get(ended);
    if (scope === undefined) return;
    this.#scopes.delete(ended);
    if (scope.item !== null) this.#items.splice(this.#items.lastIndexOf(scope.item));
    const { text } = scope;
    if (text === null) return;
    this.#openTexts = this.#openTexts.filter((open) => open !== text);
    add(text.owner, text.names, text.value);
  }
}

/** The words of an attribute, each once. */
const words = (list = ""): string[] => [...new Set(list.split(/\s+/).filter((word) => word !== ""))];

function add(owner: OpenItem, names: readonly string[], value: Value): void {
  for (const name of names) {
    const values = owner.properties.get(name);
    if (values === undefined) owner.properties.set(name, [value]);
    else values.push(value);
  }
}
