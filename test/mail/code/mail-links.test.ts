import { describe, expect, it } from "vitest";
import { htmlLinks, textLinks } from "../../../src/mail/code/mail-links.ts";

const HREF = "https://acme.example/verify/8f3kd93kf02kd93k";
const anchor = (attributes = "") => `<a href="${HREF}" ${attributes}>Confirm</a>`;
const urlsOf = (html: string) => htmlLinks(html).map(({ url }) => url);

describe("links of HTML that a reader cannot see", () => {
  it.each([
    ["font-size:0"],
    ["font-size:  0.0px"],
    ["font-size:1px"],
    ["font:0/0 a"],
    ["display:/**/none"],
    ["display&#58;none"],
    ["visibility:hidden"],
    ["height:0;overflow:hidden"],
    ["mso-hide:all"],
  ])("are left out of an element with the style %s", (style) => {
    expect(urlsOf(`<div style="${style}">${anchor()}</div>`)).toEqual([]);
  });

  it.each([["font-size:1em"], ["font-size:100%"], ["font-size:0"], ["color:red"]])(
    "are left out of an element without a size, whatever multiple of it they have: %s",
    (style) => {
      expect(urlsOf(`<div style="font-size:0">${anchor(`style="${style}"`)}</div>`)).toEqual([]);
    },
  );

  it("are left out of a hidden element within one that has a size again", () => {
    const cell = `<div style="font-size:13px">${anchor('style="font-size:0"')}</div>`;
    expect(urlsOf(`<div style="font-size:0">${cell}</div>`)).toEqual([]);
  });
});

describe("links of HTML that a reader sees", () => {
  it("are read in layouts whose cells have no size and whose texts have one", () => {
    const cell = `<td style="font-size:0px"><div style="font-size:13px">Please ${anchor()}</div></td>`;
    expect(htmlLinks(cell)).toMatchObject([{ url: HREF, label: "Confirm", before: "Please " }]);
  });

  it("are read behind a hidden element that stands in one without a size", () => {
    const preheader = '<div style="font-size:0"><div style="display:none">Hello</div></div>';
    expect(urlsOf(`${preheader}${anchor()}`)).toEqual([HREF]);
  });

  it("lead where the attribute says, not where the value of another says", () => {
    expect(urlsOf(anchor("title=\" href='https://evil.example/'\""))).toEqual([HREF]);
    expect(urlsOf(`<a title=" href='https://evil.example/'" href="${HREF}">Confirm</a>`)).toEqual([HREF]);
  });
});

describe("addresses that deceive", () => {
  it.each([
    ["https://bank.example@evil.example/verify"],
    ["https://:@evil.example/verify"],
    ["https://bank.example\\@evil.example/verify"],
    ["https:///evil.example/verify"],
    ["https://acme.exa\u00admple/verify"],
    ["https://acme.example\u202e/verify"],
    ["javascript:alert(1)//https://acme.example/"],
  ])("are no links: %s", (url) => {
    expect(urlsOf(`<a href="${url}">Confirm</a>`)).toEqual([]);
    expect(textLinks(`Confirm: ${url}`).map((link) => link.url)).not.toContain(url);
  });

  it("are not those with an @ behind the host, or a scheme in capitals", () => {
    for (const url of ["https://acme.example/@ann", "HTTPS://acme.example/verify?mail=ann@acme.example"]) {
      expect(urlsOf(`<a href="${url}">Confirm</a>`)).toEqual([url]);
      expect(textLinks(`Confirm: ${url}`)).toMatchObject([{ url }]);
    }
  });
});
