import type { Language } from "./language.ts";

/** Vietnamese. */
export const vi: Language = {
  tag: "vi",
  keyWords: "whole",
  code: {
    strong: `
      mã xác minh, mã xác thực, mã xác nhận, mã bảo mật, mã otp, mã đăng nhập, mã kích hoạt, mã truy cập,
      mật khẩu dùng một lần, mã dùng một lần, mã pin, mã nhận hàng, mã lấy hàng, mã tủ, mã tủ đồ, mã mở tủ,
      mã mở cửa, mã vào cửa, mã gửi xe, mã đỗ xe, mã khôi phục, mã đặt lại, mã đăng ký, mã thiết bị,
      mã liên kết, mã kết nối, mã giao hàng, mã nhận, mã mở khóa, mã cổng, mã cửa, mã tạm thời,
      mật khẩu tạm thời, mã an toàn, mã bí mật, mã sms
    `,
    passcode: "mật khẩu",
    weak: "mã, mã số, mật mã, mã code",
    hint: "xác minh, xác thực, xác nhận, đăng nhập",
    soft: "tài khoản, điện thoại, số, số thẻ, thẻ tín dụng, thẻ ghi nợ",
    number: `
      đơn hàng, mã đơn hàng, số đơn hàng, hóa đơn, mã hóa đơn, mã vận đơn, vận đơn, số tài khoản,
      mã khách hàng, số điện thoại, mã bưu chính, mã bưu điện, hotline, gọi, số tiền, năm, mã lỗi, mã vạch,
      mã qr, mã sản phẩm, mã quốc gia, mã số thuế, mã hàng, mã bệnh nhân, mã môn, mã chứng khoán,
      mã nhân viên, mã ngân hàng, mã chi nhánh, hợp đồng, mã thành viên, mã tham chiếu, mã giao dịch,
      mã hồ sơ
    `,
    booking: "đặt chỗ, mã đặt chỗ, mã đặt phòng, chuyến bay, mã đặt vé",
    meeting: "id cuộc họp, mã cuộc họp, mật khẩu cuộc họp",
    coupon: `
      mã giảm giá, giảm giá, khuyến mãi, mã khuyến mãi, mã giới thiệu, mã ưu đãi, mã quà tặng,
      khi thanh toán
    `,
    instruction: `
      nhập, dùng, sử dụng, điền, ghi, nhập vào, gõ vào, bấm, bấm số, nhấn phím, xuất trình, cung cấp,
      cho xem, đưa cho, quay số, quét, khai báo, đọc số, nhấn số, bấm phím, ấn phím, bạn sẽ cần, đưa ra,
      xoay số, điền vào
    `,
    device: `
      bàn phím, màn hình, tủ khóa, ổ khóa, khóa cửa, két sắt, thanh chắn, barie, chuông cửa,
      điều khiển từ xa
    `,
    secret: "không chia sẻ, đừng chia sẻ, không cung cấp, không tiết lộ, không bao giờ yêu cầu",
    requested: `
      bạn đã yêu cầu, bạn vừa yêu cầu, theo yêu cầu, nhận được yêu cầu, không yêu cầu, không phải bạn,
      bỏ qua email
    `,
    void: `
      mã trước, mã trước đó, mã cũ, không còn hiệu lực, không còn hợp lệ, hết hiệu lực, đã hết hạn,
      thay thế, đã được sử dụng, đã được dùng, đã bị hủy, bị vô hiệu, không dùng được nữa, đã dùng,
      vô hiệu hóa, mật khẩu cũ, mã pin cũ
    `,
    fresh: "mã mới, mã mới nhất, mã pin mới, đổi thành, thay bằng",
    expiry: `
      có hiệu lực, hiệu lực trong, hiệu lực đến, có giá trị, hết hạn, sẽ hết hạn, một lần duy nhất,
      trong vòng, hiệu lực, hạn dùng, hạn sử dụng
    `,
  },
  sentence: {
    leadsTo: "là, la",
    ledBy: "là, để",
    denies: "không, không phải, chưa",
    fillers: "vui lòng",
    units: "phút, giây, giờ",
  },
  link: {
    proves: `
      xác minh, xác nhận, xác thực, kích hoạt, đặt lại mật khẩu, cài đặt lại, thiết lập lại, đổi mật khẩu,
      tạo mật khẩu, mật khẩu mới, chấp nhận lời mời, nhận lời mời, tham gia nhóm, phê duyệt, cho phép,
      chấp nhận, đặt mật khẩu, đó là tôi, là tôi, chính tôi, mở khóa
    `,
    signsIn: "đăng nhập",
    goesOn: "tiếp tục, bắt đầu, bấm vào đây, tại đây, vào đây, nhấn vào",
    password: "mật khẩu, mật mã",
    account: "tài khoản, địa chỉ, đăng ký",
    otherPurpose: `
      trợ giúp, hỗ trợ, chính sách, tham dự, lịch hẹn, sở thích, giảm giá, câu hỏi, điều khoản, liên hệ,
      cài đặt, xem chi tiết
    `,
    refuses: `
      không phải tôi, không phải là tôi, tôi không, không phải bạn, không yêu cầu, không nhận ra, từ chối,
      báo cáo, tố cáo, hủy, hủy bỏ, thu hồi, chặn thiết bị, chặn truy cập, chặn đăng nhập, chặn tài khoản,
      khóa tài khoản, ngừng nhận, hủy đăng ký, xóa, đáng ngờ, đăng xuất, không cho phép, phản đối, ngăn chặn,
      cấm truy cập, rút lại, gỡ bỏ, người lạ, dừng lại, ngăn lại, tạm ngưng, không biết, không đăng ký
    `,
    negates: "không, chưa, người khác",
    agrees: "đúng, vâng",
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
    invitation: "lời mời, nhắc nhở, nhắc, xác nhận",
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
    morning: "sáng",
    afternoon: "chiều, tối",
    deadline: "đến hết, trước, trước ngày, hết ngày",
    oClock: "giờ",
  },
  appointment: {
    when: "khi nào, thời gian, ngày giờ, lịch hẹn, ngày",
    time: "giờ, thời gian",
    where: "ở đâu, địa điểm, nơi, địa chỉ",
    title: "chủ đề, sự kiện, nội dung, dịch vụ",
    word: "lịch hẹn, đặt lịch, đặt chỗ, đặt bàn, cuộc hẹn",
  },
  money: {
    grandTotal: "tổng thanh toán, tổng tiền, số tiền thanh toán, tổng giá trị đơn hàng, tổng số tiền",
    total: "tổng cộng, tổng, số tiền, thành tiền",
    partial: "tạm tính, giảm giá, phí vận chuyển, phí giao hàng, tiền cọc",
  },
  order: {
    numberLabel: "mã đơn hàng, số đơn hàng, đơn hàng #, mã đơn, đơn hàng số",
    word: "đơn hàng, đơn",
    quantity: "số lượng",
  },
  parcel: {
    numberLabel: "mã vận đơn, mã theo dõi, mã vận chuyển, số vận đơn, mã bưu gửi, mã đơn vận chuyển",
    nearNumber: "vận đơn, bưu kiện, kiện hàng",
    arrivalLabel: `
      dự kiến giao, ngày giao dự kiến, giao dự kiến, thời gian giao hàng dự kiến, ngày giao hàng, dự kiến,
      ngày dự kiến, dự kiến nhận hàng, sẽ đến
    `,
    word: "đơn hàng, kiện hàng, bưu kiện",
    statuses: {
      exception: `
        giao hàng không thành công, giao không thành công, bị chậm, chậm trễ, giao hàng thất bại, trễ,
        giao thất bại
      `,
      out_for_delivery: `
        đang được giao, đang giao hàng, sẽ được giao hôm nay, đang giao, shipper đang giao, sẽ đến hôm nay
      `,
      delivered: `
        đã được giao, đã giao, giao hàng thành công, đã giao thành công, giao thành công, phát thành công
      `,
      in_transit: "đang vận chuyển, đang được vận chuyển, đang trên đường, trên đường, đang luân chuyển",
      shipped: "đã gửi, đã được gửi, đã xuất kho, đã bàn giao, đã được bàn giao",
    },
    notYet: "khi đơn hàng được gửi, sẽ được giao, sẽ",
    carrierLabel: "đơn vị vận chuyển, hãng vận chuyển, đơn vị giao hàng",
  },
  receipt: {
    payment: `
      hóa đơn, biên lai, biên nhận, thanh toán thành công, xác nhận thanh toán, đã nhận, nhận được khoản,
      bạn đã thanh toán, đã thanh toán, đã trừ, đã thu, khoản quyên góp
    `,
    failed: "thanh toán thất bại, không thành công",
    dateLabel: "ngày thanh toán, ngày hóa đơn, ngày giao dịch, ngày mua, ngày",
    due: "hạn thanh toán",
    merchantLabel: "người bán, đơn vị chấp nhận thẻ",
    methodLabel: "phương thức thanh toán, hình thức thanh toán",
    cardEnding: "kết thúc bằng, có đuôi, đuôi, số cuối, kết thúc là",
    paidWith: "thanh toán bằng, thanh toán qua, bằng thẻ, qua ví, từ tài khoản, qua thẻ, bằng ví",
    cash: `
      tiền mặt, thẻ tín dụng, thẻ ghi nợ, chuyển khoản, thanh toán khi nhận hàng, ví điện tử, thẻ quà tặng
    `,
  },
};
