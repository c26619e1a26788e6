import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CORPORA } from "../corpora.ts";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import type { DeliveryReport, RecipientStatus } from "../../../src/mail/report/read-report.ts";
import { isHardBounce, readReport } from "../../../src/mail/report/read-report.ts";

const BOUNCES = join(CORPORA, "bounces");
const isThere = existsSync(BOUNCES);
const names = isThere ? readdirSync(BOUNCES).filter((name) => name.endsWith(".eml")) : [];

/** The expectation of the corpus for one recipient. */
interface Expected {
  /** "" if not stated; `5.0.9xx` and `4.0.9xx` are not in the message but stand for a reason found in its words. */
  status: string;
  /** "" if not stated. */
  smtp_code: string;
  reason: string;
  hard: boolean;
}

const expectations = (
  isThere ? JSON.parse(readFileSync(join(BOUNCES, "expected.json"), "utf8")) : {}
) as Record<string, Expected[]>;

async function readFile(name: string): Promise<DeliveryReport | null> {
  const mail = await parseMail(new Uint8Array(readFileSync(join(BOUNCES, name))));
  // Where a message has lost its Return-Path, the null one that reports are sent with.
  return readReport(mail, mail.headers["return-path"] ?? "");
}

/** A report in one line for each recipient: action, status, reply code and final (or else original) recipient. */
function inShort(report: DeliveryReport | null): string[] {
  if (report === null) return [];
  if (report.kind === "feedback")
    return [`${report.confidence} ${report.feedbackType}`, ...report.originalRecipients];
  const recipients = report.recipients.map(
    ({ action, status, replyCode, finalRecipient, originalRecipient }) =>
      `${action} ${status ?? "-"} ${replyCode ?? "-"} ${finalRecipient ?? originalRecipient}`,
  );
  return [report.confidence, ...recipients];
}

/**
 * The meaning of each message, read by a person: confidence, then its recipients as `inShort` shows them. Empty for no report:
 * the two automatic answers, a notification of a cloud service in JSON that comes to no return path (amazonses-10), and a
 * report that has lost its recipients (postfix-64).
 */
const REPORTS: Readonly<Record<string, readonly string[]>> = {
  "arf-16": [
    "high abuse",
    "kijitora@example.com",
    "sironeko@example.com",
    "mikeneko@example.com",
    "sabatora@example.com",
    "sirokiji@example.org",
    "kuroneko@example.com",
    "sabineko@example.com",
  ],
  "arf-18": ["high auth-failure", "kijitora@example.com"],
  "arf-20": ["high auth-failure"],
  "lhost-amavis-02": ["high", "failed 5.1.1 550 neko@example.co.jp"],
  "lhost-amazonses-02": [
    "high",
    "failed 5.3.0 550 this-local-part-does-not-exist-on-the-server@docomo.ne.jp",
  ],
  "lhost-amazonses-03": ["high", "failed 5.1.0 550 kijitora@example.jp"],
  "lhost-amazonses-10": [],
  "lhost-amazonses-21": ["high", "failed 5.7.1 554 kijitora@example.com"],
  "lhost-amazonworkmail-02": ["low", "failed 5.2.1 550 sabineko@example.jp"],
  "lhost-aol-01": ["high", "failed 5.4.4 - kijitora@example.jp"],
  "lhost-aol-05": ["high", "failed 5.4.4 - nyan@haineko.org"],
  "lhost-aol-06": ["high", "failed 5.4.4 - neko@libsisimai.org"],
  "lhost-biglobe-01": ["low", "failed - - postmaster@mxr.biglobe.ne.jp"],
  "lhost-courier-02": ["high", "failed 5.0.0 550 kijitora@example.jp"],
  "lhost-courier-04": ["high", "failed 5.0.0 - kijitora@example.cat"],
  "lhost-dragonfly-01": ["low", "failed 5.7.26 550 pseudo-local-part@google.example.com"],
  "lhost-dragonfly-04": ["low", "failed - - postmaster@cx.libsisimai.org"],
  "lhost-dragonfly-09": ["low", "failed 5.2.1 550 filtered@libsisimai.net"],
  "lhost-dragonfly-10": ["low", "failed 5.1.6 550 hasmoved@libsisimai.net"],
  "lhost-dragonfly-11": ["low", "failed 5.1.2 550 hostunknown@libsisimai.net"],
  "lhost-dragonfly-16": ["low", "failed 5.3.2 521 notaccept@libsisimai.net"],
  "lhost-dragonfly-22": ["low", "failed 5.1.3 501 syntaxerror@libsisimai.net"],
  "lhost-dragonfly-29": ["low", "failed - - expired@libsisimai.net"],
  "lhost-einsundeins-03": ["low", "failed 5.2.0 550 xxxx@xxxx.fr"],
  "lhost-exchange2003-02": ["low", "failed - - kijitora@example.co.jp", "failed - - mikeneko@example.co.jp"],
  "lhost-exchange2003-07": ["low", "failed - - kijitora@EXAMPLE.ORG"],
  "lhost-exchange2007-02": ["high", "failed 5.2.2 550 kijitora@example.edu"],
  "lhost-exchange2007-03": ["high", "failed 5.2.3 550 kijitora@neko.example.com"],
  "lhost-exchange2007-04": ["high", "failed 5.7.1 550 neko-nyaan@example.jp"],
  "lhost-exchange2007-07": ["high", "failed 5.1.1 550 kijitora@example.jp"],
  "lhost-exim-02": ["low", "failed 5.1.1 550 kijitora@example.jp", "failed 5.2.1 550 sabatora@example.jp"],
  "lhost-exim-08": ["low", "failed - - kijitora@example.org"],
  "lhost-exim-33": ["low", "failed - 554 pseudo-local-part-kijitora-nyaan@comcast.net"],
  "lhost-exim-45": ["low", "failed 5.2.0 550 kijitora@example.com"],
  "lhost-exim-48": ["high", "failed 5.7.1 550 kijitora@example.net"],
  "lhost-exim-53": ["low", "failed - - kijitora@example.com"],
  "lhost-exim-55": ["low", "failed 5.7.0 554 kijitora@example.com"],
  "lhost-exim-58": ["low", "failed - 500 kijitora@example.us"],
  "lhost-exim-59": ["low", "failed 5.1.1 550 kijitora@icloud.example.com"],
  "lhost-exim-60": ["high", "failed 5.0.0 - /mail/spool/q002.kijitora.gol.com/gol.com/22r/cat/n2.nyaan"],
  "lhost-ezweb-04": ["low", "failed - 550 this-local-part-does-not-exist-on-the-server@ezweb.ne.jp"],
  "lhost-ezweb-07": ["low", "failed - 550 this-local-part-does-not-exist@ezweb.ne.jp"],
  "lhost-facebook-03": ["high", "failed 5.1.1 550 kijitora@facebook.com"],
  "lhost-facebook-04": ["high", "failed 5.1.1 550 kijitora@facebook.com"],
  "lhost-gmail-07": ["low", "failed - 500 kijitora@example.ed.jp"],
  "lhost-gmail-18": ["low", "failed 5.1.1 550 kijitora@example.or.jp"],
  "lhost-gmx-03": ["low", "failed 5.2.1 - mikeneko@example.co.jp", "failed 5.2.2 - sabineko@example.co.jp"],
  "lhost-googlegroups-03": ["low", "failed - - libsisimai@googlegroups.com"],
  "lhost-googlegroups-04": ["low", "failed - - libsisimai@googlegroups.com"],
  "lhost-googlegroups-05": ["low", "failed - - libsisimai@googlegroups.com"],
  "lhost-googlegroups-07": ["low", "failed - - libsisimai@googlegroups.com"],
  "lhost-googlegroups-11": ["low", "failed - - libsisimai@googlegroups.com"],
  "lhost-gsuite-02": ["high", "failed 5.0.0 - kijitora@example.it"],
  "lhost-gsuite-03": ["high", "failed 4.0.0 - neko@libsisimai.org"],
  "lhost-gsuite-10": ["high", "failed 4.0.0 - neko@libsisimai.org"],
  "lhost-imailserver-03": ["low", "failed - - kijitora@neko.example.co.jp"],
  "lhost-interscanmss-01": ["low", "failed 5.1.1 550 kijitora@example.co.jp"],
  "lhost-interscanmss-02": ["low", "failed - - kijitora@neko.example.jp"],
  "lhost-kddi-01": ["low", "failed - - kijitora@x0000000000000.dion.ne.jp"],
  "lhost-mailfoundry-02": ["low", "failed 5.1.1 552 kijitora@example.org"],
  "lhost-mailmarshalsmtp-02": ["low", "failed 5.1.1 550 kijitora@nyaan.example.com"],
  "lhost-mailru-01": ["low", "failed 5.1.1 550 kijitora@example.jp"],
  "lhost-mailru-09": ["low", "failed 5.1.8 501 kijitora@example.jp"],
  "lhost-mcafee-02": ["low", "failed 5.1.1 550 kijitora@example.jp"],
  "lhost-messagingserver-01": ["high", "failed 5.1.1 550 kijitora@example.jp"],
  "lhost-messagingserver-02": ["high", "failed 5.2.0 522 kijitora@server"],
  "lhost-messagingserver-05": ["high", "failed 5.4.4 - kijitora@example.jp"],
  "lhost-messagingserver-12": ["high", "failed 4.2.2 - pseudo-local-part-kijitora-neko-nyaan@mac.com"],
  "lhost-mxlogic-02": ["low", "failed 5.1.1 550 kijitora@example.jp"],
  "lhost-office365-01": ["low", "failed 5.1.10 550 kijitora@example.com"],
  "lhost-office365-02": ["low", "failed 5.1.1 550 kijitora@example.onmicrosoft.com"],
  "lhost-office365-04": ["high", "failed 5.1.351 550 otsu-sakaba-hunter-neko-nyaaaaaaan@ezweb.ne.jp"],
  "lhost-office365-11": ["high", "failed 5.1.1 550 kijitora@cr3.neko.nyaan.jp"],
  "lhost-opensmtpd-11": ["low", "failed 5.0.0 - authfailure@libsisimai.net"],
  "lhost-opensmtpd-12": ["low", "delayed 4.0.0 - neko@nyaan.jp"],
  "lhost-opensmtpd-15": ["low", "delayed 4.4.7 - neko@nyaan.jp"],
  "lhost-outlook-03": ["high", "failed 5.5.0 554 kijitora@example.jp"],
  "lhost-postfix-02": [
    "high",
    "failed 5.2.1 550 filtered@example.co.jp",
    "failed 5.1.1 550 userunknown@example.co.jp",
  ],
  "lhost-postfix-03": ["high", "failed 5.0.0 550 kijitora@example.net"],
  "lhost-postfix-08": ["high", "failed 4.4.1 - kijitora@example.com"],
  "lhost-postfix-09": ["high", "failed 4.3.2 452 kijitora@example.ne.jp"],
  "lhost-postfix-10": ["high", "failed 5.1.8 553 kijitora@example.jp"],
  "lhost-postfix-11": [
    "high",
    "failed 5.1.8 553 kijitora@example.jp",
    "failed 5.1.8 553 noraneko@example.jp",
  ],
  "lhost-postfix-17": ["high", "failed 5.4.4 - kijitora@example.org"],
  "lhost-postfix-36": ["high", "failed 5.0.0 550 otsu-sakaba-hunter-neko-nyaaaaaaan@ezweb.ne.jp"],
  "lhost-postfix-38": ["high", "failed 4.0.0 554 kijitora@example.org"],
  "lhost-postfix-40": ["high", "failed 4.0.0 451 kijitora@example.com"],
  "lhost-postfix-44": ["high", "failed 5.7.1 501 kijitora@example.jp"],
  "lhost-postfix-51": ["high", "failed 5.7.0 550 neko@example.co.jp"],
  "lhost-postfix-57": ["high", "failed 5.2.1 550 kijitora@cr.nyaan.jp"],
  "lhost-postfix-64": [],
  "lhost-postfix-70": ["high", "failed 5.7.26 550 kijitora@google.example.com"],
  "lhost-postfix-71": ["high", "failed 5.7.1 554 kijitora@apple.example.com"],
  "lhost-postfix-73": ["high", "failed 5.7.1 550 kijitora@zoho.example.com"],
  "lhost-postfix-74": ["high", "failed 4.7.0 421 kijitora@y.example.ca"],
  "lhost-powermta-02": ["high", "failed 5.0.0 554 kijitora@example.com"],
  "lhost-qmail-02": [
    "low",
    "failed 5.1.1 550 userunknown@example.jp",
    "failed 5.2.1 550 filtered@example.jp",
  ],
  "lhost-qmail-09": ["low", "failed 5.7.606 550 neko@example.co.jp"],
  "lhost-qmail-11": ["low", "failed 5.4.4 - neko@nyaan.jp"],
  "lhost-qmail-20": ["low", "failed 5.7.26 550 pseudo-local-part-of-each-esp@gmail.com"],
  "lhost-qmail-21": ["low", "failed 5.1.1 - libgsasl7-dev@email.example.jp"],
  "lhost-qmail-22": ["low", "failed 5.7.509 550 pseudo-local-part-of-each-esp@outlook.com"],
  "lhost-receivingses-04": ["high", "failed 5.2.2 552 mailboxfull@neko.example.jp"],
  "lhost-receivingses-07": ["high", "failed 5.2.0 550 neko@neko.example.jp"],
  "lhost-sendmail-01": ["high", "failed 5.1.1 550 userunknown@bouncehammer.jp"],
  "lhost-sendmail-05": ["high", "failed 5.2.3 552 kijitora@example.org"],
  "lhost-sendmail-07": ["high", "failed 5.7.1 554 kijitora@example.org"],
  "lhost-sendmail-08": ["high", "failed 4.4.7 450 neko@example.org"],
  "lhost-sendmail-11": ["high", "failed 4.4.7 - kijitora@example.co.jp"],
  "lhost-sendmail-20": ["high", "failed 5.4.6 554 kijitora@example.com"],
  "lhost-sendmail-22": ["high", "failed 5.1.6 551 kijitora@example.net"],
  "lhost-sendmail-26": ["high", "failed 5.1.1 550 this-local-part-does-not-exist-on-the-system@gol.com"],
  "lhost-sendmail-27": ["high", "failed 5.0.0 550 this-local-part-does-not-exist-on-the-system@mineo.jp"],
  "lhost-sendmail-31": [
    "high",
    "failed 5.7.0 552 kijitora@example.net",
    "failed 5.7.0 552 sabatora@example.net",
  ],
  "lhost-sendmail-35": ["high", "failed 5.7.13 525 kijitora@example.org"],
  "lhost-sendmail-41": ["high", "failed 5.0.0 554 this-local-part-does-not-exist@yahoo.com"],
  "lhost-sendmail-46": ["high", "failed 5.5.0 550 pseudo-local-part-kijitora-nyaaan@laposte.net"],
  "lhost-sendmail-47": ["high", "failed 5.1.1 550 pseudo-local-part-kijitora-nyaan@free.fr"],
  "lhost-sendmail-51": ["high", "failed 5.2.0 550 otsu-sakaba-hunter-neko-nyaaaaaaan@ezweb.ne.jp"],
  "lhost-sendmail-60": ["high", "failed 5.7.26 550 kijitora-cat@google.example.com"],
  "lhost-surfcontrol-02": ["high", "failed 5.0.0 554 kijitora@example.org"],
  "lhost-v5sendmail-03": ["low", "failed - 550 kijitora@example.org"],
  "lhost-v5sendmail-05": [
    "low",
    "failed - 554 kijitora@example.edu",
    "failed - 554 kuroneko@example.or.jp",
    "failed - 554 kijitora@example.org",
    "failed - 550 mikeneko@example.co.jp",
  ],
  "lhost-x2-04": ["low", "failed - - kijitora@example.jp"],
  "lhost-x3-05": ["low", "failed - - kijitora@example.or.jp"],
  "lhost-x6-02": ["low", "failed 5.1.1 550 kijitora@libsisimai.org"],
  "lhost-yahoo-07": ["low", "failed - 550 otsu-sakaba-hunter-neko-nyaaaaaaan@ezweb.ne.jp"],
  "lhost-yahoo-13": ["low", "failed - - neko@sijo.example.jp"],
  "lhost-zoho-04": ["low", "delayed - 421 kijitora@6kaku.example.co.jp"],
  "rfc3464-04": ["low", "failed 5.5.0 - kijitora@mailx-53.neko.example.edu"],
  "rfc3464-09": ["low", "delayed 4.3.0 - kijitora-cat@mx4.gr3.example.jp"],
  "rfc3464-35": [
    "low",
    "failed 5.0.0 550 kijitora@nyaan.example.com",
    "delayed 4.0.0 - sabatora@cat.example.net",
    "failed 5.0.0 550 mikeneko@neko.example.or.jp",
  ],
  "rfc3464-36": ["high", "failed 4.0.0 426 kijitora@nyaan.example.com"],
  "rfc3464-40": ["high", "failed 4.4.6 - kijitora@nyaan.neko.example.com"],
  "rfc3464-42": ["high", "failed 5.0.0 - jane.doe@some-domain.net"],
  "rfc3834-04": [],
  "rfc3834-05": [],
  "rhost-apple-04": ["high", "failed 5.1.1 550 pseudo-local-part-of-icloud@icloud.com"],
  "rhost-franceptt-01": ["high", "failed 5.1.1 550 pseudo-local-part-kijitora-nyaaan@orange.fr"],
  "rhost-franceptt-04": ["low", "failed 5.2.0 550 xxxx@xxxx.fr"],
  "rhost-google-01": ["high", "failed 5.2.1 550 shironeko@example.ne.jp"],
  "rhost-google-05": ["high", "failed 5.2.2 552 kijitora@google.example.com"],
  "rhost-kddi-02": ["high", "failed 5.1.1 550 otsu-sakaba-hunter-neko-nyaaaaaaan@au.com"],
  "rhost-mimecast-01": ["high", "failed 5.0.0 554 sabatora@example.com"],
  "rhost-mimecast-02": ["high", "failed 5.0.0 554 kijitora@sample.co.uk"],
  "rhost-tencent-01": ["high", "failed 5.0.0 550 nekochan@qq.example.cn"],
  "rhost-tencent-02": ["high", "failed 5.0.0 550 neko@qq.example.com"],
  "rhost-yahooinc-01": ["high", "failed 5.7.9 554 kijitora@aol.example.jp"],
};

/** Where we tell the status or reply code otherwise than the corpus, on purpose. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "amazonses-03": "three codes in one diagnostic; the first is the server's own",
  "amazonses-10": "no report",
  "postfix-64": "no report",
  "opensmtpd-11": "the status part says 5.0.0, the text in words more",
  "opensmtpd-12": "the status part says delayed, 4.0.0: the server goes on trying",
  "opensmtpd-15": "the status part says delayed, 4.4.7: the server goes on trying",
  "sendmail-08": "the status is why the server gave up (4.4.7), not the last answer it got (4.7.1)",
  "v5sendmail-05": "the reply about the recipient is 554; the 550 is about its host",
  "rfc3464-04": "no diagnostic in the status fields; the 554 is in the transcript",
};

const isOtherwise = (name: string): boolean =>
  Object.keys(OTHERWISE).some((each) => name === `lhost-${each}.eml` || name === `${each}.eml`);

const isInMessage = (status: string): boolean => status !== "" && !/\.0\.9\d\d$/.test(status);

/** Status and reply code of each recipient as the corpus has them; a reply code it does not state is ours. */
function expectedCodes(name: string, recipients: readonly RecipientStatus[]): string[] {
  return (expectations[name] ?? []).map(({ status, smtp_code }, index) => {
    const replyCode = smtp_code === "" ? recipients[index]?.replyCode : smtp_code;
    return `${isInMessage(status) ? status : null} ${replyCode}`;
  });
}

/** The corpus's and our words for each failed recipient of every status report. */
async function judgements(): Promise<{ name: string; expected: Expected; isHard: boolean }[]> {
  const all = [];
  for (const name of names) {
    const report = await readFile(name);
    const recipients = report?.kind === "delivery-status" ? report.recipients : [];
    for (const [index, expected] of (expectations[name] ?? []).entries()) {
      const recipient = recipients[index];
      if (recipient !== undefined) all.push({ name, expected, isHard: isHardBounce(recipient) });
    }
  }
  return all;
}

const statusReports = names.filter((name) => !isOtherwise(name) && !/^(?:arf|rfc3834)-/.test(name));

describe.skipIf(!isThere)("the bounces of the corpus", () => {
  it("are all in the table", () => {
    expect(names.map((name) => name.replace(/\.eml$/, ""))).toEqual(Object.keys(REPORTS));
  });

  it.each(names)("name the recipients and what became of them: %s", async (name) => {
    expect(inShort(await readFile(name))).toEqual(REPORTS[name.replace(/\.eml$/, "")]);
  });

  it.each(statusReports)("are read with the codes the corpus expects: %s", async (name) => {
    const report = await readFile(name);
    const recipients = report?.kind === "delivery-status" ? report.recipients : [];
    const codes = recipients.map(({ status, replyCode }) => `${status} ${replyCode}`);
    expect(codes).toEqual(expectedCodes(name, recipients));
  });

  it("are never called hard for a passing reason, and seldom missed", async () => {
    const all = await judgements();
    // Filtered is what the corpus calls an unknown user who is refused only after DATA.
    const wrong = all.filter(
      ({ expected, isHard }) => isHard && !expected.hard && expected.reason !== "filtered",
    );
    // A name server's broken answer, by its code 5.4.4 a host that does not exist.
    expect(wrong.map(({ name }) => name)).toEqual(["lhost-postfix-17.eml"]);
    const hard = all.filter(({ expected }) => expected.hard);
    expect(hard.filter(({ isHard }) => !isHard).length / hard.length).toBeLessThan(0.1);
  });
});
