import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { NO_BROWSER } from "./browser.ts";
import { Pictures } from "./pictures/pictures.ts";
import { SUBJECTS } from "./pictures/mails.ts";
import type { TwinMailbox } from "../../src/twin/api.ts";
import { pathOf, Stage, type Variant } from "./pictures/stage.ts";
import { line, lines, reading, signIn } from "./viewer-rig.ts";

/** All pictures together, so that a clone stays small. */
const MAX_BYTES = 1_500_000;
/** Chromium takes its fonts from fontconfig there alone. */
const NO_PICTURES = NO_BROWSER || process.platform !== "linux";
if (NO_PICTURES) console.warn("The pictures of the pages are NOT compared: that needs Linux and Chromium.");

let stage: Stage;

/** One picture: which page it shows, to whom. */
interface Screen {
  name: string;
  variant?: Variant;
  /** The whole page instead of what the window shows. */
  whole?: boolean;
  /** A selector of parts that differ from run to run, such as measured times. They are painted over. */
  masked?: string;
  show: (page: Page) => Promise<unknown>;
}

/** A page that needs nothing but its path. */
const at =
  (path: string): Screen["show"] =>
  (page) =>
    page.goto(path);

/** Opens a mailbox in the viewer, whatever the tab showed before. */
async function openAs(page: Page, { key }: TwinMailbox): Promise<void> {
  await page.goto("/mailbox");
  await page.evaluate("sessionStorage.clear()");
  await page.reload();
  await signIn(page, key);
}

/** A part of the viewer, in the mailbox with mail. */
function viewer(place: string, then: (page: Page) => Promise<unknown>): Screen["show"] {
  return async (page) => {
    await openAs(page, stage.mailbox);
    await list(page);
    await page.goto(`/mailbox#/${place}`);
    await then(page);
  };
}

const list = (page: Page): Promise<void> => line(page, SUBJECTS.code).waitFor();

const read =
  (subject: string): ((page: Page) => Promise<unknown>) =>
  async (page) => {
    await line(page, subject).last().getByRole("link").click();
    await reading(page).getByRole("heading", { name: subject }).waitFor();
  };

const shown =
  (text: string): ((page: Page) => Promise<unknown>) =>
  (page) =>
    reading(page).getByText(text, { exact: true }).first().waitFor();

async function search(page: Page): Promise<void> {
  await page.getByLabel("Search this mailbox").fill("from:shop.example");
  await page.keyboard.press("Enter");
  await expect.poll(() => lines(page).count()).toBe(1);
}

const form = (page: Page): Promise<void> => page.getByLabel("Files").waitFor();

async function newsletter(page: Page): Promise<void> {
  await read(SUBJECTS.order)(page);
  await page.frameLocator("iframe.mail-frame").getByText("Follow your parcel").waitFor();
}

/** A page of the console, by its name in the menu. */
function consolePage(
  name: string,
  { variant, ...more }: Pick<Screen, "masked" | "variant" | "whole"> = {},
): Screen {
  const show = async (page: Page): Promise<void> => {
    // Signed in anew: the form would lead on by itself while it is filled in.
    await page.context().clearCookies();
    await page.goto("/operator");
    await page.getByLabel("Operator key").fill(stage.twin.operatorKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    const link = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true });
    await link.click();
    await page.locator("h1").waitFor();
  };
  const suffix = variant === undefined ? "" : `-${variant}`;
  return { name: `console-${name.toLowerCase()}${suffix}`, variant, ...more, show };
}

/** A page of the console while all sending is halted. */
function whileHalted(name: string, variant?: Variant): Screen {
  const page = consolePage(name, { variant, masked: ".plots" });
  const asked = (action: string) =>
    fetch(`${stage.twin.url}/v1/sending/${action}`, {
      method: "PATCH",
      headers: { Authorization: `Bearer ${stage.twin.operatorKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(action === "halt" ? { reason: "A key leaked." } : {}),
    });
  return {
    ...page,
    name: page.name.replace("console-", "console-all-halted-"),
    show: async (shown) => {
      onTestFinished(async () => void (await asked("resume")));
      await asked("halt");
      await page.show(shown);
    },
  };
}

/** Decides a claim, if it is not decided, and waits for what its page says then. */
function decide(claim: keyof Stage["claims"], decision: "Approve" | "Deny", said: string): Screen["show"] {
  return async (page) => {
    await page.goto(pathOf(stage.claims[claim]));
    const button = page.getByRole("button", { name: decision, exact: true });
    if (await button.isVisible()) await button.click();
    await page.getByText(said).waitFor();
  };
}

/** Each request before it draws random numbers too, so the code is another one when the number of requests changes. */
const USER_CODE = "main .code";

const SCREENS: readonly Screen[] = [
  { name: "start", whole: true, show: at("/") },
  { name: "start-dark", variant: "dark", whole: true, show: at("/") },
  { name: "start-phone", variant: "phone", whole: true, show: at("/") },
  { name: "not-found", show: at("/no-such-page") },
  { name: "docs", show: at("/docs/agents") },
  { name: "docs-dark", variant: "dark", show: at("/docs/agents") },
  { name: "docs-phone", variant: "phone", show: at("/docs/agents") },
  {
    name: "docs-search",
    show: async (page) => {
      await page.goto("/docs/rules");
      await page.getByLabel("Search the documentation").fill("second factor");
      await page.locator(".found a").first().waitFor();
    },
  },
  { name: "reference", show: at("/docs") },
  { name: "reference-phone", variant: "phone", show: at("/docs") },
  { name: "reference-operation", show: at("/docs#send") },
  { name: "claim-code", show: at("/claim") },
  { name: "claim-unknown", show: at("/claim?code=BCDF-GHJK") },
  { name: "claim", whole: true, masked: USER_CODE, show: (page) => page.goto(pathOf(stage.claims.open)) },
  {
    name: "claim-dark",
    variant: "dark",
    whole: true,
    masked: USER_CODE,
    show: (page) => page.goto(pathOf(stage.claims.open)),
  },
  {
    name: "claim-phone",
    masked: USER_CODE,
    variant: "phone",
    whole: true,
    show: (page) => page.goto(pathOf(stage.claims.open)),
  },
  {
    name: "claim-operator",
    whole: true,
    masked: USER_CODE,
    show: (page) => page.goto(stage.strictClaim),
  },
  {
    name: "claim-operator-phone",
    masked: USER_CODE,
    variant: "phone",
    whole: true,
    show: (page) => page.goto(stage.strictClaim),
  },
  { name: "claim-approved", show: decide("approved", "Approve", "is your agent's mailbox now") },
  { name: "claim-taken", show: decide("taken", "Approve", "went to another claim before") },
  { name: "claim-denied", show: decide("denied", "Deny", "The agent has been told.") },
  { name: "claim-expired", show: (page) => page.goto(pathOf(stage.claims.expired)) },
  { name: "viewer-sign-in", show: at("/mailbox") },
  { name: "viewer-empty", show: (page) => openAs(page, stage.empty) },
  { name: "viewer", show: viewer("inbox", newsletter) },
  { name: "viewer-dark", variant: "dark", show: viewer("inbox", newsletter) },
  { name: "viewer-phone", variant: "phone", show: viewer("inbox", list) },
  { name: "viewer-mail-phone", variant: "phone", show: viewer("inbox", read(SUBJECTS.code)) },
  { name: "viewer-code-dark", variant: "dark", show: viewer("inbox", read(SUBJECTS.code)) },
  { name: "viewer-code", show: viewer("inbox", read(SUBJECTS.code)) },
  { name: "viewer-rtl", show: viewer("inbox", read(SUBJECTS.arabic)) },
  { name: "viewer-files", show: viewer("inbox", read(SUBJECTS.files)) },
  { name: "viewer-search", show: viewer("inbox", search) },
  { name: "viewer-compose", show: viewer("compose", form) },
  { name: "viewer-compose-phone", variant: "phone", show: viewer("compose", form) },
  { name: "viewer-compose-dark", variant: "dark", show: viewer("compose", form) },
  { name: "viewer-rules", show: viewer("rules", shown("Save the rules")) },
  { name: "viewer-keys", show: viewer("keys", shown("Make a key")) },
  { name: "viewer-settings", show: viewer("settings", shown("Pause the mailbox")) },
  { name: "viewer-settings-phone", variant: "phone", show: viewer("settings", shown("Pause the mailbox")) },
  { name: "console-sign-in", show: at("/operator") },
  consolePage("Overview", { masked: ".plots" }),
  consolePage("Overview", { masked: ".plots", variant: "dark" }),
  consolePage("Mailboxes"),
  consolePage("Mailboxes", { variant: "dark" }),
  consolePage("Mailboxes", { variant: "phone" }),
  consolePage("Webhooks"),
  consolePage("Outbox"),
  consolePage("Refusals"),
  consolePage("Halted"),
  consolePage("Halted", { variant: "dark" }),
  consolePage("Settings"),
  whileHalted("Overview"),
  whileHalted("Halted"),
  whileHalted("Halted", "dark"),
  whileHalted("Halted", "phone"),
];

describe.skipIf(NO_PICTURES)("the pages, beside their pictures in docs/screens", () => {
  let pictures: Pictures;
  beforeAll(async () => {
    stage = await Stage.open();
    pictures = await Pictures.open(stage.browser);
  });
  afterAll(() => stage.close());

  for (const { name, variant = "desk", whole = false, masked, show } of SCREENS) {
    it(`look as in ${name}.webp`, async () => {
      const page = await stage.page(variant);
      await show(page);
      expect(await pictures.fault(page, name, { fullPage: whole, masked })).toBeNull();
    });
  }

  it("have one picture each, 1.5 MB together at most", () => {
    expect(pictures.leftOver()).toEqual([]);
    expect(pictures.bytes()).toBeLessThan(MAX_BYTES);
  });
});
