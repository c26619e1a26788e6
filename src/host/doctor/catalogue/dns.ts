import type { Entry } from "./entry.ts";

const MAIL_LOST = "Mail from outside does not arrive: senders get it back.";
const SUSPECT =
  "Receivers take mail that you send for a forgery: it is refused, or lands in the spam folder.";

/** Findings about the records in DNS. */
export const DNS = {
  "resolver.silent": {
    level: "warning",
    kind: "transient",
    meaning: "The DNS resolver does not answer.",
    cost: "No record can be checked. If the server uses the same resolver, it cannot send either.",
    fix: "The command asks another resolver; `--resolver` names any that you trust.",
  },
  "domain.reserved": {
    level: "warning",
    meaning:
      "`MAIL_DOMAIN` is a name that no DNS knows, such as the default `mailkeep.test`. If a resolver is set and knows the name, its DNS is checked as that of any other.",
    cost: "Only programs that reach this server directly can send mail to its mailboxes.",
    fix: "Put your own domain into the command, which changes nothing before. Addresses of the old domain stop working.",
  },
  "ns.missing": {
    level: "broken",
    meaning: "The domain is not in DNS: neither it nor a domain above it has name servers.",
    cost: "Nobody can send mail to its addresses.",
    fix: "Register the domain, and let your registrar name the servers of your DNS provider.",
  },
  "address.missing": {
    level: "broken",
    meaning: "The host of `PUBLIC_URL` has no address.",
    cost: "No client finds the server, and no link in its answers works.",
    fix: "Set the record, with the public address of this machine.",
  },
  "mx.missing": {
    level: "broken",
    meaning: "The domain has no MX record.",
    cost: MAIL_LOST,
    fix: "Set the record at your DNS provider.",
  },
  "mx.null": {
    level: "broken",
    meaning: "The MX record says that the domain takes no mail (RFC 7505).",
    cost: MAIL_LOST,
    fix: "Set this record in the place of the present one.",
  },
  "mx.elsewhere": {
    level: "broken",
    meaning: "No MX record leads to this machine.",
    cost: "Mail from outside arrives at another server.",
    fix: "Set this record in the place of the present ones. If a gateway of yours is in front, name it in `MAIL_HOST`.",
  },
  "mx.mixed": {
    level: "warning",
    meaning: "Some MX records lead to this machine, and others elsewhere.",
    cost: "Some mail arrives at another server, and is lost unless it hands it on.",
    fix: "Keep this record alone, unless the other hosts hand mail on to this machine.",
  },
  "mx.alias": {
    level: "broken",
    meaning: "The MX record names an alias (CNAME), which RFC 5321 forbids.",
    cost: "Some senders do not deliver to it.",
    fix: "Let the MX record name the host itself.",
  },
  "mx.literal": {
    level: "broken",
    meaning: "The MX record holds an IP address in the place of a host name.",
    cost: MAIL_LOST,
    fix: "Let the MX record name the host.",
  },
  "mx.address": {
    level: "broken",
    meaning: "The host of the MX record has no address.",
    cost: MAIL_LOST,
    fix: "Set the address record of that host, with the public address of this machine.",
  },
  "mx.private": {
    level: "broken",
    meaning: "The host of the MX record has a private address.",
    cost: MAIL_LOST,
    fix: "Set the address record of that host to the public address of this machine.",
  },
  "ptr.missing": {
    level: "warning",
    meaning: "The public address has no reverse DNS name (PTR record).",
    cost: "Many servers refuse mail that comes from such an address directly; mail through a relay is not affected.",
    fix: "Whoever gave you the address (your hosting provider) sets this record.",
  },
  "ptr.unconfirmed": {
    level: "warning",
    meaning: "The reverse DNS name of the public address does not resolve to that address.",
    cost: "Receivers do not believe such a name, and may refuse mail that comes directly.",
    fix: "Your hosting provider sets this record.",
  },
  "spf.missing": {
    level: "warning",
    meaning: "The domain has no SPF record, and mail leaves it.",
    cost: SUSPECT,
    fix: "Set the record. The mechanism it names must be the one that your relay documents.",
  },
  "spf.several": {
    level: "broken",
    meaning: "The domain has more than one SPF record; receivers then use none (RFC 7208, section 4.5).",
    cost: SUSPECT,
    fix: "Set this one record in the place of all of them.",
  },
  "spf.syntax": {
    level: "broken",
    meaning: "The SPF record cannot be read.",
    cost: SUSPECT,
    fix: "Set this record: it is yours without the words that cannot be read.",
  },
  "spf.lookups": {
    level: "broken",
    meaning: "The SPF record needs more than ten DNS look-ups; receivers give up (RFC 7208, section 4.6.4).",
    cost: SUSPECT,
    fix: "Set this record, which keeps what your relay needs. Other services that send for the domain need a domain below it.",
  },
  "spf.include": {
    level: "broken",
    meaning: "The SPF record includes a domain that has no SPF record, or one that leads back to itself.",
    cost: SUSPECT,
    fix: "Set this record: it is yours without that word.",
  },
  "spf.relay": {
    level: "warning",
    meaning: "The SPF record does not name the relay that sends your mail.",
    cost: SUSPECT,
    fix: "Set this record. Some relays send from other domains than their own: set `SPF_MECHANISMS` to what your relay documents, and the doctor looks for that.",
  },
  "spf.open": {
    level: "broken",
    meaning: "The SPF record allows every server in the world to send for the domain (`+all`).",
    cost: "Anybody can send mail in your name, and receivers stop believing the domain.",
    fix: "Set this record, which ends in `~all`.",
  },
  "dkim.missing": {
    level: "broken",
    meaning: "The server signs mail, but the public key is not in DNS.",
    cost: SUSPECT,
    fix: "Set the record. Where your provider does not take several strings, paste them as one.",
  },
  "dkim.wrong": {
    level: "broken",
    meaning: "The DKIM record holds another key than the server signs with.",
    cost: SUSPECT,
    fix: "Set this record in the place of the present one.",
  },
  "dmarc.missing": {
    level: "warning",
    meaning: "Neither the domain nor one above it has a DMARC record.",
    cost: "Large receivers refuse or slow down mail from domains without one, and anybody can use your name.",
    fix: "Set the record.",
  },
  "dmarc.wrong": {
    level: "broken",
    meaning: "The DMARC record cannot be used: there are several, or it names no policy.",
    cost: "Receivers treat the domain as if it had none.",
    fix: "Set this record in the place of the present ones.",
  },
  "mta-sts.record": {
    level: "broken",
    meaning: "The MTA-STS record cannot be used: there are several, or it has no `id`.",
    cost: "Senders do not use your policy, so mail to you can be sent in clear.",
    fix: "Set this record in the place of the present ones.",
  },
  "mta-sts.policy": {
    level: "broken",
    meaning: "The MTA-STS policy cannot be fetched, although DNS announces it.",
    cost: "Senders do not use your policy, so mail to you can be sent in clear; those that remember an older one may refuse to send.",
    fix: "The command shows what senders see.",
  },
  "mta-sts.syntax": {
    level: "broken",
    meaning: "The MTA-STS policy cannot be read.",
    cost: "Senders do not use your policy, so mail to you can be sent in clear.",
    fix: "The command shows the policy; RFC 8461, section 3.2 has its form.",
  },
  "mta-sts.mx": {
    level: "broken",
    meaning: "The MTA-STS policy does not name the hosts of the MX records.",
    cost: "Senders that keep to the policy (Gmail, Outlook) do not deliver.",
    fix: "Let the MX record name a host of the policy, or add the host to the policy.",
  },
  "mta-sts.testing": {
    level: "warning",
    meaning: "The MTA-STS policy does not name the hosts of the MX records; its mode is `testing`.",
    cost: "Once the mode is `enforce`, senders that keep to the policy (Gmail, Outlook) do not deliver.",
    fix: "Let the MX record name a host of the policy, or add the host to the policy.",
  },
  "tls-rpt.missing": {
    level: "warning",
    meaning: "There is an MTA-STS policy and no record that asks for reports about TLS (RFC 8460).",
    cost: "Nobody tells you when senders cannot deliver because of TLS.",
    fix: "Set the record.",
  },
  "tls-rpt.wrong": {
    level: "warning",
    meaning: "The record that asks for reports about TLS cannot be used.",
    cost: "Nobody tells you when senders cannot deliver because of TLS.",
    fix: "Set this record in the place of the present ones.",
  },
} as const satisfies Record<string, Entry>;
