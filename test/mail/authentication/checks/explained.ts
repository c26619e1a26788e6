/** A difference between another implementation and ours, and the text that ours follows. */
export interface Explained {
  /** Matches lines such as `dkimpy dkim, length: simple/simple a part: false / true`: ours, then theirs. */
  difference: RegExp;
  because: string;
}

export const EXPLAINED: readonly Explained[] = [
  {
    difference: /^(dkimpy dkim|mailauth d\w+), length: .*: (false \/ true|fail \/ pass)$/,
    because:
      "RFC 6376 §8.2: l= lets anybody add to a body, so a signature counts for the whole body or not at all",
  },
  {
    difference:
      /^(dkimpy|mailauth) d\w+, cover: .* (an empty name|a name with a blank|a colon at the end)(, with a From above)?: /,
    because: "RFC 6376 §3.5 (sig-h-tag): h= is a list of names of fields, of which none is empty",
  },
  {
    difference: /^(dkimpy|mailauth) d\w+, cover: .* the signature itself: (true \/ false|pass \/ fail)$/,
    because: "RFC 6376 §3.5 (h=): the signature that is verified is none of the fields that h= names",
  },
  {
    difference: /^dkimpy dkim, cover: .* without From(, with a From above)?: false \/ true$/,
    because: "RFC 6376 §6.1.1: a signature that does not name From fails",
  },
  {
    difference:
      /^mailauth dkim, (cover: .*|author: a From of another domain|author: two From, both signed).*: false \/ true$/,
    because:
      "RFC 5322 §3.6, RFC 6376 §8.15: of several From fields a reader may show the one that was not signed",
  },
  {
    difference: /^dkimpy dkim, author: two From, both signed: false \/ true$/,
    because: "RFC 5322 §3.6: a message has one From field",
  },
  {
    difference: /^(authheaders|mailauth) dmarc, (author|cover): .*: permerror \/ (fail|none|pass)$/,
    because: "RFC 7489 §6.6.1: what several authors mean is left open; here none of them is proven",
  },
  {
    difference: /^authheaders dmarc, (author|shape): .*: \w+ \/ error \w+$/,
    because: "RFC 5322 §4.5.1, §3.4: it stops at a From without an address, and at blanks before a colon",
  },
  {
    difference: /^authheaders dmarc, author: a quoted local part with an at sign: pass \/ none$/,
    because: "RFC 5322 §3.4.1: the domain is what follows the last at sign",
  },
  {
    difference: /^dkimpy (dkim|arc), shape: .* a blank before the colon: /,
    because: "RFC 5322 §4.5 allows blanks before a colon; dkimpy reads no such message",
  },
  {
    difference:
      /^(authheaders|mailauth) dmarc, changed: .* a second (Subject|To) (above|below): permerror \/ (pass|fail)$/,
    because:
      "RFC 5322 §3.6, RFC 6376 §8.15: of two fields with one name a reader may show the one that was not signed",
  },
  {
    difference:
      /^(dkimpy dkim|mailauth d\w+), (cover: .* (From alone|From twice|a field that is not there|one of several|two of several|more than there are)|several: one that signs the other): (false \/ true|fail \/ pass|false,true \/ true,true)$/,
    because: "RFC 6376 §8.15, §5.4: anybody can replace a Subject that h= does not name, and it is shown",
  },
  {
    difference:
      /^(authheaders|mailauth) dmarc, shape: .* a (header|signed field) of 100 KB: permerror \/ pass$/,
    because:
      "RFC 6376 §8.4: a field is shown up to 64 KiB, so one that is longer is not shown as it was signed",
  },
  {
    difference: /^(authheaders|mailauth) dmarc, shape: .* (NUL|a bare CR) in Subject: permerror \/ pass$/,
    because: "RFC 5322 §2.2, §2.3: a header holds no NUL and no CR alone; programs read them differently",
  },
  {
    difference: /^dkimpy arc, arc: the second set says fail: fail \/ error$/,
    because: "RFC 8617 §5.2: a chain that says cv=fail has failed; dkimpy stops there with an error",
  },
  {
    difference: /^dkimpy dkim, time: expire.*: false \/ true$/,
    because:
      "RFC 6376 §3.5 (x=), §6.1.1: an expired signature, or one that expires before it was made, is not valid",
  },
  {
    difference:
      /^mailauth d\w+, time: (signed tomorrow|t= of twelve digits) .*: (false \/ true|fail \/ pass)$/,
    because: "RFC 6376 §3.5 (t=): a verifier may ignore a signature from the future",
  },
  {
    difference: /^dkimpy dkim, identity: a subdomain, selector strict: false \/ true$/,
    because: "RFC 6376 §3.6.1 (t=s): the domain of i= must be that of d=",
  },
  {
    difference: /^dkimpy dkim, malformed: rsa-sha1: false \/ true$/,
    because: "RFC 8301 §3.1: rsa-sha1 must not be used for verifying",
  },
  {
    difference: /^dkimpy dkim, malformed: q= with an unknown one first: true \/ false$/,
    because: "RFC 6376 §3.5 (q=): unknown methods are passed over",
  },
  {
    difference: /^dkimpy dkim, malformed: an algorithm in capitals: true \/ false$/,
    because: "RFC 5234 §2.3: words of a grammar match in upper and lower case",
  },
  {
    difference:
      /^(dkimpy dkim|mailauth d\w+), malformed: a value with a control: (false \/ true|fail \/ pass)$/,
    because: "RFC 6376 §3.2 (tval): a value is visible ASCII",
  },
  {
    difference: /^mailauth d\w+, malformed: three forms: (false \/ true|fail \/ pass)$/,
    because: "RFC 6376 §3.5 (sig-c-tag): c= has at most two forms",
  },
  {
    difference: /^dkimpy dkim, key: (v= at the end|SHA-1 only|an unknown hash): false \/ true$/,
    because: "RFC 6376 §3.6.1: v= stands first, and h= lists the hashes that the key allows",
  },
  {
    difference: /^dkimpy dkim, key: for email among others: true \/ false$/,
    because: "RFC 6376 §3.6.1 (s=): it is a list of services",
  },
  {
    difference: /^(dkimpy dkim|mailauth d\w+), key: a key and a text: (true \/ false|pass \/ fail)$/,
    because: "RFC 6376 §3.6.2.2: what several records mean is open; one of them alone is a key",
  },
  {
    difference: /^(dkimpy dkim|mailauth d\w+), key: two keys: (false \/ true|fail \/ pass)$/,
    because: "RFC 6376 §3.6.2.2: what several keys at one name mean is open; here they prove nothing",
  },
  {
    difference: /^(dkimpy dkim|mailauth d\w+), key: huge: (false \/ true|fail \/ pass)$/,
    because:
      "RFC 6376 §8.4: a verifier limits what it takes from DNS; here a record has at most 8,192 characters",
  },
  {
    difference: /^(authheaders|mailauth|opendmarc) dmarc, key: a failure of DNS: temperror \/ fail$/,
    because:
      "RFC 7489 §6.6.2 step 3, §5.6.3: where DNS failed for the key that may prove From, nothing is known yet",
  },
  {
    difference: /^authheaders dmarc, dmarc: a failure of DNS, .*: temperror \/ error Failure$/,
    because: "RFC 7489 §6.6.3: the failure is a temporary error; authheaders passes it on to its caller",
  },
  {
    difference: /^(authheaders|opendmarc) dmarc, dmarc: a broken adkim=, .*$/,
    because: "RFC 7489 §6.3: errors behind the version and the policy fall back to the default",
  },
  {
    difference: /^authheaders dmarc, dmarc: a broken p=, without rua=, .*: none \/ \w+$/,
    because: "RFC 7489 §6.6.3 step 6: without a policy and an address for reports there is no record",
  },
  {
    difference: /^opendmarc dmarc, dmarc: a broken p=, with rua=, .*: \w+ \/ none$/,
    because: "RFC 7489 §6.6.3 step 6: with an address for reports it counts as p=none",
  },
  {
    difference: /^authheaders dmarc, dmarc: blanks everywhere, .*: \w+ \/ none$/,
    because: "RFC 7489 §6.4: blanks may stand around each equals sign",
  },
  {
    difference: /^authheaders dmarc, dmarc: two records, .*: none \/ \w+$/,
    because: "RFC 7489 §6.6.3 step 5: several records are none; authheaders can be given one only",
  },
  {
    difference: /^opendmarc dmarc, alignment: (strict|mixed) .*: fail \/ pass$/,
    because: "RFC 7489 §3.1.1, §3.1.2: in strict mode only the very domain is aligned, and no subdomain",
  },
  {
    difference: /^opendmarc dmarc, alignment: relaxed a0.co.uk (sent|signed) by co.uk: fail \/ pass$/,
    because: "RFC 7489 §3.2: a public suffix is the organisational domain of nothing",
  },
  {
    difference: /^pyspf spf, spf: a local part that is quoted: pass \/ none$/,
    because: "RFC 5321 §4.1.2: a quoted local part may hold an at sign",
  },
];
