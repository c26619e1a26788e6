import type { Language } from "./language.ts";

/** Spanish. */
export const es: Language = {
  tag: "es",
  keyWords: "whole",
  code: {
    strong: `
      código de verificación, código de seguridad, código de autenticación, código de un solo uso,
      código de uso único, código de inicio de sesión, código de activación, código temporal,
      código de validación, clave de un solo uso, contraseña de un solo uso, clave dinámica, clave temporal,
      código de recogida, código de retiro, código de entrega, código de apertura, código de la taquilla,
      código del casillero, código de la puerta, código de entrada, código pin de recogida, pin de recogida,
      pin de entrega, clave de retiro, código de registro, código de invitado, código de identificación,
      código de check-in, código de vinculación, código de carga, código de emparejamiento,
      código de votación, código de desbloqueo, código de impresión, código de dispositivo
    `,
    confirmation: "código de confirmación",
    passcode: "código de acceso, clave de acceso, contraseña",
    weak: "código, clave, códigos, claves, número secreto, combinación",
    hint: `
      verificar, verifica, verificación, confirmar, confirma, iniciar sesión, inicia sesión,
      inicio de sesión, autenticación, desbloquear
    `,
    soft: "cuenta, teléfono, tarjeta, número",
    number: `
      pedido, número de pedido, orden, factura, número de factura, recibo, ticket, billete, seguimiento,
      número de seguimiento, código de seguimiento, número de cuenta, número de cliente, referencia,
      número de referencia, código postal, c.p., tel., móvil, llame al, llama al, importe, año,
      código de error, código de barras, código qr, terminada en, termina en, núm., código de producto,
      código de cliente, código de artículo, código de país, código fuente, código swift, código del curso,
      artículo, expediente, incidencia, número de contrato, contrato, póliza, número de póliza, siniestro,
      número de socio, número de expediente
    `,
    booking: `
      reserva, número de reserva, código de reserva, localizador, vuelo, código de la reserva,
      referencia de reserva
    `,
    meeting: "id de reunión, id de la reunión, código de reunión, número de reunión",
    coupon: `
      código promocional, código de descuento, cupón, descuento, código de cupón, código de invitación,
      código de referido, código amigo, código de amigo
    `,
    instruction: `
      introduce, introduzca, introducir, ingresa, ingrese, ingresar, escribe, escriba, usa, use, utiliza,
      utilice, teclea, teclee, copia, copie, pon, ponga, indica, indique, digita, digite, inserta,
      introduciendo, ingresando, marque, marca el, pulsa, pulse, presiona, presione, muestra, muestre, dile,
      dígale, dicta, dicte, marcar, mostrar, diga, gira, necesitarás, necesitará
    `,
    device: `
      teclado, pantalla, casillero, taquilla, puerta, portón, cerradura, candado, caja de llaves,
      caja fuerte, barrera, portero automático, el mando, control remoto, televisor, tele, campo, casilla,
      almohadilla, botón verde
    `,
    secret: `
      no lo compart*, no compartas, no comparta, con nadie, a nadie, nunca te ped*, nunca le ped*,
      nunca te lo
    `,
    requested: `
      solicitaste, has solicitado, has pedido, pediste, no solicit*, si no fuiste, si no fue usted,
      si no has sido, no reconoce*, ignora este, ignore este
    `,
    void: `
      código anterior, códigos anteriores, código previo, código viejo, clave anterior, ya no es válido,
      ya no es válida, ya no son válidos, ya no sirve, reemplaza, sustituye, ha caducado, ha expirado,
      ha sido utilizado, ya fue utilizado, ya se utilizó, ya no funciona, ya no vale, dejó de, el anterior,
      el viejo, anulado
    `,
    fresh: `
      nuevo código, código nuevo, nueva clave, nuevo pin, último código, código más reciente, el nuevo es,
      en su lugar
    `,
    expiry: `
      válido por, válido durante, válido hasta, es válido, válida por, válida durante, vence en, vence el,
      caduca, caducará, expira, expirará, una sola vez, un solo uso, sirve hasta, vigencia
    `,
  },
  sentence: {
    leadsTo: "es",
    ledBy: "es, para",
    denies: "sin, nunca, ningún",
    fillers: "por favor, aquí",
    prepositions: "de, para, por",
    units: "minuto, minutos, segundo, segundos, hora, horas, día, días",
    money: "dólares, pesos",
  },
  link: {
    proves: `
      verificar, verifica tu, verificar mi, confirmar, confirma tu, confirmar correo, activar, activa tu,
      restablecer, restablece tu, restablecer contraseña, cambiar contraseña, enlace mágico,
      enlace de verificación, aceptar, aprobar, acepta la invitación, permitir, verifique su, fui yo, unirme,
      sí fui yo, era yo, soy yo, he sido yo, desbloquear
    `,
    signsIn: "iniciar sesión, inicia sesión, acceder, ingresar",
    goesOn: "continuar, empezar, comenzar, haz clic aquí, aquí",
    password: "contraseña, clave",
    account: "cuenta, correo, registro, suscripción, correo electrónico, dirección",
    otherPurpose: `
      política de privacidad, ayuda, soporte, contacto, ver en el navegador, confirmar asistencia, términos,
      opinión, confirma tu asistencia, condiciones, ver pedido, comprar, confirmar mi asistencia,
      más información, ver mi pedido, compra ahora, rastrear
    `,
    refuses: `
      no fui yo, yo no fui, no era yo, no soy yo, no he sido yo, no has sido tú, no fuiste tú, no fue usted,
      no es mío, no es mía, no es mi, no reconozco, no lo reconozco, no la reconozco, no solicité,
      no lo solicité, no he solicitado, no lo he solicitado, no he pedido, no lo pedí, rechazar, rechaza,
      rechazo, rechace, denegar, deniega, denegado, denunciar, denuncia, denuncie, reportar, reporta, reporte,
      informar de, avisar de, cancelar, cancela, cancele, cancelación, cancelar suscripción, anular, anula,
      anule, revocar, revoca, bloquear, bloquea, bloquee, impugnar, disputar, darse de baja, darme de baja,
      date de baja, dar de baja, desuscrib*, sospechos*, cerrar sesión, eliminar, borrar, desactivar,
      descartar, impedir, retirar, quitarme, negar, niego, desconozco, no permitir, no autorizar,
      no confirmar, evitar, detener, parar, frenar
    `,
    negates: `
      nunca, jamás, ningún, tampoco, no he, no fui, no soy, no era, no lo, no la, no es, no fue, no hice,
      no quiero, no intenté, yo no, no me, no reconozco, no solicité, no pedí, nada, nadie, otra persona
    `,
    agrees: "sí",
    provesInPath: "verificar, confirmar, contrasena, confirmacion, activar",
  },
  quoting: {
    wrote: "escribió",
    originalMessage: "mensaje original",
    from: "de",
    sent: "enviado, enviado el, fecha",
    foldedStart: "el",
    forwarded: "mensaje reenviado, inicio del mensaje reenviado",
  },
  subject: {
    forward: "rv",
    strippedForward: "rv",
    automatic: "respuesta automática",
    invitation: "invitación, recordatorio, recordatorio*, confirma*",
  },
  signature: {
    closings: `
      saludos, un saludo, saludos cordiales, un cordial saludo, atentamente, gracias, muchas gracias,
      un abrazo, cordialmente, quedo atento, quedo atenta
    `,
    footers: ["obt(?:ener|én) outlook para .*", "enviado (?:desde|con) (?:mi )?.{1,40}"],
  },
  localParts: {
    unread: "noresponder",
  },
  dates: {
    dayToMonth: "de",
    monthToYear: "de, del",
    untilDay: "al, a",
    untilTime: "a",
    morning: "de la mañana",
    afternoon: "de la tarde, de la noche",
    deadline: "hasta, hasta el, antes del",
  },
  appointment: {
    when: "cuándo, fecha y hora, cita, fecha, inicio, día",
    time: "hora",
    where: "dónde, lugar, ubicación, dirección, domicilio, sede",
    title: `
      asunto, evento, tema, servicio, cita, motivo, tratamiento, consulta, trámite, estudio, clase, sesión
    `,
    word: "cita, citas, turno, reserva*, agendad*",
  },
  money: {
    grandTotal: `
      importe total, total a pagar, total pagado, importe pagado, total del pedido, monto total,
      importe cobrado
    `,
    total: "importe, monto, total",
    partial: "descuento, iva, base imponible, envío, ahorro, gastos de envío, propina",
  },
  order: {
    numberLabel: `
      número de pedido, n.º de pedido, nº de pedido, n° de pedido, núm. de pedido, pedido n.º, pedido nº,
      pedido n°, pedido #, número de orden, pedido número, orden #, orden n.º
    `,
    word: "pedido, compra, tu orden, su orden, orden de compra",
    quantity: "cantidad, cant",
  },
  parcel: {
    numberLabel: `
      número de seguimiento, nº de seguimiento, n.º de seguimiento, número de envío, código de seguimiento,
      número de guía, localizador, guía, rastreo, número de rastreo, código de rastreo, número de expedición
    `,
    nearNumber: "envío, seguimiento, paquete",
    arrivalLabel: `
      entrega estimada, entrega prevista, fecha de entrega, llegada prevista, llegará, fecha estimada,
      entrega el, llegada estimada, llega el, fecha prevista
    `,
    word: "paquete, envío, pedido",
    statuses: {
      exception: `
        no se pudo entregar, no se ha podido entregar, intento de entrega, se ha retrasado,
        incidencia en la entrega, retraso, demora
      `,
      out_for_delivery: "en reparto, a reparto, llega hoy, se entregará hoy, llegará hoy",
      delivered: "ha sido entregado, fue entregado, entregado, entregada, hemos entregado",
      in_transit: "en camino, en tránsito, va en camino",
      shipped: "ha sido enviado, hemos enviado, enviado, enviada, despachado",
    },
    notYet: "será enviado, será entregado, cuando se envíe, será, serán, se entregará, va a ser",
    carrierLabel: "transportista, paquetería, empresa de transporte, mensajería, enviado por",
  },
  receipt: {
    payment: `
      recibo, factura, pago recibido, tu pago, su pago, comprobante, confirmación de pago, pago realizado,
      hemos recibido, has pagado, ha pagado, pagaste, hemos cobrado, donativo, donación, tu compra
    `,
    failed: "pago rechazado, no se pudo procesar, pago fallido, presupuesto",
    dateLabel: "fecha de factura, fecha de pago, fecha de compra, fecha de emisión, pagado el, fecha",
    due: "vencimiento, próximo",
    merchantLabel: "comercio, vendedor, beneficiario",
    methodLabel: "método de pago, forma de pago, pagado con, medio de pago, pago con",
    cardEnding: "terminada en, terminación, que termina en, final, acabada en, que acaba en, terminado en",
    paidWith: `
      pagado con, pagada con, pagado mediante, pagaste con, cobrado a, cargado a, cargado en, con tu, con su,
      con cargo a, vía, mediante, a través de
    `,
    cash: `
      efectivo, en efectivo, tarjeta de crédito, tarjeta de débito, tarjeta, transferencia,
      transferencia bancaria, domiciliación, domiciliación bancaria, contra reembolso, contrareembolso,
      tarjeta regalo, tarjeta de regalo
    `,
  },
  organisation: {
    roles: "pedidos",
  },
};
