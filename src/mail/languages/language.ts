import type { ShippingStatus } from "../../contract/extraction.ts";

/**
 * Words and phrases in lower case (NFC), separated by a comma and white space; a list may run over several lines. A word that
 * ends in `*` stands for all words that begin so: `weryfikac*` for weryfikacja, weryfikacji and weryfikacyjny. Singular, plural
 * and other forms are listed side by side otherwise. Scripts written from right to left are listed in reading order, without
 * direction marks: texts lose theirs before they are searched.
 */
export type Words = string;

/**
 * All words of one language by which mail is read. A file of this folder exports one of these and `index.ts` lists it; nothing
 * else has to change. Every group is optional: what a file leaves out is not read in that language.
 */
export interface Language {
  /** BCP 47 (RFC 5646): `pt`, `zh-Hant`. Its fixtures are `test/fixtures/codes/<tag in lower case>.txt`. */
  tag: string;
  /**
   * How the words of `code`, `link` and `sentence` stand in a text. `whole`: between characters that are no letters. `anywhere`:
   * also within a run of letters, for scripts without spaces between words (Chinese, Japanese, Thai) and for languages that
   * attach articles, particles or endings to words (Korean, Arabic, Hebrew, Hindi).
   */
  keyWords: "whole" | "anywhere";
  code?: CodeWords;
  sentence?: SentenceWords;
  link?: LinkWords;
  quoting?: QuotingWords;
  subject?: SubjectWords;
  signature?: SignatureWords;
  localParts?: LocalParts;
  dates?: DateWords;
  appointment?: AppointmentWords;
  money?: MoneyWords;
  order?: OrderWords;
  parcel?: ParcelWords;
  receipt?: ReceiptWords;
  organisation?: OrganisationWords;
  /** A text is taken to be in this language if it holds a word of each of these lists. */
  recognisedBy?: readonly Words[];
}

/**
 * Key words beside a number, by what they say about it. A word that two languages use differently has the meaning of the one
 * that `index.ts` lists first.
 */
export interface CodeWords {
  /** Names a verification code and nothing else. */
  strong?: Words;
  /** As `strong`, unless the mail is about a booking. */
  confirmation?: Words;
  /** As `strong`, unless the mail is about a meeting. */
  passcode?: Words;
  /** May name any code; counts only when it leads directly to the number. */
  weak?: Words;
  /** Speaks of proving who one is, without naming a code. */
  hint?: Words;
  /** Names another kind of number, unless the same sentence names a code: "code for your account: 482913". */
  soft?: Words;
  /** Names another kind of number; the number it leads to is never a code. */
  number?: Words;
  /** As `number`; the mail is about a booking. */
  booking?: Words;
  /** As `number`; the mail is about a call or a meeting. */
  meeting?: Words;
  /** As `number`; the mail offers a discount. */
  coupon?: Words;
  /** Tells the reader to type something. */
  instruction?: Words;
  /** Names what a code is typed into or opens: "keypad", "screen", "locker", "barrier". */
  device?: Words;
  /** Says that a code is for nobody else: "*do not share*", "*never tell anyone*". */
  secret?: Words;
  /** Says that the reader asked for this mail, or perhaps did not: "*you requested*", "*if it was not you*". */
  requested?: Words;
  /** Says that a code beside it no longer counts: "the *previous code* 4711", "4711 *is no longer valid*". */
  void?: Words;
  /** Says that the code beside it replaces another: "your *new code*". */
  fresh?: Words;
  /** Said of a code's lifetime: "*expires in*", "*valid for*". */
  expiry?: Words;
}

/** Small words between a number and its key word. */
export interface SentenceWords {
  /** Ends the way from key word to number: "your code *is* 482913". */
  leadsTo?: Words;
  /** Begins the way from number to key word: "482913 *is* your code". */
  ledBy?: Words;
  /** Denies or gives to others: "482913 is *not* your code". Read as whole words. */
  denies?: Words;
  /** Stands between an instruction and its number and says nothing: "enter *please* 482913". */
  fillers?: Words;
  /** Goes on behind the name of a code: "482913 is your login code *for* Acme". */
  prepositions?: Words;
  /** Behind a number that is an amount: "30 *minutes*". */
  units?: Words;
  /** Money in words: "2000 *dollars*". Read as whole words. */
  money?: Words;
}

/** Words on and around links. */
export interface LinkWords {
  /** Labels that only a link to verify, confirm, activate or reset has. */
  proves?: Words;
  /** Labels of links to sign in. */
  signsIn?: Words;
  /** Buttons that take the reader on, to a sign-in or to anything else. */
  goesOn?: Words;
  /** Names a password. */
  password?: Words;
  /** Names an account or an address: in a subject, or in a label with "confirm" or "activate". */
  account?: Words;
  /** Labels that no verification link has: help, privacy, downloads. */
  otherPurpose?: Words;
  /** Refuses, reports, cancels or unsubscribes: "*decline*", "*this was not me*". A link of these words is never an answer. */
  refuses?: Words;
  /**
   * Words and pairs of words that deny, and so refuse in a short label: "*not* my device", "*someone else*". A `*` stands for
   * letters in any place of a word: `*madım` for yapmadım.
   */
  negates?: Words;
  /** Words for yes, at the start of a label. */
  agrees?: Words;
  /** Words in the host, path or parameters of a link that verifies, without accents. */
  provesInPath?: Words;
  /** The same of links that do neither. */
  otherPath?: Words;
}

/** The lines above a quoted or forwarded message, as mail programs write them. */
export interface QuotingWords {
  /** Ends an attribution: "On 1 March Ann *wrote*:". */
  wrote?: Words;
  /** An attribution whose verb stands before the name, `…` for other words: "am … schrieb …". */
  wroteBetween?: Words;
  /** Begins an attribution of which the end is on the next line: "*On* 1 March 2025 at 10:00 Ann". */
  foldedStart?: Words;
  /** Between dashes above a quoted message: "-----Original Message-----". */
  originalMessage?: Words;
  /** The name of the From field in a quoted header. */
  from?: Words;
  /** The name of its date. */
  sent?: Words;
  /** Begins the line above a forwarded message. */
  forwarded?: Words;
}

/** How subjects begin. */
export interface SubjectWords {
  /** Prefixes of replies, without the colon. */
  reply?: Words;
  /** Prefixes of forwarded mail. */
  forward?: Words;
  /** Prefixes that an answer of the mailbox replaces by "Re:". */
  strippedReply?: Words;
  /** Prefixes that a forward by the mailbox replaces by "Fwd:". */
  strippedForward?: Words;
  /** Automatic answers: "out of office". */
  automatic?: Words;
  /** Invitations, reminders and confirmations, before the name of an appointment, and "your" beside them. */
  invitation?: Words;
}

/** How messages end. */
export interface SignatureWords {
  /** Formulas before the name, without punctuation. */
  closings?: Words;
  /**
   * Lines that mail programs add by themselves ("Sent from my phone"), in lower case: each the source of a regular expression for
   * the whole line. Repetitions are bounded or stand at an end, so that matching stays linear.
   */
  footers?: readonly string[];
}

/** Local parts of addresses that only machines write from. */
export interface LocalParts {
  /** Nobody reads answers to them; without `.`, `-` and `_`. */
  unread?: Words;
  /** Services send codes from them; whole or between `.`, `_`, `+` and `-`. */
  sendsCodes?: Words;
}

/** How days and times of day are written. */
export interface DateWords {
  /** Twelve lists from January on, of spellings that CLDR (`Intl`) lacks: cases, abbreviations without their point. */
  months?: readonly Words[];
  /** Right behind the number of a day: "1*st*". */
  ordinals?: Words;
  /** Between day and month: "1 *of* March"; without a blank behind an apostrophe: "1 *d'*avril". */
  dayToMonth?: Words;
  /** Between month and year: "1 de marzo *de* 2025". */
  monthToYear?: Words;
  /** Before the number of a month: "1 *tháng* 3". */
  numberedMonth?: Words;
  /** Before the year in such a date: "*năm* 2025". */
  beforeYear?: Words;
  /** Before or behind an hour from midnight to noon. */
  morning?: Words;
  /** Before or behind an hour from noon to midnight. */
  afternoon?: Words;
  /** Behind an hour: "15 *Uhr*". */
  oClock?: Words;
  /** Between the days of a span. */
  untilDay?: Words;
  /** Before or behind the last day on which something can be done: "*until* 3 March". */
  deadline?: Words;
  /** Between the times of a span. */
  untilTime?: Words;
}

/** Words of an invitation or a reminder in text. */
export interface AppointmentWords {
  /** Names an appointment or a booking as such: a subject of these and of `subject.invitation` alone is no title. */
  word?: Words;
  /** Labels of its day or its time. */
  when?: Words;
  /** Labels of a time of day alone. */
  time?: Words;
  where?: Words;
  title?: Words;
}

/** Labels of sums. */
export interface MoneyWords {
  /** The sum that is paid in the end, named so that it can be nothing else. */
  grandTotal?: Words;
  /** May name that sum where nothing better does. */
  total?: Words;
  /** Sums that are a part, or no sum to pay: subtotal, tax, discount, delivery. */
  partial?: Words;
  /** Names of currencies, by ISO 4217 code. Signs and codes are in `extract/currency.ts`. */
  currencies?: Readonly<Record<string, Words>>;
}

/** Words about an order. */
export interface OrderWords {
  /** Labels of its number that can name nothing else. */
  numberLabel?: Words;
  /** An order: a number with a sign, or a long one, behind it is its number. */
  word?: Words;
  /** Names a quantity of an item: "*Qty*: 2". */
  quantity?: Words;
}

/** Words about a parcel. */
export interface ParcelWords {
  /** Labels of the tracking number. */
  numberLabel?: Words;
  /** Between the label and the number: "tracking number *is* 4711". */
  beforeNumber?: Words;
  /** Near a number that has the form of a tracking number. */
  nearNumber?: Words;
  /** Labels of who carries it. */
  carrierLabel?: Words;
  /** Labels of the day of arrival. */
  arrivalLabel?: Words;
  /** A parcel or an order, in a subject. */
  word?: Words;
  /** Phrases that tell a status. */
  statuses?: Partial<Record<ShippingStatus, Words>>;
  /** Says that what follows in its clause is still to come: "*will be* delivered". */
  notYet?: Words;
}

/** Words of receipts and invoices. */
export interface ReceiptWords {
  /** Words that every mail about a payment has one of. */
  payment?: Words;
  /** A payment that was not made, or not yet. */
  failed?: Words;
  /** Labels of the day of payment. */
  dateLabel?: Words;
  /** In the same line as a date: it is when something falls due. */
  due?: Words;
  merchantLabel?: Words;
  methodLabel?: Words;
  /** Before the last four digits of a card. */
  cardEnding?: Words;
  /** Before a way to pay in running text: "*paid with* Visa". */
  paidWith?: Words;
  /** Ways to pay that are no brand: "*cash*", "*bank transfer*". */
  cash?: Words;
}

/** Words in the display names of senders. */
export interface OrganisationWords {
  /** Behind the name of an organisation, what the address is for: "Acme *Orders*". */
  roles?: Words;
  /** Alone, no name of an organisation. */
  onlyRoles?: Words;
  /** Between an organisation and the service that sends for it: "Acme *via* Shopmail". */
  via?: Words;
}
