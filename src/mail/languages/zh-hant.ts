import type { Language } from "./language.ts";

/** Chinese in traditional characters. Words written alike in both scripts are in zh.ts. */
export const zhHant: Language = {
  tag: "zh-Hant",
  keyWords: "anywhere",
  code: {
    strong: `
      驗證碼, 校驗碼, 動態碼, 動態密碼, 安全碼, 安全代碼, 驗證代碼, 一次性密碼, 一次性代碼, 啟用碼, 登入碼, 認證碼, 授權碼, 取件碼, 取貨碼, 提貨碼, 取餐碼, 開門碼, 開門密碼,
      開櫃密碼, 門禁密碼, 停車碼, 提取碼, 取件密碼, 取貨密碼, 復原碼, 重設碼, 註冊碼, 配對碼, 裝置碼, 自取碼, 領取碼, 開鎖碼, 解鎖碼
    `,
    confirmation: "確認碼",
    weak: "代碼, 密碼, 碼",
    hint: "驗證, 確認",
    soft: "帳號, 帳戶, 手機",
    number: `
      訂單, 發票, 運單號, 單號, 追蹤碼, 客戶編號, 手機號碼, 電話, 熱線, 郵遞區號, 金額, 尾號, 錯誤代碼, 編號, 號碼, 產品代碼, 股票代號, 國家代碼, 原始碼, 課程代碼,
      統一編號, 用戶編號, 尺碼, 編碼, 條碼, 末四碼, 末五碼
    `,
    booking: "預訂, 訂位代號, 訂位編號, 船票",
    meeting: "會議號, 會議id, 會議 id, 會議密碼, 會議代碼",
    coupon: "邀請碼, 兌換碼, 優惠, 折扣, 折價, 禮券",
    instruction:
      "輸入, 填寫, 鍵入, 按下, 請按, 按鍵, 報出, 報上, 告知店, 說出, 填入, 填上, 掃描, 貼上, 憑此, 唸出",
    void: "舊驗證碼, 舊的驗證碼, 之前的驗證碼, 上一個驗證碼, 先前的驗證碼, 已失效, 已過期, 已作廢, 已被使用, 不再有效, 舊密碼, 舊碼, 上一組驗證碼, 已使用, 已取消",
    fresh: "新驗證碼, 新的驗證碼, 最新驗證碼, 最新的驗證碼",
    expiry: "有效期, 分鐘內有效, 小時內有效, 內有效, 有效至, 後失效, 後過期, 將失效, 分鐘內輸入",
  },
  sentence: {
    leadsTo: "為",
    ledBy: "為",
    denies: "並非, 無需, 不需",
    units: "號, 時, 點, 個",
  },
  link: {
    proves:
      "驗證, 確認您的, 啟用, 重設密碼, 登入連結, 確認訂閱, 確認註冊, 確認電子, 確認信箱, 接受, 授權, 啟動, 設定密碼, 設定新密碼",
    goesOn: "繼續, 確認, 立即開始, 點此, 點選, 點擊",
    password: "密碼",
    account: "帳戶, 帳號, 電子郵件, 訂閱, 信箱",
    otherPurpose:
      "取消訂閱, 隱私, 幫助, 聯絡我們, 加入會議, 加入購物車, 優惠, 出席, 預約, 訂單, 偏好, 檢舉, 凍結, 常見問題, 設定",
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
    invitation: "邀請, 提醒, 確認, 通知",
  },
  signature: {
    closings: "謝謝, 順頌商祺, 祝順心",
    footers: ["取得.*outlook.*", "發自我的.{1,40}", "從我的.{1,30}傳送"],
  },
  dates: {
    afternoon: "傍晚, 晚間",
    deadline: "截至, 截止, 至, 之前, 前",
  },
  appointment: {
    when: "會議時間, 預約時間, 日期, 時間",
    where: "地點, 地址",
    title: "會議主題, 主題, 項目, 服務, 內容, 事項, 課程",
    word: "預約, 預訂, 訂位",
  },
  money: {
    grandTotal: "總金額, 實付金額, 訂單金額, 付款金額, 應付金額, 訂單總額",
    total: "合計, 總計, 總額, 金額",
    partial: "節省, 小計, 運費, 優惠, 折扣, 未稅, 營業稅, 稅額, 手續費",
  },
  order: {
    numberLabel: "單號, 訂單編號, 訂單號碼, 訂單號",
    word: "訂單",
    quantity: "數量",
  },
  parcel: {
    numberLabel:
      "追蹤號碼, 追蹤編號, 貨運單號, 物流編號, 託運單號, 配送編號, 宅配單號, 包裹編號, 查詢號碼, 貨件編號",
    nearNumber: "運單",
    arrivalLabel: "預計送達, 預計到貨, 預計, 預計配達, 預計送達日, 預計抵達",
    word: "快遞, 訂單, 包裹, 貨件, 商品",
    statuses: {
      exception: "延誤, 配送失敗, 無法配達, 延遲",
      delivered: "已送達, 已簽收, 已配達, 配送完成, 已取件",
      in_transit: "運輸中, 運送中, 運送途中, 轉運中",
      shipped: "已發貨, 已出貨, 發貨, 出貨, 已寄出, 已交寄",
      out_for_delivery: "配送中, 派送中",
    },
    notYet: "發貨後, 出貨後, 將",
    carrierLabel: "物流公司, 配送方式, 貨運公司, 宅配公司, 物流業者",
  },
  receipt: {
    payment: "發票, 收據, 帳單",
    failed: "付款失敗",
    dateLabel: "付款時間",
    cardEnding: "尾號",
    paidWith: "透過, 付款自, 扣款帳戶",
    cash: "現金, 金融卡, 簽帳卡, 銀行轉帳, 轉帳, 貨到付款, 禮品卡, 超商付款",
  },
};
