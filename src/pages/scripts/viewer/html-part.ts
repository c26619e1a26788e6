import { make } from "../lib/dom.ts";
import { AttachedImages } from "./attached-images.ts";
import type { Shown } from "./context.ts";
import { buildMail, type BuiltMail } from "./mail-html.ts";
import { textPart } from "./text-part.ts";

const FRAME = "/mailbox/frame";
/** A page that is longer scrolls in its frame. */
const MAX_HEIGHT_PX = 20_000;
/** Room for a scroll bar, where the mail is wider than the frame. */
const SCROLL_BAR_PX = 18;

const NO_FRAME = "What the mail looks like could not be loaded; this is its text.";

/** The HTML of a mail, in a frame where it can be seen and do nothing; `built` hears what was found in it. */
export function htmlPart(shown: Shown, built: (mail: BuiltMail) => void): HTMLElement {
  const frame = make("iframe", {
    class: "mail-frame",
    title: "Contents of the mail",
    // As the policy of the frame says too: either alone is enough.
    sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
    referrerpolicy: "no-referrer",
    src: FRAME,
  });
  const ask = make("button", { type: "button" }, "Show images");
  const question = make(
    "div",
    { class: "notice spread", hidden: true },
    make(
      "span",
      {},
      "Images that lie elsewhere were left out: loading them tells the sender that you read this.",
    ),
    ask,
  );
  const part = make("div", { class: "html-part" });
  const images = new AttachedImages(shown);
  let remote = false;
  frame.addEventListener("load", () => {
    const target = frame.contentWindow;
    if (target === null || shown.signal.aborted) return;
    if (frame.contentDocument === null) {
      // What a browser shows that could not load it is none of ours.
      part.replaceChildren(make("p", { class: "notice warn" }, NO_FRAME), textPart(shown.email.body_text));
      return;
    }
    const mail = buildMail(shown.email.body_html, target, { remote, attached: images.show });
    question.hidden = !mail.leftOut;
    fitHeight(frame, target.document, shown.signal);
    passKeys(frame, target.document);
    built(mail);
  });
  ask.addEventListener("click", () => {
    remote = true;
    frame.src = `${FRAME}?images=remote`;
    frame.focus();
  });
  part.append(question, frame);
  return part;
}

/** Makes the frame as high as the mail, again whenever an image of it is there or the window has another width. */
function fitHeight(frame: HTMLIFrameElement, target: Document, signal: AbortSignal): void {
  const fit = (): void => {
    const holder = frame.parentElement;
    if (holder === null) return;
    // The page must not become shorter in between: it would scroll.
    holder.style.minHeight = `${holder.offsetHeight}px`;
    // What has the height of its window would grow with it without end.
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

/** Keys pressed while the mail has the focus are the viewer's. */
function passKeys(frame: HTMLIFrameElement, target: Document): void {
  target.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    const same = { key, ctrlKey, altKey, metaKey, bubbles: true, cancelable: true };
    if (!frame.dispatchEvent(new KeyboardEvent("keydown", same))) event.preventDefault();
  });
}
