import type { Language } from "./language.ts";

/** Swedish. */
export const sv: Language = {
  tag: "sv",
  keyWords: "whole",
  code: {
    strong: `
      verifieringskod*, säkerhetskod*, inloggningskod*, engångskod*, engångslösenord*, autentiseringskod*,
      aktiveringskod*, registreringskod*, återställningskod*, sms-kod*, hämtkod*, hämtningskod*,
      uthämtningskod*, leveranskod*, öppningskod*, skåpkod*, dörrkod*, portkod*, parkeringskod*,
      valideringskod*, nyckelskåpskod*, identifieringskod*, entrékod*, kontrollkod*, ingångskod*,
      kopplingskod*, passerkod*, parkopplingskod*, åtkomstkod*, enhetskod*
    `,
    confirmation: "bekräftelsekod*",
    weak: "kod, koden, pinkod*, pin-kod*, lösenord*, koder, koderna, kodens, siffrorna",
    hint: "verifiera, bekräfta, logga in, inloggning, låsa upp",
    soft: "konto*, telefon*, mobiln*, kort*, nummer",
    number: `
      order*, beställning*, faktur*, kvitto*, kundn*, avtalsn*, medlemsn*, biljett*, försändelse*, kolli*,
      spårning*, felkod*, belopp*, postnr, landskod*, produktkod*, varukod*, artikeln*, källkod*, bankkod*,
      ärendenummer*, bankgiro*
    `,
    booking: "bokning*",
    meeting: "mötes-id, möteskod*, lösenord för mötet",
    coupon: "rabatt*, presentkort*, kampanjkod*, värdekod*, värvningskod*",
    instruction: `
      ange, skriv, skriv in, fyll i, använd, visa upp, knappa in, slå, slår, slå in, slår in, mata in,
      matar in, tryck, trycker, visa koden, uppge, läs upp, fyller i, skriver in, anger, knappa, vrid,
      ställ in, du behöver
    `,
    device: `
      knappsats*, tangentbord*, skärmen, skåpet, luckan, dörren, porten, grinden, bommen, porttelefon*,
      nyckelbox*, hänglås*, kodlås*, fjärrkontroll*, tv:n, rutan, fältet, gröna knappen
    `,
    secret: "dela inte, dela aldrig, lämna inte ut, lämna aldrig ut, inte vidare, frågar aldrig, ber aldrig",
    requested: `
      du begärt, begärde du, du bad om, inte begärt, inte bett om, inte du som, inte var du, bortse från,
      ignorera
    `,
    void: `
      tidigare kod*, gamla kod*, gäller inte längre, längre giltig*, ersätter, har använts, ogiltig*,
      fungerar inte längre, slutade fungera, gäller inte, den gamla, den förra, har gått ut
    `,
    fresh: "ny kod, nya kod*, den nya är, från och med nu",
    expiry: "gäller i, gäller till, giltig*, går ut, en gång, inom, gäller fram, fungerar till",
  },
  sentence: {
    leadsTo: "är",
    ledBy: "är, som",
    denies: "inte, ej, ingen, inga, inget, aldrig",
    units: "minut*, poäng, kronor, kr",
  },
  link: {
    proves: `
      verifiera*, bekräfta*, aktivera*, återställ*, acceptera inbjudan, bekräftelselänk*, godkänn*,
      verifieringslänk*, tillåt*, det var jag, välj lösenord, det är jag, lås upp, häv spärr*
    `,
    signsIn: "logga in, inloggning",
    goesOn: "fortsätt, här, gå vidare, öppna",
    password: "lösenord*",
    account: "konto*, e-post*, adress*, inbjudan",
    otherPurpose: `
      hjälp*, kundservice, kundtjänst, bekräfta din närvaro, villkor*, visa faktur*, anmäl dig,
      bekräfta närvaro*, läs mer, se faktur*, boka*, bekräfta ditt deltag*, läs om, visa order*, handla*
    `,
    refuses: `
      det var inte jag, inte jag, inte du, inte begärt, känner inte igen, avvisa*, avslå*, neka*, avböj*,
      rapportera*, anmäl aktivitet, anmäl missbruk, anmäl detta, avbryt*, avboka*, återkalla*, ångra*,
      blockera*, spärra*, avregistrera*, avprenumerera*, ta bort, radera*, misstänkt*, logga ut, inaktivera*,
      avsluta prenumeration*, dra tillbaka, förhindra*, förbjud*, tillåt inte, förneka*, stoppa*, stäng av
    `,
    negates: "inte, nej, aldrig, ingen, inget, ingenting, någon annan",
    agrees: "ja",
  },
  quoting: { from: "från", sent: "skickat" },
  subject: {
    reply: "sv",
    strippedReply: "sv",
    invitation: "inbjudan, påminnelse, bekräft*, påminn*, din, ditt",
  },
  signature: { closings: "med vänlig hälsning, med vänliga hälsningar, mvh" },
  dates: {
    untilDay: "till",
    untilTime: "till",

    afternoon: "på eftermiddagen, på kvällen",
    deadline: "senast, till och med, före",
  },
  appointment: {
    when: "när, datum, tid, dag",
    time: "klockan, tid",
    where: "plats, adress, adressen",
    title: "ämne, behandling, tjänst, ärende, undersökning",
    word: "tid, bokning*, bokad*, reserv*",
  },
  money: {
    grandTotal: "att betala, totalt belopp, totalbelopp, ordersumma",
    total: "totalt, summa, belopp",
    partial: "delsumma, rabatt*, moms, frakt*, dricks, pant",
  },
  order: {
    numberLabel: "ordernummer, ordernr, beställningsnummer",
    word: "beställning*, order, orderbekräftelse",
    quantity: "antal",
  },
  parcel: {
    numberLabel: `
      kollinummer, kolli-id, spårningsnummer, sändningsnummer, paketnummer, kolli, spårnings-id,
      försändelsenummer, sändnings-id
    `,
    nearNumber: "paket*, försändelse*",
    arrivalLabel: `
      beräknad leverans, leveransdatum, levereras, förväntad leverans, beräknad ankomst, leverans,
      kommer fram
    `,
    word: "paket*, försändelse*, leverans*, beställning*",
    statuses: {
      exception: "kunde inte levereras, försenad*, försening, försenat",
      out_for_delivery: `
        ute för leverans, levereras idag, levereras i dag, ute för utkörning, lastad för utleverans,
        kommer i dag, kommer idag
      `,
      delivered: "levererats, levererad*, utlämnad, utlämnat, levererat, hämtats ut",
      in_transit: "på väg",
      shipped: "skickats, skickad*, skickat, överlämnat*, har lämnat vårt",
    },
    notYet: "så snart, kommer att, ska, blir",
    carrierLabel: "transportör, fraktbolag, speditör, skickas med, levereras av",
  },
  receipt: {
    payment: `
      kvitto*, faktura*, din betalning, ditt köp, orderbekräftelse*, betalat, vi har fått, vi har mottagit,
      tagit emot, du har betalat, vi har dragit, har debiterats, din gåva, inbetalning*
    `,
    failed: "betalningen misslyckades",
    dateLabel: "betalningsdatum, fakturadatum, orderdatum, datum",
    due: "förfall*",
    methodLabel: "betalningsmetod, betalsätt, betalt med",
    cardEnding: "slutar på, slutar med",
    paidWith: "betalt med, via, betald med",
    cash: "kontant*, kort, faktura, autogiro, presentkort",
  },
};
