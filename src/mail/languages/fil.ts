import type { Language } from "./language.ts";

/** Filipino. Its mails take half their words from English, which are read there. */
export const fil: Language = {
  tag: "fil",
  keyWords: "whole",
  code: {
    strong: `
      code sa pag-verify, code ng beripikasyon, code sa pagpapatunay, code sa pagkumpirma,
      code ng kumpirmasyon, code sa seguridad, code ng seguridad, code sa pag-log in, code sa pag-activate,
      isang beses na code, one-time na code, one-time na password, code sa pagkuha, code sa pag-pickup,
      code sa paghahatid, code ng locker, code ng pinto, code sa pagpasok, pin sa pagkuha,
      code sa pag-reset, code ng gate, code sa pagpaparehistro, code sa gate, code sa pinto,
      code para sa pinto, code ng device, code sa locker, code para sa gate, pansamantalang code
    `,
    weak: "kodigo, code mo, mpin, pin mo, password mo, code na ito, code ninyo",
    hint: "i-verify, ma-verify, kumpirmahin, makumpirma, mag-log in, mag-sign in, mag-login, patunayan",
    soft: "telepono, numero",
    number: `
      numero ng order, order mo, resibo, numero ng resibo, numero ng account, numero ng customer,
      numero ng telepono, numero ng tracking, numero ng tiket, numero ng transaksyon, numero ng sanggunian,
      halaga, kabuuan, tumawag, tawagan, nagtatapos sa, numero ng kontrata, numero ng metro,
      numero ng plaka, numero ng kaso
    `,
    booking: "reserbasyon",
    coupon: "diskwento, libreng shipping, i-refer, makatipid, imbitahan ang kaibigan",
    instruction: `
      ilagay, gamitin, i-type, ipasok, ipakita, i-dial, sabihin, pindutin, i-tap, ilalagay, gagamitin,
      ipapakita, isulat, itipa, ibigay, banggitin, i-enter, i-encode, i-input, i-press, pakilagay, pakisabi,
      pakipakita, kakailanganin
    `,
    device: `
      sa pinto, ang pinto, ng pinto, pintuan, kandado, tarangkahan, harang, telebisyon, pindutan, patlang
    `,
    secret: `
      huwag ibahagi, huwag i-share, wag i-share, huwag ibigay, huwag sabihin, hindi kailanman, wag ibigay
    `,
    requested: "hiniling mo, nag-request ka, hindi mo hiniling, hindi ikaw, balewalain, huwag pansinin",
    void: `
      lumang code, naunang code, dating code, hindi na valid, hindi na gagana, pinapalitan, nagamit na,
      nag-expire na, expired na, hindi na gumagana, ginamit na, hindi na magagamit, kanselado,
      wala nang bisa, pinalitan
    `,
    fresh: "bagong code, pinakabagong code, bagong pin, bagong password, mula ngayon, napalitan ng",
    expiry: `
      valid sa loob, valid hanggang, mag-e-expire, isang beses lang, sa loob ng, ang bisa, may bisa,
      valid lang, mag-expire
    `,
    meeting: "sumali sa meeting, sumali sa zoom",
  },
  sentence: {
    leadsTo: "ay, ang, ito",
    ledBy: "ang, ay",
    denies: "hindi, walang, huwag, wala",
    fillers: "po, ang",
    units: "minuto, oras, araw, tao, puntos, piso",
  },
  link: {
    proves: `
      i-verify, kumpirmahin, i-activate, i-reset, tanggapin ang imbitasyon, palitan ang password, sumali,
      i-approve, tanggapin, aprubahan, payagan, i-confirm, i-accept, bagong password, ako ito, ako nga,
      ako iyon, i-unlock, i-unblock
    `,
    signsIn: "mag-log in, mag-login, mag-sign in, pumasok, makapasok",
    goesOn: "magpatuloy, mag-click dito, i-click dito, dito, i-click, i-tap, ituloy, buksan, pindutin",
    otherPurpose: "tulong, patakaran, tingnan, alamin, basahin, mga tanong, i-download, paano, i-track",
    refuses: `
      hindi ako, hindi ikaw, hindi mo hiniling, hindi ko hiniling, hindi ko kilala, hindi sa akin, tanggihan,
      tumanggi, i-report, iulat, i-cancel, kanselahin, ikansela, bawiin, i-block, harangan, i-lock,
      mag-unsubscribe, tanggalin, burahin, alisin, kahina-hinala, mag-log out, i-decline, i-deny, itanggi,
      itigil, pigilan, huwag payagan, bawalan, itatwa, hindi kilala
    `,
    negates: "hindi, huwag, wala, ibang tao",
    agrees: "oo, opo",
  },
  quoting: { from: "mula kay, mula sa", sent: "ipinadala" },
  subject: { invitation: "imbitasyon, paalala, kumpirma*" },
  dates: {
    dayToMonth: "ng",
    untilDay: "hanggang",
    untilTime: "hanggang",
    morning: "ng umaga",
    afternoon: "ng hapon, ng gabi, ng tanghali",
    deadline: "hanggang, bago",
  },
  appointment: {
    when: "kailan, petsa at oras, petsa, araw",
    time: "oras",
    where: "saan, lugar, lokasyon, tirahan",
    word: "iskedyul*",
    title: "para sa, serbisyo, paksa, layunin",
  },
  money: {
    grandTotal: "kabuuang halaga, kabuuang bayad, kabuuang babayaran",
    total: "kabuuan, halaga",
    partial: "diskwento, buwis",
    currencies: { PHP: "piso" },
  },
  order: {
    numberLabel: "numero ng order, numero ng iyong order",
    quantity: "dami, bilang",
  },
  parcel: {
    numberLabel: "numero ng tracking, tracking number, tracking no.",
    beforeNumber: "ay",
    nearNumber: "padala, pakete",
    arrivalLabel: `
      inaasahang pagdating, inaasahang paghahatid, petsa ng paghahatid, darating sa, inaasahan, darating,
      makakarating
    `,
    word: "padala, pakete, iyong parcel, iyong order, order mo",
    statuses: {
      exception: "hindi naihatid, hindi maihatid, naantala, pagkaantala, hindi natuloy",
      out_for_delivery: `
        ihahatid ngayon, darating ngayon, dala na ng rider, nasa rider na, ihahatid na ngayon,
        darating na ngayon
      `,
      delivered: "naihatid na, na-deliver na, naihatid, nakarating na, natanggap na",
      in_transit: "papunta na, nasa biyahe",
      shipped: "naipadala na, ipinadala na, na-ship na, naipadala, ipinasa na sa",
    },
    notYet: "kapag naipadala, ihahatid sa",
    carrierLabel: "courier, tagahatid",
  },
  receipt: {
    payment: `
      resibo, natanggap namin ang iyong bayad, iyong bayad, iyong pagbili, binayaran, na-charge,
      natanggap namin, nagbayad ka, binayad mo, donasyon
    `,
    failed: "nabigo ang pagbabayad, hindi naproseso",
    dateLabel: "petsa ng pagbabayad, petsa ng transaksyon, petsa",
    due: "dapat bayaran",
    methodLabel: "paraan ng pagbabayad, binayaran gamit",
    cardEnding: "nagtatapos sa, na may huling apat na numero",
    paidWith: "binayaran gamit, gamit ang, sa pamamagitan ng, via",
  },
};
