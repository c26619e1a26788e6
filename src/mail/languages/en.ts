import type { Language } from "./language.ts";

/** English. */
export const en: Language = {
  tag: "en",
  keyWords: "whole",
  code: {
    strong: `
      verification code, verification codes, verify code, verification pin, verification number,
      security code, authentication code, authenticator code, auth code, authorization code,
      authorisation code, login code, log-in code, log in code, login pin, logon code, sign-in code,
      sign in code, signin code, sign-up code, sign up code, signup code, one-time code, one time code,
      one-time password, one time password, one-time passcode, one time passcode, one-time pin,
      one time pin, single-use code, otp, otp code, otc, totp, 2fa code, 2fa token, two-factor code,
      two-factor authentication code, two-step verification code, mfa code, activation code,
      validation code, temporary code, temporary login code, device code, magic code, email code,
      registration code, reset code, password reset code, recovery pin, identification code,
      invite passcode, pickup code, pick-up code, pick up code, pickup pin, pick-up pin, collection code,
      collection pin, delivery code, delivery pin, locker code, locker pin, door code, door pin, entry code,
      entry pin, gate code, keypad code, parking code, parking pin, pairing code, entrance code,
      linking code, guest code, sms code, guest pin, setup code, check-in code, unlock code, kiosk code,
      signing code, lockbox code, key safe code
    `,
    confirmation: "confirmation code, confirm code, confirmation pin",
    passcode: "passcode, pass code, temporary passcode, access code",
    weak: "code, pin, pin code, token, password, codes, pins, passcodes, combination",
    hint: `
      verify, verification, verifying, confirm, sign in, sign-in, signing in, log in, login, log-in,
      logging in, sign up, signing up, authenticate, authentication, two-factor, two-step, 2fa, enter this,
      enter the following, prove it's you, it's you
    `,
    soft: "account, phone, number, card, id, user, member, device, mobile, email",
    number: `
      order, order number, order no., order id, order code, purchase order, po, invoice, invoice number,
      invoice no., bill, bill number, receipt, receipt number, ticket, ticket number, ticket id, case,
      case number, case id, tracking, tracking number, tracking code, tracking id, shipment, parcel,
      account number, account no., account id, acct, acct., customer number, customer id, client id,
      client number, member id, membership number, member number, user id, userid, employee id, reference,
      reference number, reference code, reference id, ref, ref., ref no., no., nr., nr, serial,
      serial number, serial no., model, model number, version, build, release, phone number, telephone, tel,
      tel., mobile number, cell, call, call us, fax, hotline, text, zip, zip code, zipcode, postal code,
      postcode, post code, area code, country code, dial code, dialing code, error code, error, status code,
      exit code, response code, source code, source, qr code, bar code, barcode, color, color code, colour,
      colour code, hex, background, dress code, tax code, tax id, vat, vat number, iban, swift code, bic,
      sort code, routing number, product code, item code, sku, item, part number, policy number, policy,
      claim number, contract, contract number, room, suite, po box, p.o. box, box, floor, apt, apt., unit,
      page, port, rfc, iso, isbn, issn, pull request, issue, commit, since, year, copyright, ending in,
      ends in, ending with, ends with, last four, last four digits, last 4 digits, card number, card ending,
      transaction, transaction id, transaction number, transfer, payment id, payment, balance, total,
      subtotal, amount, price, short code, backup code, backup codes, recovery code, recovery codes,
      gift card, batch, lot, ip, ip address, ext., extension, company number, registration number,
      registered number, licence number, license number, license key, patient id, student id, message id,
      request id, session id, job id, class code, course code, room code, module code, subject code,
      store code, branch code, agent code, stock code, style code, project code, batch code, plu code,
      hs code, commodity code, naics code, diagnosis code, plan code, group code, game code, terminal code,
      station code, airport code, city code, state code, unit code, building code, colour number, docket,
      folio, donation id, incident, article, meter number, meter, customer no., member no., policy no.,
      case no.
    `,
    booking: `
      confirmation:, confirmation #, booking, booking number, booking code, booking reference, booking id,
      reservation, reservation number, reservation code, itinerary, flight, flight number, record locator,
      pnr, confirmation number, confirmation no., check-in, boarding pass, e-ticket, booking ref,
      booking ref.
    `,
    meeting: `
      meeting id, meeting number, meeting code, webinar id, conference id, conference code, dial-in,
      dial in, join zoom meeting, join meeting, join the meeting, participant code, host key, join by phone,
      join with google meet, join the call, video call link, conference call, dial by your location,
      meeting passcode, meeting password, conference pin
    `,
    coupon: `
      promo, promo code, promotion code, promotional code, coupon, coupon code, discount, discount code,
      voucher, voucher code, gift code, referral code, referral, offer code, checkout, at checkout, % off,
      sale, invite code, invitation code, redeem, free shipping, off your first, off your next,
      off your order, percent off
    `,
    instruction: `
      enter, type, type in, use, input, key in, copy, paste, submit, fill in, punch in, press, dial, punch,
      quote, read out, put in, pop in, tell the, show the, show this, tap in, when asked, you'll need,
      you will need, set the dials, give the, say the, hand over
    `,
    device: `
      keypad, screen, the display, terminal, kiosk, locker, padlock, lock, lockbox, key safe, door, gate,
      barrier, turnstile, intercom, remote control, the remote, tv, field, hash key
    `,
    secret: "not share, don't share, don’t share, never share, it to yourself, never ask, with anyone",
    requested: `
      you requested, you asked, not request, didn't request, didn’t request, didn't ask, not you,
      wasn't you, wasn’t you, ignore this
    `,
    void: `
      previous code, old code, earlier code, no longer valid, not valid any more, not valid anymore,
      is void, replaces, replaced by, superseded, has been used, was used, has already been used,
      has expired, no longer works, stopped working, does not work any more, expired, old one, previous one,
      earlier one
    `,
    fresh: `
      new code, new pin, newest code, latest code, replacement code, new one is, use this one, changed to
    `,
    expiry: `
      valid for, valid until, is valid, expires in, expires at, expires on, expires, will expire,
      usable once, can be used once, can only be used once, within the next, good for, works until,
      valid till
    `,
  },
  sentence: {
    leadsTo: "is, are, as, is now, use, enter, below, following",
    ledBy: "is, to, as",
    denies: "not, no longer, isn't, isn’t, their, never, without, wasn't, wasn’t, rather than",
    fillers: "please, just, simply, here",
    prepositions: "for, to, at, from",
    units: `
      sec, secs, second, seconds, min, mins, minute, minutes, hr, hrs, hour, hours, day, days, week, weeks,
      month, months, year, years, am, pm, point, points, miles, user, users, customer, customers, member,
      members, people, item, items, file, files, commit, commits, view, views, follower, followers,
      subscribers, companies, stars, reviews, times, reward points
    `,
    money: "euro, euros, dollar, dollars, rupees, rubles, yuan, yen",
  },
  link: {
    proves: `
      verify, verify email, verify your, verification link, verifying, confirm your, confirm my,
      confirm email, confirm account, confirm subscription, confirm registration, confirm address,
      confirmation link, activate, activate account, activation link, reset password, reset your password,
      reset my password, change your password, change password, set password, set a new password,
      set your password, create a password, password reset, choose a new password, magic link, secure link,
      sign-in link, sign in link, login link, log-in link, validate, finish signing up, complete registration,
      complete your registration, complete sign up, complete signup, accept invitation, accept invite, yes,
      it's me, confirm e-mail, restore access, confirm the, accept the invitation, confirm it,
      accept your invitation, confirm new, join the team, it was me, this was me, that was me,
      trust this device, allow access, approve sign-in, approve login, unlock, confirm this, confirm device
    `,
    signsIn: `
      sign in, sign-in, signin, log in, log-in, login, log me in, sign me in, let me in, signing in,
      logging in, authenticate, authorize, reset, log on, sign on
    `,
    goesOn: `
      continue, confirm, get started, start now, let's go, approve, proceed, open app, click here, open,
      here
    `,
    password: "password, passwords",
    account: `
      account, email, e-mail, email address, address, registration, subscription, sign-up, signup,
      invitation, invited you
    `,
    otherPurpose: `
      manage preferences, preferences, email settings, notification settings, update your profile, privacy,
      privacy policy, terms, terms of service, terms of use, legal, help, help center, help centre, support,
      contact, contact us, faq, learn more, read more, view in browser, view online, view this email,
      web version, blog, careers, download the app, app store, google play, facebook, twitter, instagram,
      linkedin, youtube, tiktok, pinterest, didn’t request, secure your account, refer a friend, about us,
      confirm attendance, view bill, feedback, download, confirm your attendance, view statement, shop,
      confirm my attendance, view ticket, shop now, confirm your appointment, track
    `,
    refuses: `
      unsubscribe, opt out, opt-out, optout, not you, wasn't you, wasnt you, were not you, was not you,
      weren't you, isn't you, not me, wasn't me, wasnt me, was not me, isn't me, this wasn't, if this wasn't,
      it wasn't, did not request, didn't request, don't recognize, don't recognise, do not recognize,
      do not recognise, didn't sign, didn't create, didn't make, didn't do, didn't ask, didn't try, not my,
      never requested, cancel, cancel this, cancels, cancellation, canceling, cancelling, deny, denied,
      decline, declining, reject, rejecting, refuse, report, report this, report abuse, reporting, revoke,
      block, dispute, disavow, abort, withdraw, suspicious, fraud, fraudulent, unauthorized, unauthorised,
      unfamiliar, stop, disable, deactivate, delete my account, delete account, remove, undo, discard,
      dismiss, disallow, lock my account, lock account, freeze, terminate, log out, sign out, sign me out,
      log me out, take me off, stranger, wrong person, not allow, do not allow, don't allow, undo this,
      prevent, ignore this request, lock it, lock down, lock my, turn down, get me out, leave me out, pass on,
      stop this, opt me out, delete this, delete my, delete the, erase, no idea, kick
    `,
    negates: `
      no, not, don't, didn't, wasn't, isn't, doesn't, weren't, won't, cannot, can't, didnt, never, nope,
      nothing, nobody, neither, nor, someone else, somebody else
    `,
    agrees: "yes",
    provesInPath: `
      verif, verify, verification, verifies, verified, verifymail, verifyemail, confirm, confirmation,
      confirmations, confirmemail, activate, activation, magic, magiclink, passwordless, reset,
      resetpassword, password, passwords, passwordreset, setpassword, otp, one-time, one_time, onetime,
      validate, validation, optin, opt-in, opt_in, accept-invite, accept_invite, action-token, action_token
    `,
    otherPath: `
      unsubscribe, unsub, opt-out, opt_out, optout, preferences, privacy, terms, tos, legal, help, support,
      faq, contact, blog, careers, about, policies, policy, webversion, view-in-browser, view_in_browser,
      viewinbrowser, pixel, beacon, report-abuse, report_abuse, reportabuse, not-me, not_me, notme, cancel
    `,
  },
  quoting: {
    wrote: "wrote, writes",
    originalMessage: "original message, original, original appointment",
    from: "from",
    sent: "sent, date",
    foldedStart: "on, at, from",
    forwarded: "begin forwarded message, forwarded message",
  },
  subject: {
    reply: "re",
    forward: "fw, fwd",
    strippedReply: "re",
    strippedForward: "fw, fwd",
    automatic: "automatic reply, auto-reply, autoreply, auto reply, out of office",
    invitation: `
      invitation, updated invitation, invite, reminder, confirmed, confirmation, appointment confirmation,
      remind*, confirm*
    `,
  },
  signature: {
    closings: `
      best, best regards, kind regards, warm regards, regards, best wishes, many thanks, thanks, thank you,
      thanks a lot, thanks again, cheers, sincerely, yours sincerely, yours faithfully, yours truly,
      all the best, with kind regards, thanks and regards, talk soon, take care
    `,
    footers: [
      "sent (?:from|with|via|using) (?:my |the )?(?:iphone|ipad|android|samsung|galaxy|mobile|phone|blackberry|huawei|xiaomi|outlook|yahoo|proton ?mail|gmail|mail for|windows|superhuman|spark|tablet|smartphone).*",
      "sent from .{0,40}mobile.*",
      "get outlook for .*",
    ],
  },
  localParts: {
    unread: `
      noreply, donotreply, dontreply, noresponse, notification, notifications, notify, alert, alerts,
      automated
    `,
    sendsCodes: `
      no-reply, noreply, do-not-reply, donot-reply, do-notreply, donotreply, not-reply, notreply, verify,
      verification, security, secure, account, accounts, auth, login, signin, otp, code, codes, 2fa,
      identity, password, passwords, notify, notification, notifications, alert, alerts
    `,
  },
  dates: {
    ordinals: "st, nd, rd, th",
    dayToMonth: "of",
    untilDay: "to, and",
    untilTime: "to",
    deadline: "until, till, by, before, through, no later than",
  },
  appointment: {
    when: `
      when, date and time, date & time, date/time, event date, appointment, meeting time, scheduled for,
      starts, start, date, time, takes place on
    `,
    time: "time",
    where: "where, location, venue, place, address, room, meeting point",
    title: `
      what, event, topic, subject, title, meeting, agenda, service, treatment, procedure, appointment type,
      type of appointment, reason, reason for visit, regarding, visit type, session, workshop, class, course
    `,
    word: "appointment*, booking*, booked, reserv*, schedul*",
  },
  money: {
    grandTotal: `
      grand total, order total, total amount, amount paid, total paid, amount charged, total charged,
      amount due, total due, invoice total, you paid, payment amount, charged amount, total price,
      balance due
    `,
    total: "total, amount, charged",
    partial: `
      subtotal, sub-total, sub total, savings, saved, discount, items total, net, tax, vat, gst, before tax,
      shipping, delivery, tip, points, balance, limit, donation, total items, total weight, refund, fare,
      deposit
    `,
    currencies: {
      EUR: "euro, euros",
    },
  },
  order: {
    numberLabel: `
      order number, order no., order no, order id, order reference, order ref, order nr, order code,
      your order #, order #, purchase order
    `,
    word: "order, purchase",
    quantity: "qty, quantity",
  },
  parcel: {
    numberLabel: `
      tracking number, parcel no., package id, tracking no., tracking no, tracking #, tracking id,
      tracking code, tracking, track number, shipment number, consignment number, parcel number,
      waybill number, waybill, awb number, awb no., awb, parcel id, shipment id, tracking reference
    `,
    beforeNumber: "number, is",
    nearNumber: `
      track, tracking, package, parcel, shipment, shipped, delivery, deliver, carrier, courier, mail
    `,
    arrivalLabel: `
      estimated delivery, expected delivery, scheduled delivery, delivery date, estimated arrival, arriving,
      arrives, expected by, expected on, delivery by, will arrive, eta, due to arrive, to be delivered on,
      will be delivered on, delivery on, be with you on, be with you by, expected to arrive, should arrive
    `,
    word: "package, parcel, shipment, delivery, tracking, order",
    statuses: {
      exception: `
        could not be delivered, couldn't be delivered, couldn't deliver, could not deliver,
        unable to deliver, delivery attempt, delivery exception, is delayed, has been delayed,
        delivery delayed, was returned to sender, missed delivery, held up, delayed
      `,
      out_for_delivery: `
        out for delivery, arriving today, will be delivered today, with the courier, out with our driver,
        on the van
      `,
      delivered: `
        has been delivered, was delivered, were delivered, is delivered, delivered:, delivered to,
        package delivered, parcel delivered, order delivered, delivered
      `,
      in_transit: "in transit, on its way, on the way, en route, on the move, moving through",
      shipped: `
        has shipped, have shipped, was shipped, shipped, has been shipped, dispatched, left our warehouse,
        handed over to, left our, handed to
      `,
    },
    notYet: `
      will be delivered, will be shipped, to be delivered, once it ships, when it ships, once shipped,
      as soon as, we will email you when, when your order ships, before it ships, not yet shipped,
      ready to ship, will ship, will be dispatched, hasn't shipped, will
    `,
    carrierLabel: `
      carrier, courier, shipped via, shipped with, delivered by, delivery partner, delivery company
    `,
  },
  receipt: {
    payment: `
      receipt, invoice, payment received, payment confirmation, we received your payment, you paid,
      thank you for your payment, amount paid, you've been charged, has been charged, was charged, we charged,
      billing statement, your bill, order confirmation, purchase confirmation, we received, have received,
      paid in cash, was debited, your payment, your purchase, your donation, payment of
    `,
    failed: `
      payment failed, could not charge, couldn't charge, was declined, has been declined, payment declined,
      unable to process, unsuccessful, could not be processed, couldn't process, payment was not,
      approve your, approve this, authorize this, quote, estimate
    `,
    dateLabel: `
      date paid, payment date, invoice date, receipt date, transaction date, order date, paid on, billed on,
      date of issue, issue date, date of payment, purchase date, date issued, charged on, date
    `,
    due: "due date, due, next, renews",
    merchantLabel: "merchant, seller, paid to, payment to, sold by",
    methodLabel: `
      payment method, paid with, paid via, paid by, paid using, payment type, charged to, payment source,
      paid from, method of payment, pay method, card
    `,
    cardEnding: "ending, ending in, ending with, ends in, last four digits, last 4 digits",
    paidWith: "paid with, paid by, paid using, using, with your, charged to your, from your, via",
    cash: `
      cash, credit card, debit card, bank transfer, wire transfer, direct debit, cash on delivery,
      gift card, store credit, invoice, check, cheque
    `,
  },
  organisation: {
    roles: `
      order, orders, order confirmation, order confirmations, billing, receipt, receipts, invoice, invoices,
      notification, notifications, notice, notices, no-reply, noreply, support, customer service,
      customer care, service, team, payments, shipping, mailer
    `,
    onlyRoles: `
      order, orders, billing, receipt, receipts, invoice, invoices, notification, notifications, no-reply,
      noreply, do not reply, support, info, sales, shop, service, customer service, payment, payments,
      account, accounts, mailer, admin, team
    `,
    via: "via",
  },
  recognisedBy: ["the, your, you, order, date, and"],
};
