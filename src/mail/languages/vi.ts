import type { Language } from "./language.ts";

/** Vietnamese. */
export const vi: Language = {
  tag: "vi",
  keyWords: "whole",
  code: {
    strong: `
      mã xác minh, mã xác thực, mã xác nhận, mã bảo mật, mã otp, mã đăng nhập, mã kích hoạt, mã truy cập,
      mật khẩu dùng một lần, mã dùng một lần, mã pin
    `,
    passcode: "mật khẩu",
    weak: "mã, mã số",
    hint: "xác minh, xác thực, xác nhận, đăng nhập",
    soft: "tài khoản, điện thoại, số, thẻ",
    number: `
      đơn hàng, mã đơn hàng, số đơn hàng, hóa đơn, hoá đơn, mã hóa đơn, mã vận đơn, vận đơn, số tài khoản,
      mã khách hàng, số điện thoại, mã bưu chính, mã bưu điện, hotline, gọi, số tiền, năm, mã lỗi, mã vạch,
      mã qr, mã sản phẩm, mã quốc gia, mã số thuế, mã hàng, mã bệnh nhân, mã môn, mã chứng khoán,
      mã nhân viên
    `,
    booking: "đặt chỗ, mã đặt chỗ, mã đặt phòng, chuyến bay",
    meeting: "id cuộc họp",
    coupon: "mã giảm giá, giảm giá, khuyến mãi, mã khuyến mãi",
    instruction: "nhập, dùng, sử dụng, điền, gõ, ghi, nhập vào",
    purpose: `
      hoàn tất, kích hoạt, tiếp tục, phê duyệt, đăng ký, giao dịch, kết nối, tham gia, chuyển khoản,
      hoàn thành
    `,
    digits: "chữ số, dãy số, số sau, số này, các số, con số",
  },
  sentence: {
    leadsTo: "là, la",
    ledBy: "là, để",
    fillers: "vui lòng",
    units: "phút, giây, giờ",
  },
  link: {
    proves: `
      xác minh, xác nhận, xác thực, kích hoạt, đặt lại mật khẩu, cài đặt lại, thiết lập lại
    `,
    signsIn: "đăng nhập",
    goesOn: "tiếp tục, bắt đầu, bấm vào đây",
    password: "mật khẩu, mật mã",
    account: "tài khoản, địa chỉ",
    otherPurpose: "hủy đăng ký, trợ giúp, hỗ trợ, chính sách",
    provesInPath: "mat-khau, mat_khau, xac-nhan, xac_nhan, xac-minh, xac_minh",
  },
  quoting: {
    wrote: "đã viết",
    originalMessage: "thư gốc, tin nhắn gốc",
    from: "từ",
    sent: "đã gửi, ngày",
    foldedStart: "vào",
    forwarded: "thư được chuyển tiếp, tin nhắn được chuyển tiếp",
  },
  subject: {
    invitation: "lời mời, nhắc nhở",
  },
  signature: {
    closings: `
      trân trọng, thân ái, thân mến, trân trọng cảm ơn, cảm ơn, xin cảm ơn, kính thư, xin trân trọng cảm ơn
    `,
    footers: ["tải outlook cho .*", "(?:được )?gửi từ .{1,40}"],
  },
  dates: {
    numberedMonth: "tháng, thg",
    beforeYear: "năm",
    untilTime: "đến",
  },
  appointment: {
    when: "khi nào, thời gian, ngày giờ, lịch hẹn",
    time: "giờ, thời gian",
    where: "ở đâu, địa điểm, nơi",
    title: "chủ đề, sự kiện",
  },
  money: {
    grandTotal: `
      tổng thanh toán, tổng tiền, số tiền thanh toán, tổng giá trị đơn hàng, tổng số tiền
    `,
    total: "tổng cộng, tổng, số tiền, thành tiền",
    partial: "tạm tính, giảm giá, phí vận chuyển, phí giao hàng",
  },
  order: {
    numberLabel: "mã đơn hàng, số đơn hàng, đơn hàng #, mã đơn, đơn hàng số",
    word: "đơn hàng",
    quantity: "số lượng",
  },
  parcel: {
    numberLabel: "mã vận đơn, mã theo dõi, mã vận chuyển, số vận đơn",
    nearNumber: "vận đơn",
    arrivalLabel: `
      dự kiến giao, ngày giao dự kiến, giao dự kiến, thời gian giao hàng dự kiến, ngày giao hàng
    `,
    word: "đơn hàng, kiện hàng, bưu kiện",
    statuses: {
      exception: "giao hàng không thành công, giao không thành công, bị chậm",
      out_for_delivery: "đang được giao, đang giao hàng, sẽ được giao hôm nay",
      delivered: "đã được giao, đã giao, giao hàng thành công, đã giao thành công",
      in_transit: "đang vận chuyển, đang được vận chuyển, đang trên đường, trên đường",
      shipped: "đã gửi, đã được gửi, đã xuất kho, đã bàn giao, đã được bàn giao",
    },
    notYet: "khi đơn hàng được gửi, sẽ được giao",
  },
  receipt: {
    payment: "hóa đơn, biên lai, biên nhận, thanh toán thành công, xác nhận thanh toán",
    failed: "thanh toán thất bại, không thành công",
    dateLabel: "ngày thanh toán, ngày hóa đơn, ngày giao dịch, ngày mua, ngày",
    due: "hạn thanh toán",
    merchantLabel: "người bán, đơn vị chấp nhận thẻ",
    methodLabel: "phương thức thanh toán, hình thức thanh toán",
    cardEnding: "kết thúc bằng",
  },
};
