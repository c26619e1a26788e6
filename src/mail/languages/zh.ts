import type { Language } from "./language.ts";

/** Chinese in simplified characters. */
export const zh: Language = {
  tag: "zh",
  keyWords: "anywhere",
  code: {
    strong: `
      验证码, 校验码, 动态码, 动态密码, 安全码, 安全代码, 验证代码, 一次性密码, 一次性代码, 激活码, 登录码,
      认证码, 短信码, 授权码, 口令码
    `,
    confirmation: "确认码",
    weak: "代码, 密码, 口令",
    hint: "验证, 登录, 登入, 确认, 身份认证",
    soft: "账号, 账户, 手机",
    number: `
      订单, 订单号, 订单编号, 发票, 发票号码, 快递单号, 运单号, 物流单号, 单号, 客户编号, 工单, 账号：,
      手机号, 电话, 客服, 热线, 邮编, 邮政编码, 金额, 尾号, 末四位, 版本, 错误代码, 编号, 备案, 备案号,
      号码, 二维码, 条形码, 产品代码, 股票代码, 国家代码, 源代码, 发票代码, 机构代码, 商品编码, 课程代码,
      户号
    `,
    booking: "预订, 预订号, 航班, 酒店确认号",
    meeting: "会议号, 会议id, 会议 id",
    coupon: "优惠码, 优惠券, 折扣, 折扣码, 邀请码, 兑换码",
    instruction: "输入, 填写, 填入, 使用, 键入, 填上, 输入如下, 打入",
    purpose: "完成, 激活, 绑定, 注册, 继续, 授权, 开通, 连接, 交易, 转账, 支付, 付款, 加入",
    digits: "数字",
  },
  sentence: {
    leadsTo: "是, 为",
    ledBy: "是, 为",
    units: "年, 月, 日, 号, 时, 点, 分, 秒, 元, 圆, 个, 人, 名, 件",
  },
  link: {
    proves: `
      验证邮箱, 验证您的, 验证你的, 验证, 确认邮箱, 确认您的, 激活, 重置密码, 重设密码, 重置, 魔法链接,
      登录链接
    `,
    signsIn: "登录, 登入",
    goesOn: "继续, 确认, 立即开始, 点击这里",
    password: "密码",
    account: "账户, 账号, 邮箱",
    otherPurpose: "退订, 取消订阅, 隐私, 帮助, 联系我们, 在浏览器中查看",
  },
  quoting: {
    wrote: "写道",
    originalMessage: "原始邮件, 原邮件",
    from: "发件人",
    sent: "发送时间, 日期",
    foldedStart: "在, 于",
    forwarded: "转发的邮件, 转发邮件信息",
  },
  subject: {
    reply: "回复, 答复",
    forward: "转发",
    strippedReply: "回复, 答复",
    strippedForward: "转发",
    automatic: "自动回复",
    invitation: "邀请, 提醒, 会议邀请",
  },
  signature: {
    closings: "此致, 此致敬礼, 祝好, 谢谢, 祝工作顺利, 顺祝商祺, 敬礼, 敬祝, 敬上",
    footers: ["获取.*outlook.*", "(?:发自|来自)我的.{1,40}", "从我的.{1,30}发送"],
  },
  dates: {
    morning: "上午, 早上",
    afternoon: "下午, 晚上",
    untilDay: "至",
    untilTime: "至",
  },
  appointment: {
    when: "时间, 日期, 会议时间, 开始时间, 预约时间",
    time: "时间",
    where: "地点, 场地, 位置",
    title: "主题, 活动",
  },
  money: {
    grandTotal: `
      实付金额, 实付款, 支付金额, 付款金额, 订单金额, 订单总额, 应付金额, 总金额, 订单总计, 扣款金额,
      消费金额
    `,
    total: "合计, 总计, 总额, 金额",
    partial: "小计, 商品总额, 商品金额, 优惠, 运费, 税, 折扣, 运费金额",
    including: "含",
    currencies: {
      CNY: "元",
    },
  },
  order: {
    numberLabel: "订单号, 订单编号, 订单号码, 订单",
    quantity: "数量",
  },
  parcel: {
    numberLabel: "运单号, 快递单号, 物流单号, 运单编号, 追踪号码, 追踪号",
    nearNumber: "包裹, 快递",
    arrivalLabel: "预计送达, 预计到达, 预计, 送达时间",
    word: "包裹, 快递, 快件, 订单",
    statuses: {
      exception: "派送失败, 投递失败, 延误",
      out_for_delivery: "派送中, 正在派送, 派件中",
      delivered: "已签收, 已送达, 已妥投",
      in_transit: "运输中",
      shipped: "已发货, 已寄出, 发货",
    },
    notYet: "发货后",
  },
  receipt: {
    payment: "收据, 发票, 付款成功, 支付成功, 缴费, 扣款通知, 交易提醒, 账单",
    failed: "支付失败, 扣款失败, 付款失败",
    dateLabel: "付款日期, 支付时间, 交易时间, 开票日期, 交易日期, 支付日期, 日期",
    due: "到期",
    merchantLabel: "商户, 商家, 商户名称, 收款方, 商店",
    methodLabel: "支付方式, 付款方式",
    cardEnding: "尾号, 末尾",
  },
};
