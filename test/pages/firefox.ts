import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram } from "./find-program.ts";

/** The browser of these tests: `FIREFOX` of the environment, or the first of its names on PATH; null: there is none. */
const FIREFOX = findProgram("FIREFOX", ["firefox-esr", "firefox"]);

if (FIREFOX === null) {
  console.warn(
    "No Firefox here: the pages are NOT tested in it. Install it (apt-get install firefox-esr) or set FIREFOX.",
  );
}

/** For `describe.skipIf`: every suite in Firefox. */
export const NO_FIREFOX = FIREFOX === null;

const START_MS = 60_000;
/** How long a page has to show something, in milliseconds, and how often it is looked at. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 50;
const VIEWPORT = { width: 1280, height: 800 };

/** Keys without a character, as WebDriver names them. */
const KEYS: Readonly<Record<string, string>> = { Tab: "\uE004", Enter: "\uE007", Escape: "\uE00C" };

type Result = Record<string, unknown>;

/** An answer of WebDriver BiDi, or an event. */
interface Incoming {
  id?: number;
  type: string;
  message?: string;
  method?: string;
  params?: { level?: string; text?: string | null };
  result?: Result;
}

/**
 * Firefox as it is installed, driven by WebDriver BiDi. Playwright drives a Firefox of its own only.
 * https://w3c.github.io/webdriver-bidi/
 */
export class Firefox {
  readonly #child: ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  readonly #answers = new Map<number, PromiseWithResolvers<Result>>();
  readonly #faults: string[] = [];
  #sent = 0;

  private constructor(child: ChildProcess, socket: WebSocket, profile: string) {
    this.#child = child;
    this.#socket = socket;
    this.#profile = profile;
    socket.addEventListener("message", ({ data }) => this.#hear(JSON.parse(String(data)) as Incoming));
  }

  static async open(): Promise<Firefox> {
    const profile = await mkdtemp(path.join(tmpdir(), "mailkeep-firefox-"));
    const options = ["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile];
    const child = spawn(FIREFOX ?? "", options, { stdio: ["ignore", "ignore", "pipe"] });
    const socket = new WebSocket(`${await listening(child)}/session`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    const firefox = new Firefox(child, socket, profile);
    await firefox.send("session.new", { capabilities: {} });
    await firefox.send("session.subscribe", { events: ["log.entryAdded"] });
    return firefox;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    await this.send("browser.close", {});
    this.#socket.close();
    await ended;
    await rm(this.#profile, { recursive: true, force: true });
  }

  /** A tab of a reader of its own: no cookies or storage of another. */
  async visit(url: string): Promise<Tab> {
    const { userContext } = await this.send("browser.createUserContext", {});
    const { context } = await this.send("browsingContext.create", { type: "tab", userContext });
    const tab = new Tab(this, String(context));
    await this.send("browsingContext.setViewport", { context, viewport: VIEWPORT });
    await tab.go(url);
    return tab;
  }

  /** The errors that the pages told the console since the last call. */
  faults(): string[] {
    return this.#faults.splice(0);
  }

  send(method: string, params: Result): Promise<Result> {
    this.#sent += 1;
    const answer = Promise.withResolvers<Result>();
    this.#answers.set(this.#sent, answer);
    this.#socket.send(JSON.stringify({ id: this.#sent, method, params }));
    return answer.promise;
  }

  #hear({ id = 0, type, message = "", params, result = {} }: Incoming): void {
    if (type === "event" && params?.level === "error") this.#faults.push(params.text ?? "");
    if (type === "success") this.#answers.get(id)?.resolve(result);
    if (type === "error") this.#answers.get(id)?.reject(new Error(`Firefox: ${message}`));
    this.#answers.delete(id);
  }
}

/** One page. What it does waits until the page shows what it needs. */
export class Tab {
  readonly #firefox: Firefox;
  readonly #context: string;

  constructor(firefox: Firefox, context: string) {
    this.#firefox = firefox;
    this.#context = context;
  }

  async go(url: string): Promise<void> {
    await this.#send("browsingContext.navigate", { url, wait: "complete" });
  }

  async reload(): Promise<void> {
    await this.#send("browsingContext.reload", { wait: "complete" });
  }

  /** The value of an expression in the page: a text, a number, a truth value or null. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#send("script.evaluate", {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    });
    return (result as { value?: unknown }).value ?? null;
  }

  /** Waits until the visible text of parts of the page contains `text`. */
  async see(text: string, selector = "body"): Promise<void> {
    await until(`"${text}"`, async () => (await this.#textOf(selector)).includes(text) || null);
  }

  /** Clicks on what has a role and exactly this name for assistive technology. */
  async click(role: string, name: string): Promise<void> {
    await this.#click({ type: "accessibility", value: { role, name } });
  }

  /** Clicks on the label of a field and types into the field. */
  async fill(label: string, text: string): Promise<void> {
    await this.#click({ type: "xpath", value: `//label[normalize-space() = "${label}"]` });
    await this.type(text);
  }

  async type(text: string): Promise<void> {
    const actions = Array.from(text, (value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]).flat();
    await this.#perform({ type: "key", id: "keyboard", actions });
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.type(KEYS[key] ?? key);
  }

  async #click(locator: Result): Promise<void> {
    const origin = { type: "element", element: { sharedId: await this.#find(locator) } };
    const actions = [
      { type: "pointerMove", x: 0, y: 0, origin },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await this.#perform({ type: "pointer", id: "mouse", actions });
  }

  async #textOf(selector: string): Promise<string> {
    const parts = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
    return String(await this.evaluate(`${parts}.map((part) => part.innerText).join("\\n")`));
  }

  async #find(locator: Result): Promise<string> {
    return until(JSON.stringify(locator["value"]), async () => {
      const { nodes } = await this.#send("browsingContext.locateNodes", { locator });
      return (nodes as { sharedId: string }[])[0]?.sharedId ?? null;
    });
  }

  async #perform(source: Result): Promise<void> {
    await this.#send("input.performActions", { actions: [source] });
  }

  #send(method: string, params: Result): Promise<Result> {
    return this.#firefox.send(method, { context: this.#context, ...params });
  }
}

/** Looks again and again until there is a result. */
async function until<Found>(what: string, look: () => Promise<Found | null>): Promise<Found> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`Firefox does not show ${what}`);
    await pause(LOOK_MS);
  }
}

/** The address at which Firefox listens, as it says when it has started. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (): void => {
      child.kill();
      reject(new Error(`Firefox did not start:\n${said}`));
    };
    const timer = setTimeout(fail, START_MS);
    child.once("error", fail);
    child.once("exit", fail);
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}
