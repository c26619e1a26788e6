import type { Language } from "./language.ts";

/** Chinese in traditional characters. Words written alike in both scripts are in zh.ts. */
export const zhHant: Language = {
  tag: "zh-Hant",
  keyWords: "anywhere",
  code: {
    strong: `
      驗證碼, 校驗碼, 動態碼, 動態密碼, 安全碼, 安全代碼, 驗證代碼, 一次性密碼, 一次性代碼, 啟用碼, 登入碼,
      認證碼, 授權碼
    `,
    confirmation: "確認碼",
    weak: "代碼, 密碼",
    hint: "驗證, 確認",
    soft: "帳號, 帳戶, 手機",
    number: `
      訂單, 訂單號, 訂單編號, 發票, 發票號碼, 運單號, 單號, 追蹤碼, 客戶編號, 手機號碼, 電話, 熱線,
      郵遞區號, 金額, 尾號, 錯誤代碼, 編號, 號碼, 產品代碼, 股票代號, 國家代碼, 原始碼, 課程代碼, 統一編號,
      用戶編號
    `,
    booking: "預訂, 訂位代號",
    meeting: "會議號, 會議id, 會議 id",
    coupon: "優惠碼, 優惠券, 折扣碼, 邀請碼, 兌換碼",
    instruction: "輸入, 填寫, 鍵入",
    purpose: "啟用, 綁定, 註冊, 繼續, 授權, 開通, 連接, 轉帳",
    digits: "數字",
  },
  sentence: {
    leadsTo: "為",
    ledBy: "為",
    units: "號, 時, 點, 個",
  },
  link: {
    proves: "驗證您的, 驗證電子, 驗證, 確認您的, 啟用, 重設密碼, 登入連結",
    goesOn: "繼續, 確認, 立即開始, 點此",
    password: "密碼",
    account: "帳戶, 帳號, 電子郵件",
    otherPurpose: "取消訂閱, 隱私, 幫助, 聯絡我們",
  },
  quoting: {
    wrote: "寫道",
    originalMessage: "原始郵件",
    from: "寄件者, 寄件人",
    sent: "寄件日期, 傳送時間",
    foldedStart: "於",
    forwarded: "轉寄的郵件, 轉寄郵件",
  },
  subject: {
    reply: "回覆",
    forward: "轉寄",
    strippedReply: "回覆",
    strippedForward: "轉寄",
    automatic: "自動回覆",
    invitation: "邀請",
  },
  signature: {
    closings: "謝謝, 順頌商祺, 祝順心",
    footers: ["取得.*outlook.*", "發自我的.{1,40}", "從我的.{1,30}傳送"],
  },
  appointment: {
    when: "會議時間, 預約時間",
    where: "地點",
    title: "會議主題, 主題",
  },
  money: {
    grandTotal: "總金額, 實付金額, 訂單金額, 付款金額, 應付金額, 訂單總額",
    total: "合計, 總計, 總額, 金額",
    partial: "節省, 小計, 運費, 優惠",
  },
  order: {
    numberLabel: "單號, 訂單編號, 訂單號碼, 訂單號",
    word: "訂單",
    quantity: "數量",
  },
  parcel: {
    numberLabel: "追蹤號碼, 追蹤編號, 貨運單號, 物流編號, 託運單號",
    nearNumber: "運單",
    arrivalLabel: "預計送達, 預計到貨, 預計",
    word: "快遞, 訂單",
    statuses: {
      exception: "延誤",
      delivered: "已送達, 已簽收",
      in_transit: "運輸中, 運送中",
      shipped: "已發貨, 已出貨, 發貨, 出貨",
    },
    notYet: "發貨後, 出貨後",
  },
  receipt: {
    payment: "發票, 收據, 帳單",
    failed: "付款失敗",
    dateLabel: "付款時間",
    cardEnding: "尾號",
  },
};
