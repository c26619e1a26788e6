import type { Language } from "./language.ts";

/** Finnish. */
export const fi: Language = {
  tag: "fi",
  keyWords: "whole",
  code: {
    strong: `
      vahvistuskood*, todennuskood*, turvakood*, kirjautumiskood*, kertakäyttökood*, kertakäyttösala*,
      kertakäyttöinen sala*, kertakood*, aktivointikood*, noutokood*, avauskood*, lokerokood*, ovikood*,
      tunnistautumiskood*, kulkukood*, tunnistuskood*, pääsykood*, tarkistuskood*, vieraskood*,
      varmennuskood*, väliaikainen kood*, varmistuskood*, tekstiviestikood*, rekisteröintikood*,
      latauskood*, nollauskood*
    `,
    weak: "koodi*, pin-koodi*, salasana*, numerosarja*, merkkisarja*, tunnuslu*, pin-luku*, yhdistelmä*",
    hint: "vahvist*, tunnistau*, kirjau*, allekirjoit*, nouda",
    soft: "tili*, puhelin*",
    number: `
      tilau*, lasku*, asiakasnumero*, sopimus*, viite*, seurantakood*, lähetystunnus*, postinumero*,
      y-tunnus*, puh., virhekood*, tuotekood*, vuonna, yhteensä, lähdekood*, maakood*, viivakood*,
      pankkikood*, kurssikood*, sarjanumero*, asiakastunnus*, jäsennumero*
    `,
    booking: "varau*",
    meeting: "kokouksen tunnus*, kokouskood*, kokouksen salasana*",
    coupon: "alennu*, lahjakort*, kampanjakood*, tarjouskood*, etukood*",
    instruction: `
      syötä, syöttä*, kirjoita, käytä, näppäil*, paina, painat, sano, näytä, kerro, kirjoittama*,
      painamalla, mainitse, naput*, sanot, näytät, pyöritä, aseta numerot, syötät, kirjoitat, tarvitset
    `,
    device: `
      näppäimistö*, näytö*, näyttöön, ruutuun, ruudu*, pakettiautomaa*, lokero*, kaapi*, ulko-ov*, oveen,
      ovella, portti, portin, puomi*, avainsäilö*, riippuluk*, kaukosääti*, televisio*, kentä*, risuaita*
    `,
    secret: "älä jaa, älä koskaan, älä anna, älä kerro, kenellekään, koskaan kysy",
    requested: `
      pyysit, pyytämäsi, pyynnöstäsi, et pyytänyt, et ole pyytänyt, et ole itse, ellet ole, jätä tämä,
      jättää tämän
    `,
    void: `
      aiempi koodi*, aiemmat koodi*, edellinen koodi*, vanha koodi*, enää voimassa, mitätöi*, korvaa,
      vanhentunut, ei enää toimi, ei enää aukea, ei toimi, vanha ei, ei kelpaa
    `,
    fresh: "uusi koodi*, uusin koodi*, uusi on, sen sijaan",
    expiry: "voimassa, vanhenee, umpeutuu, kelpaa, toimii vain",
  },
  sentence: {
    leadsTo: "on",
    ledBy: "on",
    denies: "ei, eivät, eikä, ilman, koskaan",
    units: "sekun*, minuut*, tunti*, tunnin, päivä*, kuukau*, vuotta, kpl, henkilö*",
  },
  link: {
    proves: `
      vahvista, vahvistuslin*, aktivoi, vaihda salasana*, palauta salasana*, aseta salasana*, hyväksy kutsu*,
      vahvistam*, hyväksy, vahvistaa, salli, varmista, minä se olin, luo salasana, liity, se olin minä,
      avaa lukitus, poista esto, poista lukitus
    `,
    signsIn: "kirjau*",
    goesOn: "jatka, avaa, tästä, täältä, siirry",
    password: "salasana*",
    account: "tili*, sähköposti*, osoit*, rekisteröi*, kutsu*, jäsenyy*",
    otherPurpose: `
      tietosuoja*, ehdot, ohje*, asiakaspalvelu*, ota yhteyttä, selaimessa, seuraa, jos et,
      vahvista osallistumi*, seloste*, katso lasku*, kauppaan, vahvista aika*, asetuk*, avaa lasku*, tarjou*,
      vahvista varau*, käyttöehdot, katso tilaus*
    `,
    refuses: `
      en ollut minä, se en ollut minä, et ollut sinä, en se ollut minä, en minä, en tunnista, en pyytänyt,
      et pyytänyt, hylkää, hylkäys, torju*, kieltäydy*, kiellä, estä kirjautuminen, estä laite, estä pääsy,
      estä käyttö*, ilmoita*, raportoi*, peruuta*, peruuta tilaus, peruutus*, kumoa*, mitätöi*, lukitse*,
      poista*, epäilyttäv*, kirjaudu ulos, lopeta tilaus, evää, eväämi*, kiist*, älä salli, älä vahvista,
      vieras, pysäyt*, keskeyt*, en tiedä, en rekisteröi*
    `,
    negates: "ei, älä, enkä, mitään, kukaan, joku muu",
    agrees: "kyllä",
  },
  quoting: {
    wrote: "kirjoitti",
    originalMessage: "alkuperäinen viesti",
    from: "lähettäjä",
    sent: "lähetetty, päivämäärä",
    forwarded: "välitetty viesti",
  },
  subject: {
    reply: "vs",
    forward: "vl",
    strippedReply: "vs",
    strippedForward: "vl",
    invitation: "kutsu, muistutus, vahvist*, muistut*, aikasi",
  },
  signature: {
    closings: "terveisin",
  },
  dates: {
    morning: "ap.",
    afternoon: "ip., illalla",
    deadline: "viimeistään, mennessä, asti, saakka",
    beforeYear: "päivänä",
  },
  appointment: {
    when: "milloin, aika, ajankohta, päivä, pvm, kello",
    time: "klo",
    where: "missä, paikka, osoite, osoitteessa",
    word: "ajanvara*, varau*, varattu",
    title: "käynti, palvelu, hoito, toimenpide, aihe, tutkimus",
  },
  money: {
    grandTotal: "loppusumma, maksettava yhteensä",
    total: "yhteensä, summa",
    partial: "välisumma, alv, veroton, alennus, toimituskulut",
    currencies: { EUR: "euroa" },
  },
  order: {
    numberLabel: "tilausnumero*, tilauksen numero, tilaus #",
    word: "tilau*",
    quantity: "määrä",
  },
  parcel: {
    numberLabel: `
      seurantakoodi*, seurantatunnus*, lähetystunnus*, lähetysnumero, seurantanumero, kollinumero,
      lähetyksen numero, paketin numero
    `,
    nearNumber: "paket*, lähety*",
    arrivalLabel: `
      arvioitu toimitus*, saapuu, arvioitu saapuminen, toimituspäivä, arvioitu toimituspäivä,
      toimitetaan viimeistään
    `,
    word: "paket*, lähety*, tilau*",
    statuses: {
      exception: "ei voitu toimittaa, viivästynyt, myöhästy*, viivästy*, myöhässä",
      out_for_delivery: "jakelussa, toimitetaan tänään, kuljetuksessa, lähtenyt jakeluun, jakeluautossa",
      delivered: "toimitettu, luovutettu, noudettu",
      in_transit: "matkalla",
      shipped: "lähetetty, postitettu, luovutettu kuljetettavaksi",
    },
    carrierLabel: "kuljetusyhtiö, kuljetusliike, kuljettaja, toimittaja",
    notYet: "toimitetaan, lähetetään",
  },
  receipt: {
    payment: `
      kuitti, lasku, maksusi, maksuvahvistus, tilausvahvistus, maksettu, veloitettiin, vastaanotimme,
      olemme vastaanottaneet, maksoit, maksu saapui, lahjoituksesi, veloitimme
    `,
    failed: "maksu epäonnistui",
    dateLabel: "maksupäivä, päiväys, ostopäivä, pvm",
    due: "eräpäivä",
    methodLabel: "maksutapa",
    cardEnding: "päättyvä, päättyv*",
    paidWith: "maksettu, kortilta*, kortilla*",
    cash: "käteinen, käteisellä, luottokort*, pankkikort*, tilisiirto*, lahjakort*",
  },
};
