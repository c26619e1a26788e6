import type { Language } from "./language.ts";

/** Portuguese. */
export const pt: Language = {
  tag: "pt",
  keyWords: "whole",
  code: {
    strong: `
      código de verificação, código de segurança, código de autenticação, código de uso único,
      código de ativação, código de validação, código de login, código temporário, senha de uso único,
      senha temporária, código único, código de retirada, código de levantamento, código de recolha,
      código de entrega, código de abertura, código do cacifo, código do armário, código da porta,
      código da portaria, código de entrada, pin de levantamento, pin de recolha, senha de retirada,
      palavra de entrega, palavra-chave de entrega, código de redefinição, código do prédio,
      código de cadastro, código de hóspede, código de registo, código de convidado,
      código de identificação, código de carregamento, código de desbloqueio, código de votação,
      código de liberação, código de impressão
    `,
    confirmation: "código de confirmação",
    passcode: "código de acesso, senha de acesso",
    weak: "código, senha, token, palavra-passe, senhas, combinação",
    hint: `
      verificar, verifique, verificação, confirmar, confirme, iniciar sessão, fazer login, entrar,
      autenticação, desbloquear, aceder
    `,
    soft: "conta, telefone, cartão, número",
    number: `
      pedido, número do pedido, encomenda, fatura, nota fiscal, recibo, rastreamento,
      código de rastreamento, código de rastreio, número da conta, número de cliente, protocolo, referência,
      cep, código postal, celular, ligue, valor, código de barras, código de erro, final, terminado em,
      boleto, cpf, cnpj, código do produto, código do cliente, código de país, código fonte,
      código do banco, código do curso, chamado, inscrição, número do contrato, apólice, sinistro,
      matrícula, número de aluno, unidade consumidora
    `,
    booking: "reserva, número da reserva, código da reserva, localizador, voo, referência da reserva",
    meeting: "id da reunião, código da reunião, senha da reunião, id de reunião",
    coupon: `
      código promocional, cupom, código de desconto, desconto, código de indicação, código de convite,
      indique um amigo
    `,
    instruction: `
      digite, insira, informe, use, utilize, coloque, introduza, digitar, inserir, escreva, copie, preencha,
      coloca, introduz, digita, usando, digitando, apresente, apresenta, mostre, diga, disque, tecle,
      insere, inserindo, informar, pressione, põe, ponha, carregue em, vai precisar
    `,
    device: `
      ecrã, tela, visor, cacifo, armário, porta, portão, fechadura, cadeado, cofre, catraca, interfone,
      com o comando, controle remoto, televisão, cardinal, jogo da velha, botão verde
    `,
    secret: `
      não compartilhe, não o compartilhe, não partilhe, não o partilhe, não divulgue, com ninguém,
      a ninguém, nunca ped*, nunca solicit*
    `,
    requested: `
      solicitou, pediste, não solicit*, não pediu, não foi você, não foste tu, se não foi, ignore este,
      desconsidere
    `,
    void: `
      código anterior, códigos anteriores, código antigo, senha anterior, não é mais válido,
      não é mais válida, já não é válido, já não é válida, deixou de ser válido, substitui, expirou,
      já foi utilizado, já foi usado, perdeu a validade, não funciona mais, já não funciona, não vale mais,
      já não vale, o anterior, o antigo, anulado
    `,
    fresh: `
      novo código, código novo, nova senha, novo pin, último código, código mais recente, o novo é,
      em vez dele
    `,
    expiry: `
      válido por, válido durante, válido até, é válido, válida por, válida até, expira, expirará,
      validade de, uma única vez, uma só vez, vale por, vale até, funciona até
    `,
  },
  sentence: {
    leadsTo: "é, e",
    ledBy: "é, para",
    denies: "não, sem",
    fillers: "por favor, aqui",
    prepositions: "de, para, por",
    units: "minuto, minutos, segundo, segundos, hora, horas, dia, dias",
    money: "reais",
  },
  link: {
    proves: `
      verificar e-mail, verifique seu, confirme seu, confirmar e-mail, ativar, ativar conta, ative,
      redefinir senha, redefinir, link mágico, link de verificação, aceitar, link de ativação,
      aceite o convite, escolha uma nova, confirme sua, fui eu, aprovar, era eu, sou eu, desbloquear
    `,
    signsIn: "entrar, acessar, fazer login, iniciar sessão",
    goesOn: "começar, aqui, clique aqui, prosseguir",
    password: "senha, palavra-passe",
    account: "conta, cadastro, convite",
    otherPurpose: `
      política de privacidade, ajuda, suporte, contato, ver no navegador, confirmar presença,
      dúvidas, compre, confirme sua presença, termos, loja, confirme a sua presença, privacidade, aproveite,
      rastrear, ver pedido
    `,
    refuses: `
      não fui eu, não era eu, não sou eu, não foi você, não fui, não reconheço, não solicitei, não pedi,
      não é meu, não é minha, recusar, recuse, recuso, rejeitar, rejeite, rejeito, negar, negue, denunciar,
      denuncie, denúncia, reportar, reporte, cancelar, cancele, cancelamento, cancelar inscrição, anular,
      anule, revogar, revogue, bloquear, bloqueie, descadastr*, desinscrev*, cancelar subscrição, remover,
      excluir, apagar, suspeit*, contestar, sair da lista, encerrar sessão, terminar sessão, desativar,
      impedir, retirar, remova, desconheço, não autorizar, não permitir, proibir, tire meu, parar, deter,
      interromper
    `,
    negates: "não, nunca, jamais, nada, ninguém, outra pessoa",
    agrees: "sim",
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
    invitation: "convite, lembrete, lembrete*, confirma*, horário",
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
    dayToMonth: "de",
    monthToYear: "de",
    untilTime: "às, a",
    morning: "da manhã",
    afternoon: "da tarde, da noite",
    deadline: "até, até ao, até o, antes de",
  },
  appointment: {
    when: "quando, data e hora, data e horário, consulta, data, início, dia",
    time: "hora, horário",
    where: "onde, local, endereço, morada",
    title: `
      assunto, evento, tema, serviço, procedimento, exame, motivo, atendimento, tratamento, aula, sessão
    `,
    word: "agendad*, agendament*, marcaç*, marcad*, reserva*",
  },
  money: {
    grandTotal: "valor total, total pago, valor pago, total do pedido, total da compra, valor cobrado",
    total: "total",
    partial: "desconto, frete, economia, imposto, gorjeta, portes",
  },
  order: {
    numberLabel: `
      número do pedido, nº do pedido, n.º do pedido, código do pedido, número da encomenda,
      n.º da encomenda, encomenda n.º, encomenda nº
    `,
    word: "encomenda, pedido, compra",
    quantity: "qtd, quantidade",
  },
  parcel: {
    numberLabel: `
      código de rastreio, código de rastreamento, número de rastreio, número de rastreamento,
      código de envio, rastreio, código de seguimento, número de seguimento, número do objeto,
      código do objeto, n.º de envio
    `,
    nearNumber: "rastreio, encomenda",
    arrivalLabel: `
      deve chegar, previsão de entrega, data de entrega, entrega até, chega, chegada prevista,
      entrega prevista, previsão, data prevista, data estimada de entrega, chegará
    `,
    word: "pacote, encomenda, entrega, pedido, envio",
    statuses: {
      exception: `
        não foi possível entregar, tentativa de entrega, está atrasad, entrega não realizada, atrasad*,
        atraso
      `,
      out_for_delivery: `
        saiu para entrega, chega hoje, em rota de entrega, em distribuição, chegará hoje, será entregue hoje
      `,
      delivered: "foi entregue, entregue, entregues",
      in_transit: "a caminho, em trânsito",
      shipped: `
        foi enviado, enviamos, despachado, foi postado, postado, enviada, expedida, expedido, foi enviada
      `,
    },
    notYet: "assim que, será entregue, será, serão",
    carrierLabel: "transportadora, transportador, entregue por, enviado por",
  },
  receipt: {
    payment: `
      recibo, fatura, nota fiscal, pagamento recebido, seu pagamento, comprovante, pagamento confirmado,
      pagamento aprovado, comprovativo, recebemos, você pagou, pagou, foi cobrado, debitámos, cobrámos,
      doação, donativo, sua compra
    `,
    failed: "pagamento recusado, não foi aprovado, pagamento não aprovado, orçamento",
    dateLabel: "data de pagamento, data do pagamento, data da compra, data de emissão, pago em, data",
    due: "vencimento, próximo",
    merchantLabel: "vendedor, lojista",
    methodLabel: "forma de pagamento, método de pagamento, pago com, meio de pagamento",
    cardEnding: "terminado em, final, terminada em, que termina em, com final",
    paidWith: `
      pago com, paga com, pago via, pago por, pagou com, cobrado no, debitado, através de, com o seu, via,
      mediante
    `,
    cash: `
      dinheiro, em dinheiro, cartão, cartão de crédito, cartão de débito, transferência,
      transferência bancária, débito direto, débito automático, boleto, boleto bancário, multibanco,
      contra reembolso, à cobrança, vale-presente, cartão-presente
    `,
  },
};
