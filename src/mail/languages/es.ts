import type { Language } from "./language.ts";

/** Spanish. */
export const es: Language = {
  tag: "es",
  keyWords: "whole",
  code: {
    strong: `
      código de verificación, codigo de verificacion, código de seguridad, codigo de seguridad,
      código de autenticación, código de un solo uso, código de uso único, código de inicio de sesión,
      código de activación, código temporal, código de validación, clave de un solo uso,
      contraseña de un solo uso, clave dinámica, clave temporal
    `,
    confirmation: "código de confirmación, codigo de confirmacion",
    passcode: "código de acceso, codigo de acceso, clave de acceso, contraseña",
    weak: "código, codigo, clave",
    hint: `
      verificar, verifica, verificación, confirmar, confirma, iniciar sesión, inicia sesión,
      inicio de sesión, autenticación
    `,
    soft: "cuenta, teléfono, tarjeta, número",
    number: `
      pedido, número de pedido, orden, factura, número de factura, recibo, ticket, billete, seguimiento,
      número de seguimiento, código de seguimiento, número de cuenta, número de cliente, referencia,
      número de referencia, código postal, codigo postal, c.p., tel., móvil, llame al, llama al, importe,
      año, código de error, código de barras, código qr, terminada en, termina en, núm., código de producto,
      código de cliente, código de artículo, código de país, código fuente, código swift, código del curso,
      artículo, expediente, incidencia
    `,
    booking: "reserva, número de reserva, código de reserva, localizador, vuelo",
    meeting: "id de reunión, id de la reunión",
    coupon: "código promocional, código de descuento, cupón, descuento, código de cupón",
    instruction: `
      introduce, introduzca, introducir, ingresa, ingrese, ingresar, escribe, escriba, usa, use, utiliza,
      utilice, teclea, teclee, copia, copie, pon, ponga, indica, indique, digita, digite, inserta,
      introduciendo, ingresando
    `,
    purpose: `
      activar, firmar, firma, completar, continuar, acceder, autorizar, aprobar, entrar, finalizar,
      registro, terminar, acceso, confirmar, vincular, conectar, activación, operación, autorización
    `,
    digits: "números, dígitos, cifras, siguiente número, este número",
  },
  sentence: {
    leadsTo: "es",
    ledBy: "es, para",
    fillers: "por favor, aquí",
    prepositions: "de, para, por",
    units: "minuto, minutos, segundo, segundos, hora, horas, día, días",
    money: "dólares, pesos",
  },
  link: {
    proves: `
      verificar, verifica tu, verificar mi, confirmar, confirma tu, confirmar correo, activar, activa tu,
      restablecer, restablece tu, restablecer contraseña, cambiar contraseña, enlace mágico,
      enlace de verificación
    `,
    signsIn: "iniciar sesión, inicia sesión, acceder",
    goesOn: "continuar, empezar, comenzar, haz clic aquí",
    password: "contraseña",
    account: "cuenta, correo, registro, suscripción",
    otherPurpose: `
      cancelar suscripción, darse de baja, darme de baja, date de baja, política de privacidad, ayuda,
      soporte, contacto, ver en el navegador
    `,
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
    invitation: "invitación, recordatorio",
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
    months: [
      "enero, ene",
      "febrero, feb",
      "marzo, mar",
      "abril, abr",
      "mayo, may",
      "junio, jun",
      "julio, jul",
      "agosto, ago",
      "septiembre, sep, sept",
      "octubre, oct",
      "noviembre, nov",
      "diciembre, dic",
    ],
    dayToMonth: "de",
    monthToYear: "de, del",
    untilDay: "al, a",
    untilTime: "a",
  },
  appointment: {
    when: "cuándo, fecha y hora, cita, fecha, inicio",
    time: "hora",
    where: "dónde, lugar, ubicación, dirección",
    title: "asunto, evento, tema",
  },
  money: {
    grandTotal: `
      importe total, total a pagar, total pagado, importe pagado, total del pedido, monto total,
      importe cobrado
    `,
    total: "importe, monto, total",
    partial: "descuento, iva, base imponible, envío, ahorro, gastos de envío",
    including: "incluid",
  },
  order: {
    numberLabel: `
      número de pedido, n.º de pedido, nº de pedido, n° de pedido, núm. de pedido, pedido n.º, pedido nº,
      pedido n°, pedido #, número de orden, pedido número, orden #, orden n.º
    `,
    word: "pedido, compra",
    beforeNumber: "es",
    quantity: "cantidad, cant",
  },
  parcel: {
    numberLabel: `
      número de seguimiento, nº de seguimiento, n.º de seguimiento, número de envío, código de seguimiento,
      número de guía, localizador
    `,
    nearNumber: "envío, seguimiento, paquete",
    arrivalLabel: `
      entrega estimada, entrega prevista, fecha de entrega, llegada prevista, llegará, fecha estimada
    `,
    word: "paquete, envío, pedido",
    statuses: {
      exception: `
        no se pudo entregar, no se ha podido entregar, intento de entrega, se ha retrasado,
        incidencia en la entrega
      `,
      out_for_delivery: "en reparto, llega hoy, se entregará hoy",
      delivered: "ha sido entregado, fue entregado, entregado, entregada",
      in_transit: "en camino, en tránsito",
      shipped: "ha sido enviado, hemos enviado, enviado, enviada, despachado",
    },
    notYet: "será enviado, será entregado, cuando se envíe",
  },
  receipt: {
    payment: `
      recibo, factura, pago recibido, tu pago, su pago, comprobante, confirmación de pago, pago realizado
    `,
    failed: "pago rechazado, no se pudo procesar, pago fallido, presupuesto",
    dateLabel: `
      fecha de factura, fecha de pago, fecha de compra, fecha de emisión, pagado el, fecha
    `,
    due: "vencimiento, próximo",
    merchantLabel: "comercio, vendedor, beneficiario",
    methodLabel: "método de pago, forma de pago, pagado con, medio de pago, pago con",
    cardEnding: "terminada en, terminación, que termina en, final",
  },
  organisation: {
    roles: "pedidos",
  },
};
