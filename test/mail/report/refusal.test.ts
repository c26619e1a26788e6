import { describe, expect, it } from "vitest";
import { isHardBounce } from "../../../src/mail/report/read-report.ts";
import { faultOf, type Fault, type RefusedStage } from "../../../src/mail/report/refusal.ts";

/** Replies as servers give them, by whose matter each is; at RCPT unless another stage is named. */
const REPLIES: readonly [who: string, reply: string, fault: Fault, stage?: RefusedStage][] = [
  // The address is dead.
  [
    "Gmail",
    "550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos",
    "address",
  ],
  ["Gmail", "550 5.1.1 User unknown. https://support.google.com/mail/?p=NoSuchUser x1-gsmtp", "address"],
  [
    "Exchange Online",
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ann@example.com not found by SMTP address lookup",
    "address",
  ],
  [
    "Exchange Online",
    "550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR03FT010.eop-EUR03.prod.protection.outlook.com]",
    "address",
  ],
  ["Exchange", "550 5.1.1 User unknown", "address"],
  ["Exchange", "550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found", "address"],
  [
    "Outlook.com",
    "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [BL2NAM02FT003.eop-nam02.prod.protection.outlook.com]",
    "address",
  ],
  [
    "Yahoo",
    "554 delivery error: dd This user doesn't have a yahoo.com account (ann@yahoo.com) [0] - mta4.mail.bf1.yahoo.com",
    "address",
  ],
  ["Yahoo", "552 1 Requested mail action aborted, mailbox not found", "address"],
  ["iCloud", "550 5.1.1 <ann@icloud.com>: user does not exist", "address"],
  ["iCloud", "550 5.1.6 recipient no longer on server: ann@icloud.com", "address"],
  ["GMX", "550 Requested action not taken: mailbox unavailable", "address"],
  [
    "web.de",
    "550-Requested action not taken: mailbox unavailable 550 For explanation visit https://postmaster.web.de/",
    "address",
  ],
  ["Yandex", "550 5.7.1 No such user!", "recipient"],
  ["Yandex", "550 No such user!", "address"],
  [
    "Mail.ru",
    "550 Message was not accepted -- invalid mailbox. Local mailbox ann@mail.ru is unavailable: user not found",
    "address",
  ],
  ["Mail.ru", "550 5.1.1 user is terminated", "address"],
  [
    "Postfix",
    "550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in local recipient table",
    "address",
  ],
  [
    "Postfix",
    "550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in relay recipient table",
    "address",
  ],
  [
    "Postfix",
    "550 5.1.0 <ann@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
    "address",
  ],
  ["Postfix", "550 5.1.2 <ann@nowhere.example>: Recipient address rejected: Domain not found", "address"],
  [
    "Postfix",
    "556 5.1.10 <ann@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)",
    "address",
  ],
  ["Postfix", "501 5.1.3 Bad recipient address syntax", "address"],
  ["Exim", "550 Unrouteable address", "address"],
  ["Exim", "550 unknown user", "address"],
  ["Exim", "550 No Such User Here", "address"],
  [
    "cPanel",
    '550 "The mail server could not deliver mail to ann@example.com. The account or domain may not exist, they may be blacklisted, or missing the proper dns entries."',
    "us",
  ],
  ["Sendmail", "550 5.1.1 <ann@example.com>... User unknown", "address"],
  [
    "Sendmail",
    "550 5.1.2 <ann@example.com>... Host unknown (Name server: example.com: host not found)",
    "address",
  ],
  ["qmail", "550 sorry, no mailbox here by that name (#5.1.1)", "address"],
  ["qmail", "550 5.1.1 sorry, no mailbox here by that name. (#5.1.1 - chkuser)", "address"],
  ["Proofpoint", "550 5.1.1 User Unknown", "address"],
  [
    "Mimecast",
    "550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [abc.uk123]",
    "address",
  ],
  [
    "Mimecast",
    "550 Rejected by header based manually Blocked Senders: ann@example.com",
    "recipient",
    "message",
  ],
  [
    "Barracuda",
    "550 permanent failure for one or more recipients (ann@example.com:550 5.1.1 User unknown)",
    "address",
  ],
  ["Barracuda", "550 No such recipient here", "address"],
  ["Zoho", "550 5.1.1 User does not exist - <ann@example.com>", "address"],
  [
    "Fastmail",
    "550 5.1.1 <ann@fastmail.com>: Recipient address rejected: User unknown in virtual mailbox table",
    "address",
  ],
  ["Comcast", "550 5.1.1 Not our Customer", "address"],
  ["AOL", "550 5.1.1 <ann@aol.com>: Recipient address rejected: aol.com", "address"],
  [
    "QQ",
    "550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728",
    "address",
  ],
  ["Lotus Domino", "550 ann@example.com... No such user", "address"],

  // Refused for this recipient, whose address lives.
  [
    "Gmail",
    "552-5.2.2 The email account that you tried to reach is over quota. Please direct the recipient to clear space",
    "recipient",
  ],
  ["Gmail", "550-5.2.1 The email account that you tried to reach is disabled", "recipient"],
  [
    "Gmail",
    "552 5.7.0 This message was blocked because its content presents a potential security issue",
    "recipient",
    "message",
  ],
  [
    "Exchange Online",
    "550 5.2.2 STOREDRV.Deliver.Exception:QuotaExceededException; mailbox full",
    "recipient",
  ],
  [
    "Exchange Online",
    "550 5.7.124 RESOLVER.RST.NotAuthorizedToGroup; not authorized; sender not in allowed-senders list",
    "recipient",
  ],
  [
    "Exchange Online",
    "550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed",
    "recipient",
  ],
  ["Exchange Online", "550 5.7.505 Access denied, banned recipient", "recipient"],
  ["Yahoo", "552 5.2.2 Over quota, mailbox ann@yahoo.com", "recipient"],
  [
    "Yahoo",
    "554 delivery error: dd Sorry, your message to ann@yahoo.com cannot be delivered. This mailbox is disabled (554.30).",
    "recipient",
  ],
  ["iCloud", "552 5.2.2 <ann@icloud.com>: user is over quota", "recipient"],
  ["GMX", "552 5.2.2 Quota exceeded (mailbox for user is full)", "recipient"],
  [
    "Mail.ru",
    "550 spam message rejected. Please visit http://help.mail.ru/notspam-support/",
    "recipient",
    "message",
  ],
  [
    "Yandex",
    "554 5.7.1 Message rejected under suspicion of SPAM; https://ya.cc/1IrBc",
    "recipient",
    "message",
  ],
  ["Postfix", "552 5.2.2 <ann@example.com>: Mailbox is full", "recipient"],
  ["Postfix", "554 5.7.1 <ann@example.com>: Recipient address rejected: Access denied", "recipient"],
  ["Postfix", "554 5.7.1 Service unavailable; message content rejected", "recipient", "message"],
  ["Exim", "550 Administrative prohibition", "recipient"],
  ["Exim", "552 Mailbox quota exceeded", "recipient"],
  ["Dovecot", "552 5.2.2 <ann@example.com> Quota exceeded (mailbox for user is full)", "recipient"],
  ["Proofpoint", "554 5.7.1 The message content was rejected by policy", "recipient", "message"],
  ["Amavis", "554 5.7.0 Reject, id=12345-01 - BANNED: application/x-msdownload", "recipient", "message"],
  ["SpamAssassin", "550 5.7.1 This message scored 12.3 spam points", "recipient", "message"],
  ["ClamAV", "554 5.7.1 virus Eicar-Test-Signature detected", "recipient", "message"],
  ["a gateway", "550 5.1.1 mailbox temporarily unavailable, try again later", "recipient"],

  // Our relay, our login, our address, our amounts.
  ["Postfix", "530 5.7.0 Authentication required", "us"],
  ["Postfix", "554 5.7.1 <ann@example.com>: Relay access denied", "us"],
  ["Postfix", "454 4.7.1 <ann@example.com>: Relay access denied", "us"],
  ["Postfix", "530 5.7.0 Must issue a STARTTLS command first", "us", "sender"],
  ["Postfix", "553 5.7.1 <me@example.net>: Sender address rejected: not owned by user me", "us"],
  ["Postfix", "550 5.1.8 <me@example.net>: Sender address rejected: Domain not found", "us"],
  ["Postfix", "450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]", "us"],
  [
    "Postfix",
    "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1",
    "us",
  ],
  ["Postfix", "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname", "us"],
  ["Postfix", "552 5.3.4 Message size exceeds fixed limit", "us", "sender"],
  ["Spamhaus", "550 5.7.1 Service unavailable, host [192.0.2.1] listed at Spamhaus SBL", "us"],
  ["Exim", "550 relay not permitted", "us"],
  ["Exim", "550 Sender verify failed", "us"],
  ["Exim", "550 Rejected because 192.0.2.1 is in a black list at b.barracudacentral.org", "us"],
  ["Exim", "550 authentication required", "us"],
  ["Sendmail", "550 5.7.1 <ann@example.com>... Relaying denied. IP name lookup failed [192.0.2.1]", "us"],
  ["Sendmail", "553 5.1.8 <me@example.net>... Domain of sender address me@example.net does not exist", "us"],
  ["qmail", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", "recipient"],
  ["Exchange", "550 5.7.1 Unable to relay for ann@example.com", "us"],
  ["Exchange", "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "us"],
  ["Exchange", "530 5.7.57 Client not authenticated to send mail", "us", "sender"],
  ["Exchange", "550 5.7.60 SMTP; Client does not have permissions to send as this sender", "us", "message"],
  [
    "Exchange Online",
    "550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/",
    "us",
  ],
  ["Exchange Online", "550 5.7.64 TenantAttribution; Relay Access Denied", "us"],
  [
    "Exchange Online",
    "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP",
    "us",
  ],
  [
    "Exchange Online",
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
    "us",
  ],
  [
    "Exchange Online",
    "550 5.7.515 Access denied, sending domain example.net doesn't meet the required authentication level",
    "us",
    "message",
  ],
  [
    "Outlook.com",
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150)",
    "us",
  ],
  [
    "Outlook.com",
    "421 RP-001 The mail server IP connecting to Outlook.com server has exceeded the rate limit allowed",
    "us",
  ],
  [
    "Gmail",
    "550-5.7.26 Unauthenticated email from example.net is not accepted due to domain's DMARC policy",
    "us",
    "message",
  ],
  [
    "Gmail",
    "550-5.7.1 [192.0.2.1] The IP you're using to send mail is not authorized to send email directly to our servers",
    "us",
  ],
  [
    "Gmail",
    "550-5.7.1 [192.0.2.1 12] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address",
    "us",
    "message",
  ],
  [
    "Gmail",
    "550-5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup",
    "us",
    "message",
  ],
  ["Gmail", "550 5.4.5 Daily user sending limit exceeded", "us", "message"],
  ["Gmail", "552-5.3.4 Your message exceeded Google's message size limits", "us", "message"],
  ["Gmail", "535-5.7.8 Username and Password not accepted", "us", "sender"],
  [
    "Gmail",
    "421-4.7.0 This message is suspicious due to the very low reputation of the sending domain",
    "us",
    "message",
  ],
  [
    "Yahoo",
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
    "us",
    "sender",
  ],
  [
    "Yahoo",
    "554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes",
    "recipient",
    "message",
  ],
  [
    "Yahoo",
    "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints",
    "passing",
    "sender",
  ],
  [
    "iCloud",
    "550 5.7.1 Your email was rejected due to having a domain present in the Spamhaus DBL -- see https://www.spamhaus.org/",
    "us",
    "message",
  ],
  [
    "iCloud",
    "554 5.7.1 [CS01] Message rejected due to local policy. See https://support.apple.com/en-us/HT204137",
    "recipient",
    "message",
  ],
  ["GMX", "554-No SMTP service 554-IP address is black listed", "us", "sender"],
  [
    "GMX",
    "550-Requested action not taken: mailbox unavailable 550 invalid DNS MX or A/AAAA resource record",
    "us",
    "sender",
  ],
  ["Yandex", "553 5.7.1 Sender address rejected: not owned by auth user", "us", "sender"],
  ["Mail.ru", "550 Spam message discarded/rejected. Reverse DNS of your IP is missing", "us", "message"],
  ["Proofpoint", "554 5.7.1 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1", "us", "sender"],
  [
    "Mimecast",
    "554 Email rejected due to security policies - IP Blacklisted - https://community.mimecast.com/docs/DOC-1369#554",
    "us",
  ],
  [
    "Mimecast",
    "451 Account Outbounds Disabled - https://community.mimecast.com/docs/DOC-1369#451",
    "passing",
  ],
  [
    "Barracuda",
    "554 Service unavailable; Client host [mail.example.net] blocked using Barracuda Reputation; http://www.barracudanetworks.com/reputation/?r=1&ip=192.0.2.1",
    "us",
  ],
  [
    "SES",
    "554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: me@example.net",
    "us",
    "message",
  ],
  ["SES", "454 Throttling failure: Maximum sending rate exceeded.", "us", "message"],
  ["SES", "454 Throttling failure: Daily message quota exceeded.", "us", "message"],
  [
    "SendGrid",
    "550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.",
    "us",
    "message",
  ],
  ["SendGrid", "451 Authentication failed: Maximum credits exceeded", "us", "sender"],
  ["Mailgun", "550 5.7.1 Relaying denied", "us"],
  ["Mailgun", "421 Domain mg.example.net is not allowed to send: rate limit exceeded", "us", "sender"],
  [
    "Postmark",
    "550 The 'From' address you supplied is not a Sender Signature on your account; sender not verified",
    "us",
    "message",
  ],
  [
    "a submission server",
    "538 5.7.11 Encryption required for requested authentication mechanism",
    "us",
    "sender",
  ],
  ["a relay in clear", "550 5.7.10 Encryption needed", "us", "sender"],
  ["a relay", "550 no", "us", "sender"],
  ["a relay", "503 5.5.1 Bad sequence of commands", "us"],

  // Not now.
  [
    "Postfix",
    "450 4.2.0 <ann@example.com>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/",
    "passing",
  ],
  ["Postfix", "451 4.3.0 <ann@example.com>: Temporary lookup failure", "passing"],
  ["Postfix", "452 4.2.2 <ann@example.com>: Mailbox is full", "passing"],
  [
    "Gmail",
    "450-4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered",
    "passing",
  ],
  ["Exchange", "452 4.3.1 Insufficient system resources", "passing"],
  ["Exim", "451 Temporary local problem - please try later", "passing"],
  ["an old relay", "552 too many addresses in this transaction", "passing"],
];

function parts(reply: string): { code: number; status: string | null; text: string } {
  const status = /^[0-9]{3}[ -]([245]\.[0-9]+\.[0-9]+)(?![0-9.])/.exec(reply)?.[1] ?? null;
  return { code: Number(reply.slice(0, 3)), status, text: reply };
}

describe("a refusal", () => {
  it("has a long enough table", () => {
    expect(REPLIES.length).toBeGreaterThanOrEqual(80);
    expect(new Set(REPLIES.map(([, reply]) => reply)).size).toBe(REPLIES.length);
  });

  it.each(REPLIES)("of %s, %j, is a matter of: %s", (_, reply, fault, stage = "recipient") => {
    expect(faultOf({ stage, ...parts(reply) })).toBe(fault);
  });

  // A report tells nothing of our own MAIL FROM.
  const quoted = REPLIES.filter(([, , , stage]) => stage !== "sender");
  it.each(quoted)("of %s, %j, is judged so in a report too", (_, reply, fault) => {
    const { code, status, text } = parts(reply);
    const recipient = { action: "failed", status, diagnosticCode: text, replyCode: code } as const;
    expect(isHardBounce(recipient)).toBe(fault === "address");
  });

  it("of a message or its sender never says that an address is dead by its code alone", () => {
    for (const code of [550, 551, 553, 554]) {
      for (const stage of ["sender", "recipient", "message"] as const) {
        expect(faultOf({ stage, code, status: null, text: `${code} no` })).not.toBe("address");
      }
    }
  });
});
