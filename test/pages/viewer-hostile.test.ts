import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MailboxKey } from "../served/client.ts";
import { message } from "../served/messages.ts";
import { Target } from "../served/target.ts";
import { expectFits, expectLegible, NO_BROWSER, Site } from "./browser.ts";
import { deliver, htmlMail, line, openViewer, reading, requestsOf } from "./viewer-rig.ts";

/** Attacks, each as one line of HTML; `evil` is the URL of the attacker's server. */
const ATTEMPTS: Record<string, (evil: string) => string> = {
  "a script": (evil) => `<script>fetch("${evil}/script"); top.pwned = 1; parent.pwned = 1</script>`,
  "a script elsewhere": (evil) => `<script src="${evil}/script.js"></script>`,
  "a script in svg": (evil) =>
    `<svg><script>top.pwned = 1</script><image href="${evil}/svg.png"/><use href="${evil}/use.svg#a"/></svg>`,
  "an svg that loads": (evil) =>
    `<svg onload="top.pwned = 1"><animate onbegin="top.pwned = 1" attributeName="x"/></svg><svg><style>@import "${evil}/svg.css";</style></svg>`,
  MathML: (evil) =>
    `<math><mtext><table><mglyph><style><img src="${evil}/math" onerror="top.pwned = 1"></style></mglyph></table></mtext></math>`,
  handlers: (evil) =>
    `<img src="x" onerror="top.pwned = 1"><body onload="top.pwned = 1"><details open ontoggle="top.pwned = 1">x</details><div onmouseover="top.pwned = 1" onpointerenter="fetch('${evil}/over')" style="position:fixed;inset:0">over</div><input autofocus onfocus="top.pwned = 1">`,
  images: (evil) =>
    `<img src="${evil}/i.png"><img srcset="${evil}/s.png 1x, ${evil}/s2.png 2x"><picture><source srcset="${evil}/p.png"><img></picture><img src="//${evil.slice(7)}/relative.png"><img lowsrc="${evil}/low.png" dynsrc="${evil}/dyn.avi">`,
  backgrounds: (evil) =>
    `<table background="${evil}/bg.png"><tr><td background="${evil}/td.png">cell</td></tr></table><body background="${evil}/body.png">`,
  styles: (evil) =>
    `<style>@import "${evil}/a.css"; @import url(${evil}/b.css); body { background: url(${evil}/c.png) } p { background: url("${evil}/d.png") } @font-face { font-family: f; src: url(${evil}/f.woff) } p { font-family: f; list-style-image: url('${evil}/l.png'); cursor: url(${evil}/cur.png), auto } p::after { content: url(${evil}/content.png) }</style><p>styled</p>`,
  "styles that hide it": (evil) =>
    `<style>p { background: \\75 rl(${evil}/e.png) } p::before { content: u\\72l("${evil}/g.png") } div { background: image-set("${evil}/h.png" 1x) } b { --x: url(${evil}/v.png); background: var(--x) } i { background: u/**/rl(${evil}/k.png) }</style><p>a</p><div>b</div><b>c</b><i>d</i>`,
  "style attributes": (evil) =>
    `<p style="background:url(${evil}/attr.png)">a</p><p style="background:\\55\\52\\4c(${evil}/attr2.png)">b</p><p style='border-image: url("${evil}/attr3.png") 1'>c</p>`,
  "sheets and hints": (evil) =>
    [
      "stylesheet",
      "preload",
      "prefetch",
      "preconnect",
      "dns-prefetch",
      "modulepreload",
      "icon",
      "prerender",
      "manifest",
      "import",
    ]
      .map((rel) => `<link rel="${rel}" href="${evil}/${rel}" as="style">`)
      .join(""),
  "a refresh": (evil) =>
    `<meta http-equiv="refresh" content="0; url=${evil}/refresh"><meta http-equiv="Content-Security-Policy" content="default-src *">`,
  "a base": (evil) =>
    `<base href="${evil}/base/" target="_top"><img src="based.png"><a href="based">based</a>`,
  "a form": (evil) =>
    `<form action="${evil}/form" method="post" target="_top"><input name="a" value="b"><button id="send">Send this</button><input type="image" src="${evil}/form.png"></form><button formaction="${evil}/b">Press</button>`,
  frames: (evil) =>
    `<iframe src="${evil}/frame"></iframe><iframe srcdoc="<script>top.pwned = 1</script>"></iframe><frameset><frame src="${evil}/fs"></frameset><object data="${evil}/object"></object><embed src="${evil}/embed"><applet code="${evil}/applet"></applet><portal src="${evil}/portal"></portal>`,
  media: (evil) =>
    `<video src="${evil}/v.mp4" poster="${evil}/poster.png" autoplay></video><audio src="${evil}/a.mp3" autoplay></audio><video><source src="${evil}/v2.mp4"><track src="${evil}/t.vtt" default></video>`,
  "what parsers read in two ways": (evil) =>
    `<noscript><p title="</noscript><img src='${evil}/no.png' onerror='top.pwned = 1'>"></noscript><template><img src="${evil}/tpl.png"></template><xmp><img src="${evil}/xmp.png"></xmp><textarea></textarea><img src="${evil}/ta.png"><!--[if true]><img src="${evil}/cc.png"><![endif]--><title><img src="${evil}/t.png"></title>`,
  "names that hide ours": () =>
    `<img name="body"><form name="head"></form><img id="x" name="createElement"><a id="documentElement" name="documentElement">x</a>`,
  links: (evil) =>
    `<a href="javascript:top.pwned=1" id="js">js</a><a href=" java\nscript:top.pwned=1">js2</a><a href="data:text/html,<script>opener.pwned=1</script>">data</a><a href="vbscript:x">vb</a><a href="blob:x">blob</a><a href="file:///etc/passwd">file</a><a href="${evil}/top" target="_top" ping="${evil}/ping">top</a><a href="/operator">own</a><map name="m"><area href="javascript:top.pwned=1" shape="default"></map>`,
};

const subjectOf = (name: string): string => `It tries ${name}.`;

/** Messages of a browser that refused an attack. */
const REFUSED =
  /^request: |^console: (?:Blocked |Unsafe attempt|The Content Security Policy|.*(?:violates the following Content Security Policy|sandboxed))/;

const NOTHING = "nothing";

describe.skipIf(NO_BROWSER)("a hostile mail", () => {
  let site: Site;
  let evil: Target;
  let box: MailboxKey;
  let page: Page;
  let requests: string[];
  beforeAll(async () => {
    [site, evil] = await Promise.all([Site.open(), Target.start()]);
    box = await site.server.service.createMailbox();
    for (const [name, attempt] of Object.entries(ATTEMPTS)) {
      const html = `<p>Before.</p>${attempt(evilOrigin())}<p>After.</p>`;
      await deliver(site.server.service, box, htmlMail(html, { subject: subjectOf(name) }));
    }
    page = await openViewer(site, box);
    requests = requestsOf(page.context());
  });
  afterAll(async () => {
    await site.close();
    await evil.stop();
  });
  const evilOrigin = (): string => evil.url("").replace(/\/$/, "");

  /** Opens a mail, and waits for its frame. */
  async function read(subject: string): Promise<Frame> {
    await page.getByRole("link", { name: "Inbox" }).click();
    await line(page, subject).getByRole("link").click();
    await reading(page).getByRole("heading", { name: subject }).waitFor();
    return mailFrame();
  }

  async function mailFrame(): Promise<Frame> {
    const frame = await (await page.locator("iframe.mail-frame").elementHandle())?.contentFrame();
    if (!frame) throw new Error("There is no frame");
    await frame.getByText("Before.").waitFor();
    return frame;
  }

  /** Waits until an attack could have happened, and fails if anything did. */
  async function outcome(): Promise<string> {
    await page.waitForTimeout(200);
    expect(page.url()).toContain(`${site.url}/mailbox#/mail/`);
    const state = await page.evaluate(
      // The number of unread mails before the title changes with each mail.
      "[typeof pwned, frames.length, frames[0].location.pathname, document.title.replace(/^.*\\) /, '')]",
    );
    expect(state).toEqual(["undefined", 1, "/mailbox/frame", `${box.mailbox} – Mailbox`]);
    expect(evil.received.map(({ path }) => path)).toEqual([]);
    expect(page.context().pages().length).toBe(1);
    expect(site.faults(REFUSED)).toEqual([]);
    return NOTHING;
  }

  const FORBIDDEN =
    "script, iframe, frame, object, embed, applet, form, input, button, link, meta[http-equiv], base, svg, math, video, audio, source, template, area, [ping], [srcset], [target=_top], body [name]";

  it.each(Object.keys(ATTEMPTS))("runs nothing and loads nothing by %s", async (name) => {
    const frame = await read(subjectOf(name));
    await frame.getByText("After.").waitFor();
    expect(await frame.locator(FORBIDDEN).count()).toBe(0);
    const handlers = await frame.evaluate<string[]>(
      "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on'))",
    );
    expect(handlers).toEqual([]);
    expect(await outcome()).toBe(NOTHING);
    // Not even an attempt, which the policy would have refused: a browser may connect before it looks into that.
    expect(evil.connections).toBe(0);
    expect(requests.filter((url) => !url.startsWith(`${site.url}/`))).toEqual([]);
  });

  it.each(Object.entries(ATTEMPTS))(
    "does nothing by %s even without the sanitiser: the frame alone is enough",
    async (name, attempt) => {
      await read(subjectOf(name));
      await page.evaluate(
        ([html]) => {
          const target = Reflect.get(globalThis, "frames")[0].document;
          // Unlike innerHTML, this gives scripts that run where any may.
          target.body.replaceChildren(target.createRange().createContextualFragment(html));
        },
        [attempt(evilOrigin())],
      );
      expect(await outcome()).toBe(NOTHING);
      const submit = page.frameLocator("iframe.mail-frame").locator("#send");
      if ((await submit.count()) > 0) await submit.click();
      const script = page.frameLocator("iframe.mail-frame").locator("#js");
      if ((await script.count()) > 0) await script.click();
      expect(await outcome()).toBe(NOTHING);
    },
  );

  it("opens a link in a tab that knows nothing of this one", async () => {
    const frame = await read(subjectOf("links"));
    expect(
      await frame.locator("a[href]").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    ).toEqual([`${evilOrigin()}/top`]);
    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      frame.getByText("top", { exact: true }).click(),
    ]);
    await opened.waitForLoadState();
    expect(opened.url()).toBe(`${evilOrigin()}/top`);
    expect(await opened.evaluate("[opener, document.referrer, sessionStorage.length, window.name]")).toEqual([
      null,
      "",
      0,
      "",
    ]);
    const asked = evil.at("/top");
    expect(asked.map(({ headers }) => headers.referer)).toEqual([undefined]);
    expect(evil.at("/ping")).toEqual([]);
    await opened.close();
    expect(page.url()).toContain("#/mail/");
    expect(site.faults(/^request: .*\/(?:top|favicon\.ico)$|^console: /)).toEqual([]);
  });

  it("loads remote images after the reader asks, nothing but images, and without a referrer", async () => {
    const { service } = site.server;
    const inside = `${site.url}/v1/code?inside`;
    const html = `<p>Before.</p><img src="${evilOrigin()}/seen.png"><img src="${inside}"><p style="background:url(${evilOrigin()}/back.png)">x</p><table background="${evilOrigin()}/back2.png"><tr><td>x</table>
      <style>@import "${evilOrigin()}/sheet.css"; b { background: url(${inside}) }
      i { background: image-set("data:image/gif;base64,R0lGODlhAQABAAAAACw=" 9x, "${evilOrigin()}/set.png" 1x) }</style><b>b</b><i>i</i><script src="${evilOrigin()}/run.js"></script>
      <link rel="stylesheet" href="${evilOrigin()}/link.css"><iframe src="${evilOrigin()}/frame"></iframe>`;
    const before = evil.received.length;
    await deliver(service, box, htmlMail(html, { subject: "Look at this" }));
    await read("Look at this");
    await page.waitForTimeout(250);
    expect(evil.received.length).toBe(before);
    await page.getByRole("button", { name: "Show images" }).click();
    await evil.heard("/seen.png", 1);
    await page.waitForTimeout(250);
    const heard = evil.received.slice(before);
    expect(heard.map(({ path }) => path).toSorted()).toEqual(["/seen.png"]);
    for (const { headers } of heard) {
      expect([headers.referer, headers.authorization, headers.cookie, headers.origin]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    }
    expect(requests.filter((url) => url === inside)).toEqual([]);
    await page.getByText("Remote images are not loaded").waitFor({ state: "hidden" });
    // Asked for once is not asked for ever.
    await read("Look at this");
    await page.getByText("Remote images are not loaded").waitFor();
    expect(evil.received.length).toBe(before + 1);
    site.faults();
  });

  it("is cut where it has more elements than a browser shows quickly, and the page says so", async () => {
    const html = `<p>Before.</p>${"<b>x</b>".repeat(60_000)}<p>After.</p>`;
    await deliver(site.server.service, box, htmlMail(html, { subject: "A long one" }));
    const frame = await read("A long one");
    await page.getByText("The mail is too long").waitFor();
    expect(await frame.locator("b").count()).toBeGreaterThan(20_000);
    expect(await frame.locator("b").count()).toBeLessThan(50_000);
    expect(await frame.getByText("After.").count()).toBe(0);
    expect(site.faults()).toEqual([]);
  });

  it("keeps its styles, those in an HTML comment too", async () => {
    const html = `<style><!-- p { color: rgb(1, 2, 3) } --></style><p style="font-weight: 700">Before.</p>`;
    await deliver(site.server.service, box, htmlMail(html, { subject: "A styled one" }));
    const frame = await read("A styled one");
    const style = await frame.evaluate<string[]>(
      "(({ color, fontWeight }) => [color, fontWeight])(getComputedStyle(document.querySelector('p')))",
    );
    expect(style).toEqual(["rgb(1, 2, 3)", "700"]);
    expect(site.faults()).toEqual([]);
  });

  it("is said to hide text, which a button shows as plain text, asked for once and beside the mail", async () => {
    const html = `<p>Before.</p><div style="color:#fff">Obey <b>me</b> &lt;img src=x onerror=top.pwned=1&gt;</div>
      <p style="font-size:1px">Too small</p><p>Hi\u{e0041}\u{e0042}</p>`;
    const { service } = site.server;
    await deliver(service, box, htmlMail(html, { subject: "A hiding one" }));
    await deliver(service, box, htmlMail("<p>Before.</p><!-- x -->", { subject: "An open one" }));
    const asked = requests.length;
    const frame = await read("A hiding one");
    const part = reading(page).locator(".hidden-text");
    await part.getByText("This mail has text that you cannot see: ").waitFor();
    expect(await part.locator("p").textContent()).toContain(
      "1 part too small to read, 1 part in the colour of the background, 2 invisible characters.",
    );
    const views = () => requests.slice(asked).filter((url) => new URL(url).pathname.endsWith("/view"));
    expect(views()).toHaveLength(1);
    const button = part.getByRole("button", { name: "Show hidden text" });
    await button.focus();
    await page.keyboard.press("Enter");
    const list = part.getByRole("region", { name: "Hidden text, which the mail does not show" });
    expect(await list.getByRole("listitem").allTextContents()).toEqual([
      "spelt in invisible charactersAB",
      "in the colour of its backgroundObey me <img src=x onerror=top.pwned=1>",
      "too small to readToo small",
    ]);
    await expectLegible(page, () => {});
    await page.keyboard.press("Enter");
    await list.waitFor({ state: "detached" });
    expect(await frame.getByText("Before.").count()).toBe(1);
    // The mail is shown while the service does not answer about it.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/view?*", async (route) => {
      await held;
      await route.fulfill({ status: 500, json: { error: "internal" } });
    });
    await read("An open one");
    expect(await part.textContent()).toBe("");
    release();
    await part.getByText("the check failed").waitFor();
    await page.unroute("**/view?*");
    const answered = page.waitForResponse("**/view?*");
    await read("An open one");
    await (await answered).finished();
    expect(await part.textContent()).toBe("");
    expect(views()).toHaveLength(3);
    expect(site.faults(/^console: .*500/)).toEqual([]);
  });

  it("cannot become markup of the page even by a mistake of ours", async () => {
    const attempt = page.evaluate(
      "document.querySelector('main').insertAdjacentHTML('beforeend', '<b>x</b>')",
    );
    await expect(attempt).rejects.toThrow(/TrustedHTML/);
    site.faults();
  });

  it("is shown as text in every other place: subject, names, file names, raw message", async () => {
    const { service } = site.server;
    const words = `"><img src=${evilOrigin()}/word.png onerror=top.pwned=1><script>top.pwned=1</script>`;
    const boundary = "b0undary";
    const raw = message({
      subject: `Words ${words} \u202egnp.exe`,
      from: `"${words.replaceAll('"', "'")} \u202e" <"<script>"@example.com>`,
      headers: [
        `Reply-To: "${words.replaceAll('"', "'")}" <x@example.com>`,
        `Cc: <img/src=${evilOrigin()}/cc.png>@example.com`,
        `Message-ID: <<script>top.pwned=1</script>@example.com>`,
        "MIME-Version: 1.0",
        `Content-Type: multipart/mixed; boundary=${boundary}`,
      ],
      messageId: null,
      body: [
        `--${boundary}`,
        "Content-Type: text/plain; charset=utf-8",
        "",
        `${words} https://example.com/"onmouseover="top.pwned=1 javascript:top.pwned=1`,
        `--${boundary}`,
        `Content-Type: text/html; name="<script>top.pwned=1<script>.html"`,
        `Content-Disposition: attachment; filename="<img src=x onerror=top.pwned=1>.html"`,
        "",
        `<script>top.pwned=1</script>`,
        `--${boundary}--`,
        "",
      ].join("\n"),
    });
    const heard = evil.received.length;
    const id = await deliver(service, box, raw);
    const arrived = page.locator(`a[data-id="${id}"]`);
    await arrived.waitFor();
    await arrived.click();
    await reading(page).getByText("onerror=top.pwned=1").first().waitFor();
    for (const fold of await reading(page).locator("summary").all()) await fold.click();
    await reading(page).getByRole("button", { name: "Raw message" }).click();
    await page.getByLabel("Raw message").getByText(boundary).first().waitFor();
    await page.getByRole("link", { name: "Reply", exact: true }).click();
    await page.getByRole("heading", { name: "Reply" }).waitFor();
    await page.getByRole("link", { name: "Threads" }).click();
    await page.locator(".mails a").first().waitFor();
    await page
      .getByRole("combobox", { name: "Search this mailbox" })
      .fill('"><img src=x onerror=top.pwned=1>');
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("#/search/");
    await page.waitForTimeout(250);
    expect(
      await page.evaluate("[typeof pwned, document.querySelectorAll('main img, main script').length]"),
    ).toEqual(["undefined", 0]);
    expect(await page.locator("main").innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(evil.received.length).toBe(heard);
    await expectFits(page);
    expect(site.faults()).toEqual([]);
  });
});
