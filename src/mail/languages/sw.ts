import type { Language } from "./language.ts";

/** Swahili. */
export const sw: Language = {
  tag: "sw",
  keyWords: "whole",
  code: {
    strong: `
      msimbo wa uthibitish*, msimbo wa kuthibitish*, msimbo wako wa uthibitish*, nambari ya uthibitish*,
      nambari ya kuthibitish*, namba ya uthibitish*, namba ya kuthibitish*, nambari yako ya uthibitish*,
      msimbo wa usalama, msimbo wa kuingia, msimbo wako wa kuingia, msimbo wa usajili, msimbo wa mara moja,
      nenosiri la mara moja, msimbo wa kuchukua, msimbo wa kuchukulia, namba ya kuchukulia,
      msimbo wa mlango, msimbo wa kabati, msimbo wa maegesho, msimbo wa kufungua, namba ya kufungua,
      nambari ya kufungua, msimbo wa kurejesha, msimbo wa kuwezesha, msimbo wa kifaa, msimbo wa kuunganisha,
      msimbo wa kupokea, msimbo wa lango, msimbo wa muda, msimbo wa geti, msimbo wa kufungulia,
      msimbo wa uhakiki, msimbo wa kufuli, nenosiri la muda
    `,
    weak: "msimbo, msimbo wako, nambari ya siri, namba ya siri, nenosiri, neno la siri, nywila, misimbo",
    hint: "thibitisha, kuthibitisha, uthibitisho, ingia, kuingia, kufungua",
    soft: "akaunti, simu, kadi, nambari, namba",
    number: `
      agizo, nambari ya agizo, namba ya agizo, namba ya oda, ankara, risiti, tiketi, kumbukumbu,
      nambari ya akaunti, namba ya akaunti, nambari ya mteja, namba ya mteja, nambari ya simu,
      namba ya simu, jumla, kiasi, muamala, namba ya mita, ufuatiliaji, inayoishia na, paybill, postikodi,
      msimbo wa posta, msimbo wa nchi, msimbo wa benki, mkataba, namba ya gari, namba ya usajili,
      namba ya mwanachama
    `,
    booking: "namba ya kuhifadhi",
    meeting: "kitambulisho cha mkutano, msimbo wa mkutano",
    coupon: "punguzo, kuponi, vocha, msimbo wa punguzo, msimbo wa ofa, ofa, kadi ya zawadi",
    instruction: `
      weka, ingiza, andika, tumia, onyesha, bonyeza, iweke, taja, mwambie, mpe, mwonyeshe, kuweka, kuingiza,
      kuandika, uingize, piga, onesha, jaza, zungusha, mtajie, mtajia, mpatie, uweke, uandike, utahitaji
    `,
    device: `
      skrini, mashine, kabati, kabatini, kufuli, mlango, mlangoni, geti, getini, lango, kizuizi, sefu,
      runinga, kisanduku
    `,
    secret: "usimpe mtu, usimwambie mtu, usishiriki, hatutawahi, hatutakuuliza",
    requested: "umeomba, uliomba, ombi lako, hukuomba, hujaomba, si wewe, sio wewe, puuza",
    void: `
      msimbo wa awali, msimbo wa zamani, hautumiki tena, haitumiki tena, umeisha muda, imeisha muda,
      umetumika, imetumika, msimbo uliopita, hautumiki, haitumiki, umebatilishwa, umeisha, haifanyi kazi,
      haufanyi kazi, wa zamani
    `,
    fresh: "msimbo mpya, nambari mpya, namba mpya, badala yake, sasa ni",
    expiry: "halali kwa, halali hadi, utaisha, itaisha, mara moja tu, ndani ya, inaisha, unaisha, itadumu",
  },
  sentence: {
    leadsTo: "ni",
    ledBy: "ni, ndiyo",
    denies: "sio, siyo, wala, hakuna, huhitaji",
    units: "pointi, watu",
  },
  link: {
    proves: `
      kuthibitisha, uthibitisho, wezesha, weka upya, badilisha nenosiri, kubali mwaliko, thibitish*,
      weka nywila, weka nenosiri, nywila mpya, badilisha nywila, kubali, jiunge, ruhusu, idhinisha, rejesha,
      ni mimi, ilikuwa mimi, fungulia
    `,
    signsIn: "ingia, kuingia",
    goesOn: "endelea, bofya hapa, bonyeza hapa, hapa, fungua, bofya, bonyeza",
    password: "nenosiri, neno la siri, nywila",
    account: "akaunti, barua pepe, usajili, jarida",
    otherPurpose: `
      msaada, wasiliana, mipangilio, mapendeleo, mahudhurio, miadi, maswali, faragha, masharti, punguzo,
      pakua, jinsi ya, tazama, fuatilia
    `,
    refuses: `
      si mimi, sio mimi, siyo mimi, si wewe, sio wewe, siyo wewe, hukuomba, sikuomba, sitambui, siitambui,
      kataa, kukataa, ripoti, kuripoti, ghairi, kughairi, futa, kufuta, batilisha, zuia, kuzuia,
      funga akaunti, jiondoe, jitoe, ondoa, kuondoa, ondoka, pinga, sitisha, sija*, siku*, sitaki, zuilia,
      kanusha, usiruhusu, katiza, sijui
    `,
    negates: "hapana, sio, siyo, sikuwa, sijaomba, mtu mwingine",
    agrees: "ndiyo",
  },
  quoting: { from: "kutoka", sent: "imetumwa" },
  subject: { invitation: "mwaliko, kikumbusho, uthibitisho, imethibitishwa" },
  dates: { untilDay: "hadi", untilTime: "hadi", deadline: "hadi, kabla ya" },
  appointment: {
    when: "tarehe na saa, tarehe, muda, siku",
    time: "muda, wakati",
    where: "mahali, ukumbi, anwani",
    title: "mada, huduma, kuhusu",
    word: "miadi, imehifadhiwa, uhifadhi*",
  },
  money: {
    grandTotal: "jumla kuu, jumla ya malipo, kiasi kilicholipwa, kiasi ulicholipa",
    total: "jumla, kiasi",
    partial: "jumla ndogo, punguzo, kodi, usafirishaji, usafiri",
    currencies: { KES: "kes, ksh", TZS: "tzs, tsh" },
  },
  order: {
    numberLabel: "nambari ya agizo, namba ya agizo, namba ya oda, agizo namba, oda namba, nambari ya oda",
    word: "agizo, agizo lako, oda yako",
    quantity: "idadi",
  },
  parcel: {
    numberLabel: `
      nambari ya ufuatiliaji, namba ya ufuatiliaji, nambari ya kufuatilia, nambari ya mzigo, namba ya mzigo,
      namba ya kifurushi, nambari ya kifurushi
    `,
    beforeNumber: "ni",
    nearNumber: "kifurushi, mzigo",
    arrivalLabel: `
      tarehe ya kufika, inatarajiwa kufika, itafika, inatarajiwa, unatarajiwa, kinatarajiwa, kitafika,
      utafika, litafika
    `,
    word: "kifurushi, mzigo, agizo, oda",
    statuses: {
      exception:
        "kimezuiliwa, umezuiliwa, imezuiliwa, haikuweza kuwasilishwa, imechelewa, umechelewa, kimechelewa, ucheleweshaji",
      out_for_delivery: `
        itafika leo, kitafika leo, utafika leo, na dereva, njiani kuletwa leo, kitaletwa leo
      `,
      delivered: `
        imefikishwa, umefikishwa, kimefikishwa, limefikishwa, umewasilishwa, kimewasilishwa, imewasilishwa,
        umefika, kimefika
      `,
      in_transit: "njiani, kiko njiani",
      shipped: `
        imetumwa, umetumwa, kimetumwa, limetumwa, umesafirishwa, imesafirishwa, kimesafirishwa, kimekabidhiwa
      `,
    },
    notYet: "itakapotumwa, itawasilishwa, utawasilishwa, kitawasilishwa, itaf*",
    carrierLabel: "msafirishaji, kampuni ya usafirishaji, mtoa huduma",
  },
  receipt: {
    payment: `
      risiti, ankara, malipo yamepokelewa, tumepokea malipo, malipo yako, umelipa, tulitoza, umetozwa,
      tumepokea, ulilipa, umelipia, mchango wako, imekatwa, yamepokelewa
    `,
    failed: "malipo yameshindwa",
    dateLabel: "tarehe ya malipo, tarehe ya ankara, tarehe ya muamala, tarehe",
    due: "tarehe ya mwisho",
    methodLabel: "njia ya malipo, umelipa kwa",
    cardEnding: "inayoishia na, inayoishia, inayomalizikia na",
    paidWith: "umelipa kwa, imelipwa kwa, kwa kutumia, kupitia, kwa kadi",
    cash: "taslimu, kadi ya mkopo, uhamisho wa benki",
  },
};
