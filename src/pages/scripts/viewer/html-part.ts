import { make } from "../lib/dom.ts";
import { later } from "../lib/later.ts";
import { AttachedImages } from "./attached-images.ts";
import type { Shown } from "./context.ts";
import type { BuiltMail } from "./mail-html.ts";
import { textPart } from "./text-part.ts";

const FRAME = "/mailbox/frame";
/** A longer mail scrolls in its frame. */
const MAX_HEIGHT_PX = 20_000;
/** Room for a scroll bar, where the mail is wider than the frame. */
const SCROLL_BAR_PX = 18;

const NO_FRAME = "The formatted mail could not be loaded. This is its text.";

/** Shows the HTML of a mail in a sandboxed frame; `built` is called with its links and what was left out. */
export function htmlPart(shown: Shown, built: (mail: BuiltMail) => void): HTMLElement {
  const frame = make("iframe", {
    class: "mail-frame",
    title: "Contents of the mail",
    // The policy of the frame has the same rules: either is enough.
    sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
    referrerpolicy: "no-referrer",
    src: FRAME,
  });
  const ask = make("button", { type: "button" }, "Show images");
  const question = make(
    "div",
    { class: "notice spread", hidden: true },
    make("span", {}, "Remote images are not loaded: loading them tells the sender that you read this mail."),
    ask,
  );
  const part = make("div", { class: "html-part" });
  const images = new AttachedImages(shown);
  let remote = false;
  const builder = later("html").catch(() => null);
  const fill = async (): Promise<void> => {
    const { contentDocument: empty } = frame;
    const writer = await builder;
    const target = frame.contentWindow;
    // The frame is removed, or loads again meanwhile.
    if (target === null || shown.signal.aborted || frame.contentDocument !== empty) return;
    if (empty === null || writer === null) {
      // The frame shows the browser's error page, or the script did not come.
      part.replaceChildren(make("p", { class: "notice warn" }, NO_FRAME), textPart(shown.email.body_text));
      return;
    }
    const mail = writer.buildMail(shown.email.body_html, target, { remote, attached: images.show });
    question.hidden = !mail.leftOut;
    fitHeight(frame, target.document, shown.signal);
    passKeys(frame, target.document);
    built(mail);
  };
  frame.addEventListener("load", () => void fill());
  ask.addEventListener("click", () => {
    remote = true;
    frame.src = `${FRAME}?images=remote`;
    frame.focus();
  });
  part.append(question, frame);
  return part;
}

/** Makes the frame as high as the mail, and again when an image is loaded or the window is resized. */
function fitHeight(frame: HTMLIFrameElement, target: Document, signal: AbortSignal): void {
  const fit = (): void => {
    const holder = frame.parentElement;
    if (holder === null) return;
    // Keeps the page's height meanwhile, so that it does not scroll.
    holder.style.minHeight = `${holder.offsetHeight}px`;
    // Elements with the height of their window would grow with the frame forever.
    frame.style.height = "0";
    const { scrollHeight, scrollWidth, clientWidth } = target.documentElement;
    const bar = scrollWidth > clientWidth ? SCROLL_BAR_PX : 0;
    frame.style.height = `${Math.min(MAX_HEIGHT_PX, scrollHeight + bar)}px`;
    holder.style.minHeight = "";
  };
  fit();
  target.addEventListener("load", fit, { capture: true, signal });
  target.addEventListener("toggle", fit, { capture: true, signal });
  window.addEventListener("resize", fit, { signal });
}

/** Passes keys that are pressed in the frame on to the viewer. */
function passKeys(frame: HTMLIFrameElement, target: Document): void {
  target.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    const same = { key, ctrlKey, altKey, metaKey, bubbles: true, cancelable: true };
    if (!frame.dispatchEvent(new KeyboardEvent("keydown", same))) event.preventDefault();
  });
}
