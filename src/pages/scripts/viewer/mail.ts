import type { Email } from "../../../contract/message.ts";
import type { IconName } from "../../components/icons.ts";
import { copyButton } from "../lib/copy.ts";
import { confirmed } from "../lib/dialog.ts";
import { make } from "../lib/dom.ts";
import { icon } from "../lib/icon.ts";
import { Latest } from "../lib/latest.ts";
import { webAddress, webAddressesIn } from "../lib/web-address.ts";
import { exactTime, line, size } from "../lib/words.ts";
import type { Context, Shown } from "./context.ts";
import { deliveryPart, isUnderWay } from "./delivery.ts";
import { failureNotice } from "./failures.ts";
import { downloadButton, filesPart } from "./files-part.ts";
import { hiddenTextPart } from "./hidden-text.ts";
import { htmlPart } from "./html-part.ts";
import type { MailLink } from "./mail-html.ts";
import { hashOf } from "./place.ts";
import { labelsPart } from "./labels.ts";
import { foldedTextPart, quotesOthers, webLink } from "./text-part.ts";
import { senderSentence, verdictPart } from "./verdicts.ts";

/** Milliseconds between reloads of a mail that is being delivered: not every state has an event. */
const LOOK_MS = 5_000;
const MAX_SHOWN_LINKS = 50;
/** Characters of the raw message that are shown; the download has all of it. */
const MAX_SOURCE_CHARS = 200_000;

/** Loads and shows one mail with its actions. */
export async function mailView(context: Context, id: string, signal: AbortSignal): Promise<HTMLElement> {
  let isOld = false;
  context.onEvent((data) => (isOld ||= data.email_id === id), signal);
  const email = await context.client.emails.get(id, { signal });
  if (email.direction === "inbound") context.seen.mark([email.id], true);
  return mailPart({ context, email, isOld, signal });
}

/** Shows a loaded mail. In a thread, what it quotes is left out at first. */
export function mailPart(shown: Shown, isInThread = false): HTMLElement {
  const { email } = shown;
  const links = make("div");
  const parts: Node[] = [
    make("h2", { class: "break", dir: "auto", tabindex: "-1" }, line(email.subject) || "(no subject)"),
    headPart(email),
    labelsPart(shown),
    ...prominentParts(email),
    actionsPart(shown),
    ...(email.direction === "outbound" ? [livingDelivery(shown)] : []),
    hiddenTextPart(shown),
    bodyPart(shown, links, isInThread),
    ...(email.attachments.length > 0 ? [filesPart(shown)] : []),
    links,
    morePart(email),
  ];
  return make("article", { class: "mail", "aria-label": line(email.subject) || "(no subject)" }, ...parts);
}

function person(name: string, address: string): HTMLElement {
  const shownAddress = make("span", { class: "break" }, line(address) || "unknown");
  const shownName = line(name);
  return shownName === ""
    ? shownAddress
    : make("span", {}, make("strong", { class: "break", dir: "auto" }, shownName), " ", shownAddress);
}

function fact(name: string, ...value: (Node | string)[]): Node[] {
  return [make("dt", {}, name), make("dd", {}, ...value)];
}

function headPart(email: Email): HTMLElement {
  const answersTo = line(email.headers["reply-to"] ?? email.headers["Reply-To"] ?? "");
  return make(
    "dl",
    { class: "facts head" },
    ...fact(
      "From",
      person(email.from_name, email.from_address),
      ...(email.direction === "inbound" ? [senderSentence(email)] : []),
    ),
    ...(answersTo === "" ? [] : fact("Reply to", make("span", { class: "break" }, answersTo))),
    ...fact("To", make("span", { class: "break" }, line(email.to_address) || "nobody named")),
    ...(email.cc_address === "" ? [] : fact("Cc", make("span", { class: "break" }, line(email.cc_address)))),
    ...fact("When", make("time", { datetime: email.received_at }, exactTime(email.received_at))),
  );
}

/** Shows the verification code and link of a mail, to be copied. */
function prominentParts({ code, link }: Email): HTMLElement[] {
  const url = webAddress(link ?? "");
  const parts: HTMLElement[] = [];
  if (code !== null) {
    const shown = make("output", { class: "code break" }, code);
    parts.push(card("Code", make("div", { class: "spread" }, shown, copyButton(code, "the code"))));
  }
  if (url !== null) {
    const open = make("a", { href: url.href, target: "_blank", rel: "noopener noreferrer", class: "button" });
    open.append("Open ", make("strong", { class: "break" }, url.host));
    const ways = make("div", { class: "row" }, open, copyButton(url.href, "the link"));
    parts.push(card("Link to follow", make("p", { class: "mono small break" }, url.href), ways));
  }
  return parts;
}

const card = (title: string, ...contents: HTMLElement[]): HTMLElement =>
  make("section", { class: "card prominent", "aria-label": title }, make("h3", {}, title), ...contents);

const WAYS = [
  { name: "reply", text: "Reply", kind: "button primary" },
  { name: "reply-all", text: "Reply all", kind: "button" },
  { name: "forward", text: "Forward", kind: "button" },
] as const;

function actionsPart(shown: Shown): HTMLElement {
  const { email, context } = shown;
  const source = iconButton("source", "Raw message", { "aria-expanded": "false" });
  const erase = iconButton("trash", "Delete", { "data-erase": true }, "danger");
  const ways = WAYS.map(({ name, text, kind }) => {
    const link = make("a", { class: kind, href: hashOf(name, email.id), "data-way": name });
    link.append(icon(name), text);
    return link;
  });
  const actions = make("div", { class: "actions" }, ...ways, source);
  if (email.direction === "inbound") actions.append(unreadButton(shown));
  actions.append(erase);
  const part = make("div", { class: "actions-part" }, actions);
  source.addEventListener("click", () => toggleSource(part, source, shown));
  erase.addEventListener("click", () => {
    void eraseMail(context, email).then((notice) => notice !== null && part.append(notice));
  });
  // If the scope is not known yet, the service refuses what the key may not do.
  context.me.then(({ scope }) => (erase.hidden = scope === "provisional")).catch(() => {});
  return part;
}

/** A button that shows a picture. Its name is in its title, and for screen readers. */
function iconButton(
  picture: IconName,
  name: string,
  attributes: Readonly<Record<string, string | boolean>>,
  kind = "",
): HTMLButtonElement {
  const look = `quiet icon-only ${kind}`.trim();
  const button = make("button", {
    type: "button",
    class: look,
    "aria-label": name,
    title: name,
    ...attributes,
  });
  button.append(icon(picture));
  return button;
}

function unreadButton({ context, email }: Shown): HTMLElement {
  const button = iconButton("unread", "Mark unread", { "data-unread": true });
  button.addEventListener("click", () => {
    context.seen.mark([email.id], false);
    context.leave();
  });
  return button;
}

function toggleSource(part: HTMLElement, button: HTMLElement, shown: Shown): void {
  const open = part.querySelector(".source");
  button.setAttribute("aria-expanded", String(open === null));
  if (open !== null) return open.remove();
  const { email, context, signal } = shown;
  const text = make("pre", { tabindex: "0", "aria-label": "Raw message" }, "Fetching…");
  const download = {
    read: () => context.client.emails.raw(email.id, { signal }),
    filename: `${email.id}.eml`,
    type: "application/octet-stream",
  };
  const save = downloadButton(shown, download, { text: "Save as .eml", label: "Save the raw message" });
  part.append(make("div", { class: "source" }, save, text));
  const fetched = async (): Promise<void> => {
    try {
      const raw = await (await context.client.emails.raw(email.id, { signal })).text();
      const cut = raw.length > MAX_SOURCE_CHARS ? "\n\n(It goes on: save it to read the rest.)" : "";
      text.textContent = raw.slice(0, MAX_SOURCE_CHARS) + cut;
    } catch (error) {
      const notice = failureNotice(error);
      if (notice !== null) text.replaceWith(notice);
    }
  };
  void fetched();
}

/** Erases a mail after a question. Resolves to a notice if that failed; null otherwise. */
export async function eraseMail(
  { client, erased }: Context,
  { id, subject }: { id: string; subject: string },
): Promise<HTMLElement | null> {
  const isSure = await confirmed({
    title: "Delete this mail?",
    text: `“${line(subject) || "(no subject)"}” is erased at once, with its files. Nobody can bring it back.`,
    action: "Delete",
  });
  if (!isSure) return null;
  try {
    await client.emails.delete(id);
    erased(id);
    return null;
  } catch (error) {
    return failureNotice(error);
  }
}

/** Shows the delivery of a sent mail and updates it. */
function livingDelivery({ context, email, isOld, signal }: Shown): HTMLElement {
  const holder = make("div", { "aria-live": "polite" }, deliveryPart(email.delivery));
  const latest = new Latest();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const isLatest = latest.ask();
    try {
      const { delivery } = await context.client.emails.get(email.id, { signal });
      if (!isLatest()) return;
      const next = deliveryPart(delivery);
      // Replaced only if something changed, because screen readers announce it.
      if (next.textContent !== holder.textContent) holder.replaceChildren(next);
      if (isUnderWay(delivery)) timer = setTimeout(() => void look(), LOOK_MS);
    } catch {
      // The next event or the reader tries again.
    }
  };
  context.onEvent((data) => data.email_id === email.id && void look(), signal);
  if (isOld) void look();
  else if (isUnderWay(email.delivery)) timer = setTimeout(() => void look(), LOOK_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
  return holder;
}

/** Shows the HTML, if there is one, or the text, as the reader chooses, and fills `links` with its links. */
function bodyPart(shown: Shown, links: HTMLElement, isInThread: boolean): HTMLElement {
  const { email } = shown;
  const { body_html, body_text } = email;
  const holder = make("div", { class: "body" });
  const showText = (): void => {
    holder.replaceChildren(foldedTextPart(email));
    const found = [...webAddressesIn(body_text)].flatMap(({ url }) => (url === null ? [] : [url.href]));
    showLinks(
      links,
      found.map((url) => ({ url, text: "" })),
    );
  };
  if (body_html.trim() === "") {
    showText();
    return holder;
  }
  const showHtml = (): void => {
    const cut = make(
      "p",
      { class: "notice", hidden: true },
      "The mail is too long to be shown whole. Switch to the text to read the rest.",
    );
    const html = htmlPart(shown, (mail) => {
      cut.hidden = !mail.isCut;
      showLinks(links, mail.links);
    });
    holder.replaceChildren(html, cut);
  };
  const beginsWithText = isInThread && quotesOthers(email);
  if (beginsWithText) showText();
  else showHtml();
  const chosen = beginsWithText ? 1 : 0;
  return make("div", {}, choice(chosen, ["As designed", showHtml], ["As text", showText]), holder);
}

/** Makes toggle buttons, of which one is pressed. */
function choice(chosen: number, ...ways: [string, () => void][]): HTMLElement {
  const buttons = ways.map(([name, show], index) => {
    const button = make("button", { type: "button", "aria-pressed": String(index === chosen) }, name);
    button.addEventListener("click", () => {
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
      show();
    });
    return button;
  });
  return make("div", { class: "choice", role: "group", "aria-label": "How the mail is shown" }, ...buttons);
}

function showLinks(holder: HTMLElement, links: readonly MailLink[]): void {
  const unique = [...new Map(links.map((link) => [link.url, link])).values()];
  const lines = unique.slice(0, MAX_SHOWN_LINKS).flatMap(({ url, text }) => {
    const address = webAddress(url);
    if (address === null) return [];
    const shownText = line(text).slice(0, 200);
    const name = shownText === "" || shownText === url ? [] : [make("strong", { dir: "auto" }, shownText)];
    const link = webLink(address, url);
    link.classList.add("mono", "small", "break");
    return [make("li", {}, make("div", { class: "about" }, ...name, link), copyButton(url, "the link"))];
  });
  const list = make("ul", { class: "rows" }, ...lines);
  const summary = make("summary", {}, `Links (${unique.length})`);
  holder.replaceChildren(...(lines.length === 0 ? [] : [make("details", { class: "links" }, summary, list)]));
}

function morePart(email: Email): HTMLElement {
  const { metadata } = email;
  const facts = [
    ...(email.direction === "inbound" ? fact("Envelope from", line(metadata.envelope_from) || "<>") : []),
    ...(email.direction === "inbound" ? fact("Delivered to", line(metadata.envelope_to)) : []),
    ...fact("Received by", metadata.received_via.replace("_", " ")),
    ...(metadata.date === null ? [] : fact("Dated", exactTime(metadata.date))),
    ...fact("Message-ID", make("span", { class: "mono" }, line(email.message_id ?? "none"))),
    ...fact("Size", size(email.size_bytes)),
    ...(metadata.parse_faults.length === 0 ? [] : fact("Faults", metadata.parse_faults.map(line).join("; "))),
    ...fact("Thread", make("a", { href: hashOf("thread", email.thread_id) }, "Show the conversation")),
  ];
  return make(
    "details",
    { class: "more" },
    make("summary", {}, email.direction === "inbound" ? "Sender authentication" : "Details"),
    ...(email.direction === "inbound" ? [verdictPart(email.authentication)] : []),
    make("dl", { class: "facts" }, ...facts),
  );
}
