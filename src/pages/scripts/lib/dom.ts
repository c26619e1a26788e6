/** The one element that `selector` finds, which the page is known to have; throws where it is missing or another kind. */
export function find<Kind extends Element>(
  selector: string,
  kind: abstract new () => Kind,
  within: ParentNode = document,
): Kind {
  const found = within.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} "${selector}"`);
}

/** An element with attributes and children. Strings become text, never markup: what a stranger wrote stays what it is. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
