import type { Language } from "./language.ts";

/** Portuguese. */
export const pt: Language = {
  tag: "pt",
  keyWords: "whole",
  code: {
    strong: `
      código de verificação, codigo de verificacao, código de segurança, código de autenticação,
      código de uso único, código de ativação, código de validação, código de login, código temporário,
      senha de uso único, senha temporária, código único
    `,
    confirmation: "código de confirmação",
    passcode: "código de acesso, senha de acesso",
    weak: "código, codigo, senha, token",
    hint: `
      verificar, verifique, verificação, confirmar, confirme, iniciar sessão, fazer login, entrar,
      autenticação
    `,
    soft: "conta, telefone, cartão, número",
    number: `
      pedido, número do pedido, encomenda, fatura, nota fiscal, recibo, rastreamento,
      código de rastreamento, código de rastreio, número da conta, número de cliente, protocolo, referência,
      cep, código postal, celular, ligue, valor, código de barras, código de erro, final, terminado em,
      boleto, cpf, cnpj, código do produto, código do cliente, código de país, código fonte,
      código do banco, código do curso, chamado, inscrição
    `,
    booking: "reserva, número da reserva, código da reserva, localizador, voo",
    meeting: "id da reunião",
    coupon: "código promocional, cupom, código de desconto, desconto",
    instruction: `
      digite, insira, informe, use, utilize, coloque, introduza, digitar, inserir, escreva, copie, preencha,
      coloca, introduz, digita, usando, digitando
    `,
    purpose: `
      acessar, concluir, continuar, ativar, autorizar, aprovar, finalizar, cadastro, acesso, aceder,
      vincular, conectar, ativação, autorização, entrar, confirmação
    `,
    digits: "números, dígitos, número abaixo, este número, algarismos",
  },
  sentence: {
    leadsTo: "é, e",
    ledBy: "é, para",
    denies: "não",
    fillers: "por favor, aqui",
    prepositions: "de, para, por",
    units: "minuto, minutos, segundo, segundos, hora, horas, dia, dias",
    money: "reais",
  },
  link: {
    proves: `
      verificar e-mail, verifique seu, confirme seu, confirmar e-mail, ativar, ativar conta, ative,
      redefinir senha, redefinir, link mágico, link de verificação
    `,
    signsIn: "entrar, acessar, fazer login",
    goesOn: "começar, clique aqui",
    password: "senha",
    account: "conta, cadastro",
    otherPurpose: `
      cancelar inscrição, descadastrar, política de privacidade, ajuda, suporte, contato, ver no navegador
    `,
    provesInPath: "senha, confirme, confirmacao, ativar",
  },
  quoting: {
    wrote: "escreveu",
    originalMessage: "mensagem original",
    from: "de",
    sent: "enviado, enviado em, enviada em, enviada, data",
    foldedStart: "em",
    forwarded: "mensagem encaminhada, mensagem reencaminhada",
  },
  subject: {
    reply: "res",
    forward: "enc",
    strippedReply: "res",
    strippedForward: "enc",
    automatic: "resposta automática",
    invitation: "convite, lembrete",
  },
  signature: {
    closings: `
      atenciosamente, att, cumprimentos, com os melhores cumprimentos, melhores cumprimentos, abraços,
      um abraço, obrigado, obrigada, grato, grata, cordialmente
    `,
    footers: ["obter o outlook para .*", "enviado (?:do|de|a partir do|através do) (?:meu )?.{1,40}"],
  },
  localParts: {
    unread: "naoresponda, naoresponder",
  },
  dates: {
    months: [
      "janeiro, jan",
      "fevereiro, fev",
      "março, mar",
      "abril, abr",
      "maio, mai",
      "junho, jun",
      "julho, jul",
      "agosto, ago",
      "setembro, set",
      "outubro, out",
      "novembro, nov",
      "dezembro, dez",
    ],
    dayToMonth: "de",
    monthToYear: "de",
    untilTime: "às, a",
  },
  appointment: {
    when: "quando, data e hora, data e horário, consulta, data, início",
    time: "hora, horário",
    where: "onde, local, endereço",
    title: "assunto, evento, tema",
  },
  money: {
    grandTotal: `
      valor total, total pago, valor pago, total do pedido, total da compra, valor cobrado
    `,
    total: "total",
    partial: "desconto, frete, economia, imposto",
  },
  order: {
    numberLabel: `
      número do pedido, nº do pedido, n.º do pedido, código do pedido, número da encomenda,
      n.º da encomenda, encomenda n.º, encomenda nº
    `,
    word: "encomenda, pedido, compra",
    beforeNumber: "é",
    quantity: "qtd, quantidade",
  },
  parcel: {
    numberLabel: `
      código de rastreio, código de rastreamento, número de rastreio, número de rastreamento,
      código de envio, rastreio
    `,
    nearNumber: "rastreio, encomenda",
    arrivalLabel: "previsão de entrega, data de entrega, entrega até, chega, chegada prevista",
    word: "pacote, encomenda, entrega",
    statuses: {
      exception: `
        não foi possível entregar, tentativa de entrega, está atrasad, entrega não realizada
      `,
      out_for_delivery: "saiu para entrega, chega hoje, em rota de entrega",
      delivered: "foi entregue, entregue, entregues",
      in_transit: "a caminho, em trânsito",
      shipped: "foi enviado, enviamos, despachado, foi postado, postado, enviada",
    },
    notYet: "assim que, será entregue",
  },
  receipt: {
    payment: `
      recibo, fatura, nota fiscal, pagamento recebido, seu pagamento, comprovante, pagamento confirmado,
      pagamento aprovado
    `,
    failed: "pagamento recusado, não foi aprovado, pagamento não aprovado, orçamento",
    dateLabel: `
      data de pagamento, data do pagamento, data da compra, data de emissão, pago em, data
    `,
    due: "vencimento, próximo",
    merchantLabel: "vendedor, lojista",
    methodLabel: "forma de pagamento, método de pagamento, pago com, meio de pagamento",
    cardEnding: "terminado em, final",
  },
};
