import { done, refused, type Outcome } from "../../lib/outcome.ts";
import { canonicalDomain } from "./address.ts";
import { isPublicSuffix, organizationalDomain } from "./public-suffix.ts";

/** Domains at which everybody can have a free address: proof of such a domain says little about who wrote. */
const FREE_MAIL: ReadonlySet<string> = new Set(
  (
    "gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com mac.com aol.com " +
    "gmx.com gmx.de gmx.net gmx.at gmx.ch web.de t-online.de freenet.de mail.com mail.ru inbox.ru list.ru bk.ru yandex.ru " +
    "yandex.com rambler.ru proton.me protonmail.com pm.me tutanota.com tuta.io fastmail.com zoho.com hey.com qq.com 163.com " +
    "126.com sina.com naver.com daum.net hanmail.net orange.fr free.fr laposte.net libero.it seznam.cz wp.pl onet.pl uol.com.br"
  ).split(" "),
);

/**
 * The domain whose mail somebody expects, in canonical form (lower case, A-labels, no dot at the end). The error is the end of
 * a sentence after "from_domain: ".
 */
export function readSenderDomain(written: string): Outcome<string, string> {
  if (written.includes("@"))
    return refused("must be a domain such as github.com, not an address: give what follows the @");
  if (/[/:]/.test(written)) return refused("must be a domain such as github.com, not a URL: give its host");
  const domain = canonicalDomain(written);
  if (domain === null) return refused("must be a domain such as github.com");
  return isPublicSuffix(domain)
    ? refused(
        `must be a domain with one owner: names below "${domain}" belong to different owners, so give one of those, such as brand.${domain}`,
      )
    : done(domain);
}

/** Whether everybody can have an address at a domain. */
export function isFreeMail(domain: string): boolean {
  return FREE_MAIL.has(domain);
}

/**
 * Whether a host is a domain, or lies below it and has the same owner: `a.builder.code.com` is not within `code.com`, because
 * names below `builder.code.com` belong to others (Public Suffix List). Both in canonical form. Throws as `organizationalDomain` does.
 */
export function isWithin(host: string, domain: string): boolean {
  if (host === domain) return true;
  return host.endsWith(`.${domain}`) && organizationalDomain(host) === organizationalDomain(domain);
}
