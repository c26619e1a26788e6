import type { Language } from "./language.ts";

/** Serbian, in Cyrillic and Latin letters. */
export const sr: Language = {
  tag: "sr",
  keyWords: "whole",
  code: {
    strong: `
      верификацион*, једнократн*, код за верификацију, код за потврду, код за пријаву, безбедносни код*,
      активациони код*, код за преузимање, verifikacion*, jednokratn*, kod za verifikaciju, kod za potvrdu,
      kod za prijavu, bezbednosni kod*, sigurnosni kod*, pristupni kod*, aktivacioni kod*,
      kod za preuzimanje, pin za preuzimanje, kod za ulaz, kod za preuzimanje porudžbine, код за улаз,
      код за врата, код за капију, код за отварање, код за излаз, код за приступ, приступни код*,
      сигурносни код*, шифра за улаз
    `,
    weak: "код, кода, лозинка, пин, kod, koda, lozinka, лозинку, лозинке, шифра, шифру",
    hint: "потврдите, пријав*, potvrdite, prijav*",
    soft: "налог*, број, nalog*, broj",
    number: `
      поруџбин*, уговор*, позив на број, број пошиљке, тел., износ, укупно, porudžbin*, narudžbin*, ugovor*,
      poziv na broj, broj pošiljke, poštanski broj, pib, tel., šifra proizvoda, bar kod, iznos, ukupno,
      broj računa, šifra artikla, поштански број, матични број, број рачуна, јмбг
    `,
    booking: "резервациј*, rezervacij*",
    coupon: "попуст*, купон*, popust*, kupon*, промо код*, у корпу, позови пријатељ*, снижењ*",
    instruction: `
      унесите, упишите, unesite, ukucajte, upišite, унеси, унети, унесете, укуцај*, откуца*, притисн*,
      покажи*, реците, реци, упиши, уписати, кажите, куцај*, биће вам потреб*, kažite
    `,
    device: `
      тастатур*, пакетомат*, paketomat*, ормарић*, капиј*, kapij*, брав*, интерфон*, сефа, рампа, рампу
    `,
    secret: "не делите, никоме не, не откривајте, не прослеђујте, никада неће тражити, ne delite",
    requested: `
      затражили сте, на ваш захтев, нисте тражили, примили смо захтев, нисте ви, занемарите, zatražili ste,
      zanemarite
    `,
    void: `
      претходни код, стари код, не важи, неважећи, је истекао, prethodni kod, stari kod, ne važi, nevažeći,
      iskorišćen, je istekao, више не важи, поништен*, искоришћен*, стари пин, претходна шифра,
      стара лозинка
    `,
    fresh: "нови код, novi kod, нови пин, нова шифра",
    expiry: "важи, истиче, važi, ističe, важиће, у року од, važiće",
  },
  sentence: {
    money: "динара, dinara",
    leadsTo: "је, je, гласи",
    ledBy: "је, je",
    denies: "није, nije, без, никад, нису",
    prepositions: "за, za",
    units: "секунд*, минут*, сата, сати, дана, sekund*, minut*, sata, sati, dana, kom",
    fillers: "молимо",
  },
  link: {
    proves: `
      потврди, потврдите, активирај*, промени лозинку, potvrdi, potvrdite, aktiviraj*, resetuj*,
      promeni lozinku, прихвати*, одобри*, потврђујем, нова лозинка, нову лозинку, ресетуј*, активација,
      верификуј*, verifikuj*, то сам ја, ја сам, то сам био, то сам била, to sam ja, ja sam, откључај*,
      otključaj*
    `,
    signsIn: "пријави се, пријавите се, prijavi se, prijavite se, улогуј*, uloguj*, за пријаву",
    goesOn: "настави, овде, nastavi, ovde, наставите, кликни*, отвори, даље",
    password: "лозинк*, lozink*",
    account: "налог*, имејл*, nalog*, imejl*",
    otherPurpose: `
      помоћ, приватност*, pomoć, privatnost*, prati pošiljku, попуст*, погледај*, услови, контакт,
      честа питања, плати*, сазнај*, saznaj*
    `,
    refuses: `
      то нисам ја, нисам ја, нисам био, нисам била, нисте тражили, не препознајем, није моје, одбиј*, одбаци*,
      пријави злоуп*, пријави активност*, пријави сумњ*, пријави покушај*, откажи*, отказ*, опозови*,
      блокирај*, закључај*, одјав*, обриши*, уклони*, сумњив*, to nisam ja, nisam ja, nisam bio, nisam bila,
      niste tražili, ne prepoznajem, odbij*, odbaci*, otkaži*, blokiraj*, odjav*, obriši*, ukloni*, sumnjiv*,
      забрани*, повуци*, ускрат*, спречи*, не дозвољ*, непознат*, zabrani*, povuci*, uskrat*, spreči*,
      заустави*, прекини*
    `,
    negates: "не, није, нисам, нисте, ne, nije, nisam, ништа, нико, неко други",
    agrees: "да, da",
  },
  quoting: {
    wrote: "написао, написала, написао/ла, napisao, napisala, napisao/la",
    from: "од, шаље, od, šalje",
    sent: "послато, датум, poslato, datum",
    foldedStart: "дана, dana",
    forwarded: "прослеђена порука, prosleđena poruka",
  },
  subject: {
    invitation: "потврд*, подсет*, ваш*, potvrd*, podset*",
  },
  signature: {
    closings: "срдачан поздрав, srdačan pozdrav, pozdrav",
  },
  dates: {
    months: [
      "јануара, januara",
      "фебруара, februara",
      "марта, marta",
      "априла, aprila",
      "маја, maja",
      "јуна, juna",
      "јула, jula",
      "августа, avgusta",
      "септембра, septembra",
      "октобра, oktobra",
      "новембра, novembra",
      "децембра, decembra",
    ],
    oClock: "часова, часа, сати, časova, časa, sati",
    untilTime: "до, do",
    morning: "ујутру, ujutru",
    afternoon: "поподне, по подне, увече, popodne, uveče",
    deadline: "до, најкасније, пре, do, najkasnije, pre",
  },
  appointment: {
    when: "када, термин, датум, kada, termin, datum, дан, dan, почетак",
    time: "време, vreme",
    where: "где, место, gde, mesto, adresa, адреса, адреси, адресу, локација, adresi, lokacija",
    word: "термин*, резерв*, rezerv*, заказан, заказивањ*, zakazan, zakazivanj*",
    title: "услуга, преглед, третман, usluga, pregled, tretman",
  },
  money: {
    grandTotal: "за плаћање, укупан износ, плаћено, za plaćanje, ukupan iznos, plaćeno",
    total: "укупно, износ, ukupno, iznos",
    partial: "попуст, испорука, пдв, popust, isporuka, dostava, pdv, међузбир",
    currencies: {
      RSD: "динара, дин, dinara, din.",
    },
  },
  order: {
    numberLabel: "број поруџбине, broj porudžbine, broj narudžbine",
    word: "поруџбин*, porudžbin*, narudžbin*",
    quantity: "количина, količina, kom",
  },
  parcel: {
    numberLabel: `
      број пошиљке, broj pošiljke, број за праћење, broj za praćenje, тракинг број, kod za praćenje
    `,
    nearNumber: "пошиљк*, pošiljk*",
    arrivalLabel: `
      датум испоруке, очекивана испорука, datum isporuke, očekivana isporuka, очекивани датум, испорука,
      očekivani datum, isporuka, očekivana dostava, датум доставе, стиже, stiže
    `,
    word: "пошиљк*, pošiljk*, porudžbin*, поруџбин*, paket*, пакет*",
    statuses: {
      exception: "није успела, nije uspela, касни, kasni, кашњењ*, kašnjenj*, није могуће",
      out_for_delivery: `
        код курира, kod kurira, на испоруци, na isporuci, у достави, u dostavi, стиже данас, stiže danas
      `,
      delivered: `
        испоручен, испоручена, isporučen, isporučena, уручен*, uručen*, достављен*, dostavljen*, испоручено
      `,
      in_transit: "на путу, na putu, путује, putuje",
      shipped: "послата, послат, poslata, poslat, predata kuriru, предата куриру, poslali, послали",
    },
    notYet: "биће, biće, ће, će",
    carrierLabel: "курир, превозник, курирска служба, kurir, kurirska služba, prevoznik",
  },
  receipt: {
    payment: `
      рачун, потврда о уплати, плаћено, račun, potvrda o uplati, plaćeno, примили смо, primili smo,
      платили сте, platili ste, уплата, uplata, донациј*, donacij*
    `,
    failed: "одбијен*, odbijen*",
    dateLabel: "датум плаћања, datum plaćanja, datum računa",
    due: "рок плаћања, rok plaćanja",
    methodLabel: "начин плаћања, način plaćanja",
    cardEnding: "се завршава на, se završava na, завршава на, завршава са, završava sa",
    paidWith: "картицом, karticom, путем, putem, преко, preko",
    cash: "готовина, поузећем, gotovina, pouzećem, uplatnica",
    merchantLabel: "продавац",
  },
};
