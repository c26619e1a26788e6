import { describe, expect, it } from "vitest";
import { findCode, type CodeMail } from "../../../src/mail/code/find-code.ts";
import { isEmphasised } from "../../../src/mail/code/emphasis.ts";

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
    expect(read({ text: "Ihr Bestätigungscode lautet 482913." }).evidence).toEqual([
      "named: bestätigungscode",
      "length",
    ]);
  });

  it("tells an instruction and its purpose where no word names a code", () => {
    expect(read({ text: "To sign in, enter 7314 in the app." })).toMatchObject({
      code: "7314",
      evidence: ["purpose: sign in", "instruction: enter", "length"],
    });
  });

  it("tells where the code stands: alone, in boxes, in subject and text", () => {
    const { evidence } = read({ subject: "482913 is your code", text: "Your code:\n\n4 8 2 9 1 3\n" });
    expect(evidence).toEqual(expect.arrayContaining(["own_line", "boxes", "repeated"]));
  });

  it("tells the WebOTP form, and an address that only machines write from", () => {
    const { evidence } = read({ text: "@acme.example #482913", fromAddress: "no-reply@acme.example" });
    expect(evidence).toEqual(["web_otp", "sender"]);
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
      evidence: [],
    });
  });
});

describe("confidence", () => {
  const sure = read({ subject: "Your verification code", text: "Your verification code is 482913." });
  const hinted = read({ text: "To sign in, enter 7314 in the app." });
  const contested = read({ text: "Your code is 482913\nYour code is 571946" });

  it("is between 0 and 1", () => {
    for (const { confidence } of [sure, hinted, contested]) {
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });

  it("is higher where a word names the code than where it only follows from an instruction", () => {
    expect(sure.confidence).toBeGreaterThan(hinted.confidence);
  });

  it("is lower where another number has as much evidence", () => {
    expect(contested.confidence).toBeLessThan(read({ text: "Your code is 482913" }).confidence - 0.3);
  });
});

describe("scored candidates", () => {
  it("are compared by points: the better one wins in any position", () => {
    const text = "Code 5512 was an example in our last letter.\n\nYour verification code is 482913.";
    expect(read({ text }).code).toBe("482913");
  });

  it("are told apart by how the HTML sets them", () => {
    const text = "Enter this code to sign in:\n\n118204\n\nor, on paper, this code to sign in:\n\n771640\n";
    const html = "<p>Enter this code to sign in:</p><p>118204</p><h1>771640</h1>";
    expect(read({ text }).code).toBe("118204");
    const set = read({ text, html });
    expect([set.code, set.evidence.includes("emphasised")]).toEqual(["771640", true]);
  });

  it.each([
    ["denied", "482913 is not a verification code."],
    ["somebody else's", "Last year 482913 was their PIN."],
    ["an aside", "Fix verification code length (was 482913 in tests)"],
    ["about codes", "123456 and other verification codes people use"],
    ["a heading over a change", "482913 Fix verification code length"],
    ["a count", "Sign-ins today: 482913"],
    ["a booking", "Confirmation: 482913\nTable for 4, sign in to cancel."],
    ["the way into a call", "Meeting ID: 882 0441 7730\nAccess code: 448210"],
    ["a class", "Sign in and join with class code 4829"],
  ])("are never numbers that the text names as something else: %s", (_kind, text) => {
    expect(read({ text }).code).toBeNull();
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

describe("links without telling words", () => {
  const url = "https://acme.example/go/a1b2c3d4e5f6a7b8";
  const button = (label: string): string => `<a href="${url}">${label}</a>`;

  it("are taken where the subject asks to confirm an account and no other link may be meant", () => {
    expect(read({ subject: "Activate your account", html: button("Off we go") }).link).toBe(url);
  });

  it("are not taken where the subject asks for something else", () => {
    expect(read({ subject: "Activate your 20% discount", html: button("Off we go") }).link).toBeNull();
    expect(read({ subject: "Our spring catalogue", html: button("Off we go") }).link).toBeNull();
  });

  it("are not taken beside others", () => {
    const other = '<a href="https://acme.example/go/b1b2c3d4e5f6a7b8">Read on</a>';
    expect(read({ subject: "Activate your account", html: button("Off we go") + other }).link).toBeNull();
  });
});
