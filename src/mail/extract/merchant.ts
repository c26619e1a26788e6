import type { NamedAddress } from "../mime/parsed-mail.ts";
import { labelled, phrases } from "./labelled-values.ts";

/** What a mail calls who was paid. */
const MERCHANT = phrases(
  "merchant|seller|paid to|payment to|sold by|händler|verkäufer|zahlungsempfänger|commerçant|vendeur|bénéficiaire|comercio|vendedor|beneficiario|vendedor|lojista|esercente|venditore|verkoper|begunstigde|sprzedawca|odbiorca płatności|продавец|получатель платежа|satıcı|üye işyeri|التاجر|البائع|विक्रेता|người bán|đơn vị chấp nhận thẻ|penjual|商户|商家|商户名称|收款方|商店|加盟店|販売店|ご利用店舗|가맹점|판매자",
);

/** Words behind a shop's name that tell what the address is for. */
const ROLE =
  /[\s,|·–-]+(?:orders?|order confirmations?|billing|receipts?|invoices?|notifications?|notices?|no-?reply|support|customer (?:service|care)|service|kundenservice|bestellungen|commandes|pedidos|service client|team|payments|shipping|mailer)$/i;
const ONLY_ROLE =
  /^(?:orders?|billing|receipts?|invoices?|notifications?|no-?reply|do not reply|support|info|sales|shop|service|customer service|kundenservice|rechnung|bestellung|payments?|accounts?|mailer|admin|team)$/i;

const MAX_NAME_CHARS = 100;

/** Who sells: as the text names it, else the sender's name without what it says of its task; null if neither tells. */
export function merchantOf(lines: readonly string[], from: NamedAddress): string | null {
  const [named] = labelled(lines, MERCHANT).filter(({ isFirst, value }) => isFirst && isName(value));
  return named?.value.trim() ?? senderName(from);
}

const isName = (value: string): boolean =>
  value.length <= MAX_NAME_CHARS &&
  /^[\p{L}\d]/u.test(value) &&
  !/[.!?:] /.test(value) &&
  /\p{L}{2}/u.test(value);

/** The name that a sender gives itself; null if it is none of an organisation: an address, or no more than a task. */
function senderName({ name }: NamedAddress): string | null {
  const [first = ""] = name.split(/ (?:via|über|par|durch) /i);
  const bare = first
    .trim()
    .replace(/^["']|["']$/g, "")
    .replace(ROLE, "")
    .trim();
  if (bare === "" || bare.length > MAX_NAME_CHARS || bare.includes("@") || ONLY_ROLE.test(bare)) return null;
  return bare;
}
