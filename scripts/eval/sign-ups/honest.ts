import { organizationalDomain } from "../../../src/mail/address/public-suffix.ts";
import type { Fixture } from "../fixtures.ts";
import type { Scene, SceneMail, Step } from "./scene.ts";

const ADDRESS = /([^\s<@]+)@([^\s<>@]+)>?$/;

/** The local part and the domain of a fixture's From field. */
export function senderOf({ from }: Fixture): { local: string; domain: string } {
  const [, local = "", domain = ""] = ADDRESS.exec(from) ?? [];
  return { local, domain };
}

/** A mail from `local@domain`, signed by `signer`, as a gateway with DMARC sees it. */
export function signedMail(of: Fixture, domain: string, signer = domain): SceneMail {
  const { local } = senderOf(of);
  return {
    of,
    head: [`From: ${local}@${domain}`],
    found: `dkim=pass header.d=${signer} header.s=s1; spf=pass smtp.mailfrom=${domain}; dmarc=pass header.from=${domain}`,
  };
}

/** How a service sends its mail, and how an agent asks for it. `step` are those before the last question. */
type Way = (of: Fixture, brand: string, asked: Asked) => Step[];
interface Asked {
  from_domain: string;
  kind: "code" | "link" | "any";
  siblings: string[];
}

const mail = (of: Fixture, domain: string, signer?: string): Step => ({
  do: "mail",
  mail: signedMail(of, domain, signer),
});
const expect = (asked: Asked, more: { exclusive?: boolean; strict?: boolean } = {}): Step => ({
  do: "expect",
  asked: { ...asked, ...more },
});

const WAYS: Readonly<Record<string, Way>> = {
  "from the domain itself": (of, brand, asked) => [expect(asked), mail(of, brand)],
  "from a subdomain that the domain signs": (of, brand, asked) => [
    expect(asked),
    mail(of, `em.${brand}`, brand),
  ],
  "from a subdomain of a subdomain": (of, brand, asked) => [expect(asked), mail(of, `mg.notify.${brand}`)],
  "from a sibling": (of, brand, asked) => {
    const sibling = brand.replace(/\./, "mail.");
    return [expect({ ...asked, siblings: [...asked.siblings, sibling] }), mail(of, `news.${sibling}`)];
  },
  "to an address of its own": (of, brand, asked) => [expect(asked, { exclusive: true }), mail(of, brand)],
  "to a tag of the mailbox, with a name": (of, brand, asked) => [
    expect(asked),
    {
      do: "mail",
      mail: { ...signedMail(of, brand), addressed: ['To: "Agent, A." <BOX+shop@Mailkeep.Test>'] },
    },
  ],
  "to an address of a domain of the mailbox": (of, brand, asked) => [
    expect(asked),
    { do: "mail", mail: { ...signedMail(of, brand), to: ["hello@own.example"] } },
  ],
  "with a copy to the mailbox": (of, brand, asked) => [
    expect(asked, { exclusive: true }),
    { do: "mail", mail: { ...signedMail(of, brand), addressed: ["To: ann@own.example", "Cc: TAG"] } },
  ],
  "by a program that says so": (of, brand, asked) => {
    const generated = { ...of, headers: [...of.headers, "Auto-Submitted: auto-generated"] };
    return [expect(asked), mail(generated, brand)];
  },
  "while another agent expects mail of the same domain at an address of its own": (of, brand, asked) => [
    expect(asked, { exclusive: true }),
    expect(asked, { exclusive: true }),
    mail(of, brand),
  ],
  "after the question was asked twice": (of, brand, asked) => [expect(asked), expect(asked), mail(of, brand)],
  "while a stranger writes codes": (of, brand, asked) => [
    expect(asked),
    mail(of, "stranger.example"),
    { do: "mail", mail: { of, head: [`From: a@${brand}`], found: `dmarc=fail header.from=${brand}` } },
    { do: "ask" },
    mail(of, brand),
  ],
  "after an earlier code of the same domain": (of, brand, asked) => [
    mail({ ...of, id: `${of.id}-early` }, brand),
    expect(asked),
    mail(of, brand),
  ],
  "and the process dies before the answer": (of, brand, asked) => [
    expect(asked),
    mail(of, brand),
    { do: "die" },
  ],
  "of a domain that the agent writes in its own way": (of, brand, asked) => [
    expect({ ...asked, from_domain: `${brand.toUpperCase()}.` }),
    mail(of, brand),
  ],
  "where nothing is checked, and the agent said so": (of, brand, asked) => [
    expect(asked, { strict: false }),
    { do: "mail", mail: { ...signedMail(of, brand), found: null } },
  ],
};

/** One honest sign-up for each mail of a corpus that has a code or a link; each way of sending comes in turn. */
export function honestScenes(fixtures: readonly Fixture[]): Scene[] {
  const ways = Object.entries(WAYS);
  const bringing = fixtures.filter(({ expected }) => "code" in expected || "link" in expected);
  return bringing.flatMap((of, index) => {
    const [name, way] = ways[index % ways.length] ?? [];
    if (name === undefined || way === undefined) return [];
    const { code, link } = of.expected;
    const kind = code === undefined ? "link" : link === undefined ? "code" : "any";
    const { domain } = senderOf(of);
    const host = link === undefined ? undefined : URL.parse(link)?.hostname;
    // The service counts clicks under another name, and the agent knows it.
    const site = host === undefined ? domain : (organizationalDomain(host) ?? host);
    const siblings = site === domain ? [] : [site];
    const honest = [code, link].filter((value) => value !== undefined);
    return [
      { name: `${of.id}, ${name}`, steps: way(of, domain, { from_domain: domain, kind, siblings }), honest },
    ];
  });
}
