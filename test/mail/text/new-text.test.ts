import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newText, snippetOf } from "../../../src/mail/text/new-text.ts";

const QUOTE = "> Shall we meet on Monday?\n> Ann";

/** The line above a quotation, as mail programs of a language write it. */
const ATTRIBUTIONS: readonly (readonly [string, string])[] = [
  ["English", "On Mon, Mar 17, 2025 at 9:12 AM Ann Example <ann@example.com> wrote:"],
  ["English, folded", "On Mon, Mar 17, 2025 at 9:12 AM Ann Example\n<ann@example.com> wrote:"],
  ["German", "Am Mo., 17. März 2025 um 09:12 Uhr schrieb Ann <ann@example.com>:"],
  ["German, Thunderbird", "Am 17.03.25 um 09:12 schrieb Ann:"],
  ["French", "Le lun. 17 mars 2025 à 09:12, Ann <ann@example.com> a écrit :"],
  ["Spanish", "El lun, 17 mar 2025 a las 9:12, Ann (<ann@example.com>) escribió:"],
  ["Portuguese", "Em seg., 17 de mar. de 2025 às 09:12, Ann <ann@example.com> escreveu:"],
  ["Italian", "Il giorno lun 17 mar 2025 alle ore 09:12 Ann <ann@example.com> ha scritto:"],
  ["Dutch", "Op ma 17 mrt 2025 om 09:12 schreef Ann <ann@example.com>:"],
  ["Polish", "pon., 17 mar 2025 o 09:12 Ann <ann@example.com> napisał(a):"],
  ["Polish, Thunderbird", "W dniu 17.03.2025 o 09:12, Ann pisze:"],
  ["Russian", "пн, 17 мар. 2025 г. в 09:12, Ann <ann@example.com>:"],
  ["Russian, Thunderbird", "17.03.2025 09:12, Ann пишет:"],
  ["Turkish", "Ann <ann@example.com>, 17 Mar 2025 Pzt, 09:12 tarihinde şunu yazdı:"],
  ["Arabic", "في الاثنين، ١٧ مارس ٢٠٢٥ في 9:12 ص كتب Ann <ann@example.com>:"],
  ["Hindi", "सोम, 17 मार्च 2025 को 9:12 am बजे को Ann <ann@example.com> ने लिखा:"],
  ["Vietnamese", "Vào Th 2, 17 thg 3, 2025 vào lúc 09:12 Ann <ann@example.com> đã viết:"],
  ["Indonesian", "Pada Sen, 17 Mar 2025 pukul 09.12 Ann <ann@example.com> menulis:"],
  ["Chinese", "Ann <ann@example.com> 于2025年3月17日周一 09:12写道："],
  ["Chinese, traditional", "Ann <ann@example.com> 於 2025年3月17日 週一 上午9:12寫道："],
  ["Japanese", "2025年3月17日(月) 9:12 Ann <ann@example.com>:"],
  ["Japanese, Apple", "2025/03/17 9:12、Ann <ann@example.com>のメール:"],
  ["Korean", "2025년 3월 17일 (월) 오전 9:12, Ann <ann@example.com>님이 작성:"],
  ["Korean, Thunderbird", "2025-03-17 오전 9:12에 Ann 이(가) 쓴 글:"],
];

/** The header of the old mail, as Outlook sets it below an answer. */
const HEADER_BLOCKS: readonly (readonly [string, string])[] = [
  ["English", "From: Ann <ann@example.com>\nSent: Monday, March 17, 2025 9:12 AM\nTo: Bob\nSubject: Monday"],
  ["German", "Von: Ann <ann@example.com>\nGesendet: Montag, 17. März 2025 09:12\nAn: Bob\nBetreff: Montag"],
  ["French", "De : Ann <ann@example.com>\nEnvoyé : lundi 17 mars 2025 09:12\nÀ : Bob\nObjet : lundi"],
  [
    "Spanish",
    "De: Ann <ann@example.com>\nEnviado el: lunes, 17 de marzo de 2025 9:12\nPara: Bob\nAsunto: lunes",
  ],
  ["Portuguese", "De: Ann <ann@example.com>\nEnviado: segunda-feira, 17 de março de 2025 09:12\nPara: Bob"],
  ["Italian", "Da: Ann <ann@example.com>\nInviato: lunedì 17 marzo 2025 09:12\nA: Bob\nOggetto: lunedì"],
  ["Dutch", "Van: Ann <ann@example.com>\nVerzonden: maandag 17 maart 2025 09:12\nAan: Bob"],
  ["Polish", "Od: Ann <ann@example.com>\nWysłano: poniedziałek, 17 marca 2025 09:12\nDo: Bob"],
  ["Russian", "От: Ann <ann@example.com>\nОтправлено: 17 марта 2025 г. 9:12\nКому: Bob"],
  ["Turkish", "Gönderen: Ann <ann@example.com>\nGönderildi: 17 Mart 2025 Pazartesi 09:12\nKime: Bob"],
  ["Arabic", "من: Ann <ann@example.com>\nتاريخ الإرسال: 17 مارس 2025\nإلى: Bob"],
  ["Vietnamese", "Từ: Ann <ann@example.com>\nĐã gửi: 17 tháng 3 2025\nĐến: Bob"],
  ["Indonesian", "Dari: Ann <ann@example.com>\nTerkirim: 17 Maret 2025\nKepada: Bob"],
  ["Chinese", "发件人: Ann <ann@example.com>\n发送时间: 2025年3月17日 9:12\n收件人: Bob"],
  ["Chinese, traditional", "寄件者: Ann <ann@example.com>\n寄件日期: 2025年3月17日\n收件者: Bob"],
  ["Japanese", "差出人: Ann <ann@example.com>\n送信日時: 2025年3月17日 9:12\n宛先: Bob"],
  ["Korean", "보낸 사람: Ann <ann@example.com>\n보낸 날짜: 2025년 3월 17일\n받는 사람: Bob"],
];

const FOOTERS = [
  "Sent from my iPhone",
  "Sent from Outlook for Android",
  "Get Outlook for iOS",
  "Von meinem iPhone gesendet",
  "Gesendet mit der GMX Mail App",
  "Envoyé de mon iPhone",
  "Enviado desde mi iPhone",
  "Enviado do meu iPhone",
  "Inviato da iPhone",
  "Verstuurd vanaf mijn iPhone",
  "Wysłane z iPhone’a",
  "Отправлено с iPhone",
  "iPhone’umdan gönderildi",
  "تم الإرسال من الـ iPhone",
  "मेरे iPhone से भेजा गया",
  "Được gửi từ iPhone của tôi",
  "Dikirim dari iPhone saya",
  "发自我的 iPhone",
  "從我的 iPhone 傳送",
  "iPhoneから送信",
  "나의 iPhone에서 보냄",
];

const CLOSINGS = [
  "Best regards,",
  "Mit freundlichen Grüßen",
  "Bien cordialement,",
  "Un saludo,",
  "Atenciosamente,",
  "Cordiali saluti",
  "Met vriendelijke groet,",
  "Pozdrawiam",
  "С уважением,",
  "Saygılarımla,",
  "مع أطيب التحيات،",
  "सादर,",
  "Trân trọng,",
  "Hormat saya,",
  "此致",
  "よろしくお願いいたします。",
  "감사합니다.",
];

const reply = (text: string): string => newText(text, "Re: Monday");

describe("the new text of an answer", () => {
  it.each(ATTRIBUTIONS)("stands above a quotation: %s", (_, line) => {
    expect(reply(`Monday is fine.\n\n${line}\n${QUOTE}\n`)).toBe("Monday is fine.");
  });

  it.each(ATTRIBUTIONS)("stands above an old mail that nothing marks: %s", (_, line) => {
    expect(reply(`Monday is fine.\n\n${line}\n\nShall we meet on Monday?\nAnn`)).toBe("Monday is fine.");
  });

  it.each(ATTRIBUTIONS)("stands below a quotation: %s", (_, line) => {
    expect(reply(`${line}\n${QUOTE}\n\nMonday is fine.\n`)).toBe("Monday is fine.");
  });

  it.each(HEADER_BLOCKS)("stands above the header of the old mail: %s", (_, header) => {
    expect(reply(`Monday is fine.\n\n${"_".repeat(32)}\n${header}\n\nShall we meet?`)).toBe(
      "Monday is fine.",
    );
  });

  it.each([
    "-----Original Message-----",
    "-----Ursprüngliche Nachricht-----",
    "-----Message d'origine-----",
    "------------------ 原始邮件 ------------------",
    "-----元のメッセージ-----",
  ])("stands above %s", (line) => {
    expect(reply(`Monday is fine.\n\n${line}\nShall we meet on Monday?`)).toBe("Monday is fine.");
  });

  it("stands between the lines it answers", () => {
    const text = `Hi Ann,\n\nOn 17 March 2025 Ann wrote:\n> Monday?\n\nYes.\n\n> At ten?\n\nNo, at eleven.\n\n-- \nBob`;
    expect(reply(text).replaceAll(/\n+/g, "\n")).toBe("Hi Ann,\nYes.\nNo, at eleven.");
  });

  it("is nothing where all is quoted", () => {
    expect(reply(`On 17 March 2025 Ann wrote:\n${QUOTE}`)).toBe("");
    expect(newText("", "")).toBe("");
  });

  it("is the whole text of a mail that answers nothing", () => {
    const text = "Hello,\n\nOn Monday I wrote: 3 pages.\nFrom: the beginning.\n\nShe wrote:\nnothing.";
    expect(newText(text, "Hello")).toBe(text);
  });
});

describe("the new text of a forward", () => {
  const passedOn =
    "---------- Forwarded message ---------\nFrom: Ann <ann@example.com>\nDate: 17 March 2025\n\nShall we?";

  it("is its whole body, quotations included", () => {
    const text = `FYI\n\n${passedOn}\n\nBest regards,\nAnn`;
    expect(newText(text, "Fwd: Monday")).toBe(text);
    expect(newText(text, "WG: Montag")).toBe(text);
  });

  it("is its whole body too where only the text tells that it is a forward", () => {
    expect(newText(`FYI\n\n${passedOn}`, "Monday")).toBe(`FYI\n\n${passedOn}`);
  });
});

describe("a signature", () => {
  it.each(["-- ", "--", "—"])("stands behind the separator %j", (separator) => {
    expect(newText(`Hello.\n\n${separator}\nBob\nExample Ltd\n+49 30 1234`, "")).toBe("Hello.");
  });

  it("is no long text behind two dashes", () => {
    const text = `Above\n--\n${"A line of text.\n".repeat(20)}`.trim();
    expect(newText(text, "")).toBe(text);
  });

  it.each(FOOTERS)("is what a program adds: %s", (footer) => {
    expect(newText(`Monday is fine.\n\n${footer}`, "")).toBe("Monday is fine.");
  });

  it.each(CLOSINGS)("begins with the closing formula: %s", (closing) => {
    expect(newText(`Monday is fine.\n\n${closing}\nBob\nExample Ltd`, "")).toBe("Monday is fine.");
  });

  it("is removed together with the telephone's footer below it", () => {
    expect(newText("Monday is fine.\n\nBest,\nBob\n\nSent from my iPhone", "")).toBe("Monday is fine.");
  });

  it("is not the message itself", () => {
    expect(newText("Thanks!", "")).toBe("Thanks!");
    expect(newText("Thanks!\nBob", "")).toBe("Thanks!\nBob");
    expect(newText("Thanks for the best regards you sent from my iPhone.", "")).toContain("Thanks for");
  });
});

describe("a text that quotes nothing", () => {
  it("is itself, without blank lines at its ends", () => {
    expect(newText("Monday is fine.", "")).toBe("Monday is fine.");
    expect(newText("\n \n  Monday\n\nis fine.  \n\t\n\n", "")).toBe("  Monday\n\nis fine.  ");
    expect(newText("\r\n  Monday\r\nis fine.\r\n", "")).toBe("  Monday\nis fine.");
  });

  it("is nothing where it is blank", () => {
    for (const blank of ["", " ", "\n", " \n\t\n", "\r\n "]) expect(newText(blank, "Fwd: a")).toBe("");
  });
});

describe("a snippet", () => {
  it("shows what is new, also below a quotation", () => {
    expect(snippetOf(`On 17 March 2025 Ann wrote:\n${QUOTE}\n\nMonday is fine.`, "Re: Monday")).toBe(
      "Monday is fine.",
    );
  });

  it("shows the text where nothing is new", () => {
    expect(snippetOf("> Shall we meet?", "Re: Monday")).toBe("> Shall we meet?");
  });
});

/** Pieces of which answers are made, in any order. */
const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ATTRIBUTIONS.map(([, line]) => line), ...HEADER_BLOCKS.map(([, lines]) => lines)),
      fc.constantFrom(...FOOTERS, ...CLOSINGS, "-- ", "> quoted", "", "---", "_____"),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 20 },
  )
  .map((some) => some.join("\n"));

describe("the new text of any mail", () => {
  it("is made of lines of the text, in their order", () => {
    fc.assert(
      fc.property(pieces, fc.constantFrom("", "Re: a", "Fwd: a"), (text, subject) => {
        const fresh = newText(text, subject);
        const lines = text.split(/\r\n|\r|\n/);
        let from = 0;
        for (const line of fresh === "" ? [] : fresh.split("\n")) {
          const at = lines.indexOf(line, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + 1;
        }
      }),
    );
  });

  it("stays the same when it is read again", () => {
    const text = `Monday is fine.\n\nOn 17 March 2025 Ann wrote:\n${QUOTE}`;
    expect(newText(newText(text, "Re: a"), "Re: a")).toBe(newText(text, "Re: a"));
  });

  it("is found in time linear in the text", () => {
    const costOf = (unit: string, chars: number): number => {
      const text = unit.repeat(Math.ceil(chars / unit.length));
      const tries = Array.from({ length: 3 }, () => {
        const before = process.cpuUsage();
        newText(text, "Re: a");
        return process.cpuUsage(before).user;
      });
      return Math.min(...tries);
    };
    const units = [
      "-- \n",
      "> ",
      "From:\n",
      "wrote:\n",
      "On 1 ",
      "<a@",
      "thanks,\n",
      " ",
      "\n",
      "_____\n",
      "a@b>:\n",
    ];
    for (const unit of units) {
      // Eight times the text is at most some ten times the work; what is quadratic would be sixty-four times.
      expect(costOf(unit, 800_000)).toBeLessThan(24 * Math.max(costOf(unit, 100_000), 10_000));
    }
  });
});
