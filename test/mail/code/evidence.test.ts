import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CodeAnswer } from "../../../src/contract/message.ts";
import { findCode, type CodeMail } from "../../../src/mail/code/find-code.ts";
import { isEmphasised } from "../../../src/mail/code/emphasis.ts";
import { CODE_WEIGHTS, LINK_WEIGHTS } from "../../../src/mail/code/weights.ts";

const mail = (parts: Partial<CodeMail>): CodeMail => ({
  subject: "",
  text: "",
  html: "",
  fromAddress: "ann@acme.example",
  ...parts,
});

const read = (parts: Partial<CodeMail>) => findCode(mail(parts));

describe("the evidence of an answer", () => {
  it("names the key word that leads to the code", () => {
    const { evidence } = read({ text: "Ihr Bestätigungscode lautet 482913." });
    expect(evidence[0]).toBe("named: bestätigungscode");
    expect(evidence).toContain("length");
  });

  it("tells an instruction where no word names a code", () => {
    const { code, evidence } = read({ text: "To sign in, enter 7314 in the app." });
    expect(code).toBe("7314");
    expect(evidence).toEqual(expect.arrayContaining(["instruction: enter", "length"]));
  });

  it("tells where the code stands: alone, in boxes", () => {
    const { evidence } = read({ subject: "Your code", text: "Your code:\n\n4 8 2 9 1 3\n" });
    expect(evidence).toEqual(expect.arrayContaining(["own_line", "boxes"]));
  });

  it("tells the WebOTP form, and an address that only machines write from", () => {
    const { evidence } = read({ text: "@acme.example #482913", fromAddress: "no-reply@acme.example" });
    expect(evidence[0]).toBe("web_otp");
    expect(evidence).toContain("sender");
  });

  it("lists the evidence for the link behind that for the code", () => {
    const url = "https://acme.example/magic/a1b2c3d4e5f6a7b8";
    const { evidence } = read({ text: `Your login code is 482913.\n\nOr sign in here: ${url}` });
    const first = evidence.findIndex((sign) => sign.startsWith("link_"));
    expect(first).toBeGreaterThan(0);
    expect(evidence.slice(first).every((sign) => sign.startsWith("link_"))).toBe(true);
  });

  it("is nothing, with no confidence, where nothing was found", () => {
    expect(read({ text: "See you at 12:30." })).toEqual({
      code: null,
      link: null,
      confidence: 0,
      linkConfidence: null,
      alternatives: [],
      evidence: [],
    });
  });
});

describe("the signs that an answer may have", () => {
  const signs = Object.entries({ ...CODE_WEIGHTS, ...LINK_WEIGHTS })
    .filter(([, weight]) => weight > 0)
    .map(([feature]) => feature.split(".")[0]);
  const answered = new Set(signs);

  it("are those that docs/understanding.md explains", () => {
    const page = readFileSync(path.join(import.meta.dirname, "../../../docs/understanding.md"), "utf8");
    const table = page.slice(page.indexOf("| Sign "), page.indexOf("**A mail with a code proves nothing"));
    const cells = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/[a-z_]+(?=`)/g) ?? []);
    expect(new Set(cells)).toEqual(answered);
  });

  it("are those that the description of the API lists", () => {
    const text = CodeAnswer.shape.evidence.meta()?.description ?? "";
    const listed = text.slice(text.indexOf("Signs: ")).match(/[a-z_]+/g) ?? [];
    expect(new Set(listed.slice(1))).toEqual(answered);
  });
});

describe("confidence", () => {
  const sure = read({ subject: "Your verification code", text: "Your verification code is 482913." });
  const hinted = read({ text: "To sign in, enter 7314 in the app." });

  it("is at least 0.7 where there is an answer, and never 1", () => {
    for (const { confidence } of [sure, hinted]) {
      expect(confidence).toBeGreaterThanOrEqual(0.7);
      expect(confidence).toBeLessThan(1);
    }
  });

  it("is higher where a word names the code than where it only follows from an instruction", () => {
    expect(sure.confidence).toBeGreaterThan(hinted.confidence);
  });

  it("is lower where another number has as much evidence, which is then an alternative", () => {
    const contested = read({ text: "Your verification code is 482913\nYour verification code is 571946" });
    const alone = read({ text: "Your verification code is 482913" });
    expect(contested.confidence).toBeLessThan(alone.confidence - 0.1);
    expect(
      read({ text: "Your verification code is 482913. Your PIN for the door is 5719." }).alternatives,
    ).toMatchObject([{ code: "5719" }]);
  });

  it("is that of the link alone where there is no code", () => {
    const { code, confidence, linkConfidence } = read({
      subject: "Confirm your email address",
      text: "Confirm your address: https://acme.example/verify?token=8f3kd93kf02kd93k",
    });
    expect([code, confidence]).toEqual([null, linkConfidence]);
  });
});

describe("scored candidates", () => {
  it("are compared by points: the better one wins in any position", () => {
    const text = "Code 5512 was an example in our last letter.\n\nYour verification code is 482913.";
    expect(read({ text }).code).toBe("482913");
  });

  it("are told apart by how the HTML sets them", () => {
    const text = "Enter this code to sign in:\n\n118204\n\nor, on paper, this code to sign in:\n\n771640\n";
    const html =
      "<p>Enter this code to sign in:</p><h1>118204</h1><p>or, on paper, this code to sign in:</p><p>771640</p>";
    const [plain, set] = [read({ text }), read({ text, html })];
    expect([set.code, set.evidence.includes("emphasised")]).toEqual(["118204", true]);
    expect(set.confidence).toBeGreaterThan(plain.confidence);
  });

  it("are letters in boxes too", () => {
    expect(read({ text: "Your activation code:\n\nR 7 K M 2 Q\n" }).code).toBe("R7KM2Q");
    expect(read({ text: "Your activation code:\n\nR\n7\nK\nM\n2\nQ\n" }).code).toBe("R7KM2Q");
  });

  it("take even 123456 where the text says outright that it is the code", () => {
    expect(read({ text: "Your code is 123456" }).code).toBe("123456");
  });
});

describe("the HTML part", () => {
  const html = "<p>Your verification code is</p><h1>482913</h1>";

  it("is read where the plain text only points to it", () => {
    expect(read({ text: "Please open this in an HTML mail program.", html }).code).toBe("482913");
    expect(read({ text: "", html }).code).toBe("482913");
  });

  it("gives no code that it hides", () => {
    const hidden = '<div style="display:none">Your verification code is 111222</div><p>Hello</p>';
    expect(read({ text: "Please open this in an HTML mail program.", html: hidden }).code).toBeNull();
  });

  it("gives no code of a mail that it quotes", () => {
    const quoted = `<p>What is this?</p><blockquote>${html}</blockquote>`;
    expect(read({ text: "", html: quoted }).code).toBeNull();
  });
});

describe("isEmphasised", () => {
  it.each([
    "<h1>482913</h1>",
    "<p><b> 482913 </b></p>",
    '<td style="font-size:32px">482913</td>',
    '<span style="letter-spacing: 6px">482913</span>',
    '<strong><span class="x">482913</span></strong>',
    '<div style="font-family:Courier,monospace">482913</div>',
  ])("sees that %s stands out", (html) => {
    expect(isEmphasised(`<p>Your code:</p>${html}`, "482913")).toBe(true);
  });

  it.each([
    "<p>482913</p>",
    "<b>Order 482913</b>",
    '<td style="font-size:12px">482913</td>',
    "<h1>Hello</h1> 482913",
    '<a href="/482913">x</a>',
    "",
  ])("sees that %s does not", (html) => {
    expect(isEmphasised(html, "482913")).toBe(false);
  });
});

describe("links whose label says little", () => {
  const url = "https://acme.example/go/a1b2c3d4e5f6a7b8";
  const button = (label: string): string => `<a href="${url}">${label}</a>`;

  it("are taken where the subject asks to confirm an account and no other link may be meant", () => {
    expect(read({ subject: "Activate your account", html: button("Let's go") }).link).toBe(url);
  });

  it("are not taken where the subject asks for something else", () => {
    expect(read({ subject: "Activate your 20% discount", html: button("Let's go") }).link).toBeNull();
    expect(read({ subject: "Our spring catalogue", html: button("Let's go") }).link).toBeNull();
  });

  it("are taken before those whose label says something else", () => {
    const other = '<a href="https://acme.example/go/b1b2c3d4e5f6a7b8">Our blog</a>';
    expect(read({ subject: "Activate your account", html: other + button("Let's go") }).link).toBe(url);
  });
});
