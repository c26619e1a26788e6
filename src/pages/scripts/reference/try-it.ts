import { make } from "../lib/dom.ts";

/** More of an answer is left out, as a browser becomes slow with it. */
const MAX_SHOWN_CHARS = 200_000;

interface Field {
  name: string;
  /** "path", "query" or "header". */
  place: string;
  input: HTMLInputElement;
}

/** A request as the reader fills it in. */
interface Draft {
  method: string;
  /** With parameters in braces. */
  path: string;
  fields: Field[];
  /** The media type of the body. */
  media: string | undefined;
  body: HTMLTextAreaElement | HTMLInputElement | null;
}

/** Makes a form that sends the operation of an entry with the reader's key, and shows the answer. */
export function tryForm(entry: HTMLElement, key: () => string): HTMLFormElement {
  const { id, dataset } = entry;
  const { method = "", path = "", media } = dataset;
  const fields = [...entry.querySelectorAll<HTMLElement>("[data-in]")].map((parameter): Field => {
    const { in: place = "", name = "", value } = parameter.dataset;
    const attributes = { autocomplete: "off", spellcheck: "false", required: value !== undefined };
    const input = make("input", { id: `${id}-${name}`, value: value ?? "", ...attributes });
    return { name, place, input };
  });
  const body = media === undefined ? null : bodyField(id, dataset.body);
  const send = make("button", { type: "submit", class: "primary" }, `Send ${method}`);
  const stop = make("button", { type: "button", hidden: true }, "Stop");
  const status = make("p", { role: "status", class: "label" });
  const answer = make("pre", { tabindex: "0", "aria-label": "Answer", hidden: true });
  const labelled = (name: string, input: HTMLElement): HTMLElement =>
    make("div", { class: "field" }, make("label", { for: input.id }, name), input);
  const form = make(
    "form",
    {},
    make("div", { class: "fields" }, ...fields.map(({ name, input }) => labelled(name, input))),
    ...(body === null ? [] : [labelled("Body", body)]),
    make("div", { class: "actions" }, send, stop),
    status,
    answer,
  );
  const draft = { method, path, fields, media, body };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const cancel = new AbortController();
    stop.onclick = () => cancel.abort();
    send.disabled = true;
    stop.hidden = false;
    answer.hidden = false;
    answer.textContent = "";
    const say = (text: string): string => (status.textContent = text);
    say("Sending …");
    void show(requestOf(draft, key()), { answer, say, signal: cancel.signal }).finally(() => {
      send.disabled = false;
      stop.hidden = true;
    });
  });
  return form;
}

/** A text field that starts with the example of a JSON body; a choice of a file for other bodies. */
function bodyField(id: string, example: string | undefined): HTMLTextAreaElement | HTMLInputElement {
  if (example === undefined) return make("input", { id: `${id}-body`, type: "file", required: true });
  return make("textarea", { id: `${id}-body`, spellcheck: "false" }, example);
}

function requestOf({ method, path: template, fields, media, body }: Draft, key: string): Request {
  let path = template;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const { name, place, input } of fields) {
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (input.value === "") continue;
    else if (place === "query") query.set(name, input.value);
    else headers.set(name, input.value);
  }
  if (key !== "") headers.set("Authorization", `Bearer ${key}`);
  if (media !== undefined) headers.set("Content-Type", media === "*/*" ? "application/octet-stream" : media);
  const url = `${path}${query.size === 0 ? "" : `?${query.toString()}`}`;
  return new Request(url, { method, headers, body: contentOf(body), credentials: "omit" });
}

function contentOf(body: Draft["body"]): BodyInit | null {
  return body instanceof HTMLInputElement ? (body.files?.[0] ?? null) : (body?.value ?? null);
}

interface Shown {
  answer: HTMLElement;
  say: (text: string) => void;
  signal: AbortSignal;
}

/** Sends the request and shows the answer as it arrives. */
async function show(request: Request, { answer, say, signal }: Shown): Promise<void> {
  const startedMs = performance.now();
  try {
    const response = await fetch(request, { signal });
    const line = `${response.status} ${response.statusText} · ${response.headers.get("Content-Type") ?? "no body"}`;
    say(`${line} · ${(performance.now() - startedMs).toFixed(0)} ms`);
    const isText = /^(?:application\/json|text\/|message\/)/.test(response.headers.get("Content-Type") ?? "");
    if (!isText) {
      const { byteLength } = await response.arrayBuffer();
      answer.textContent = byteLength === 0 ? "" : `${byteLength} bytes`;
      return;
    }
    let text = "";
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true });
      answer.textContent = text.slice(0, MAX_SHOWN_CHARS);
    }
    answer.textContent = indented(text).slice(0, MAX_SHOWN_CHARS);
  } catch (error) {
    say(signal.aborted ? "Stopped." : `The request failed: ${String(error)}`);
  }
}

/** JSON with line breaks; other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
