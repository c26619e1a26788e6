import type { Language } from "./language.ts";

/** Korean. */
export const ko: Language = {
  tag: "ko",
  keyWords: "anywhere",
  code: {
    strong: `
      인증번호, 인증 번호, 인증코드, 인증 코드, 확인코드, 확인 코드, 보안코드, 보안 코드, 일회용 비밀번호,
      일회용 코드, 로그인 코드, 본인확인 번호, 보안번호, 활성화 코드
    `,
    passcode: "암호",
    weak: "코드, 비밀번호, 번호",
    hint: "인증, 로그인, 본인 확인, 확인하",
    soft: "계정, 카드, 휴대폰",
    number: `
      주문번호, 주문 번호, 주문, 송장번호, 송장 번호, 운송장 번호, 운송장번호, 청구서, 영수증, 계좌번호,
      계좌 번호, 고객번호, 고객 번호, 접수번호, 전화번호, 전화, 고객센터, 우편번호, 우편 번호, 금액, 합계,
      오류 코드, 사업자등록번호, 참조번호, 상품 코드, 상품코드, 종목 코드, 종목코드, 국가 코드, 소스 코드,
      지점 코드, 과목 코드, 환자번호
    `,
    booking: "예약번호, 예약 번호, 예약, 항공편",
    meeting: "회의 id, 미팅 id",
    coupon: "쿠폰, 할인, 할인 코드, 쿠폰 번호, 프로모션 코드, 초대 코드",
    instruction: "입력, 사용, 적어, 넣어, 기입, 적으",
    purpose: "완료, 등록, 가입, 계속, 승인, 활성화, 진행, 연결, 결제, 이체, 참여, 거래",
    digits: "숫자",
  },
  sentence: {
    leadsTo: "은, 는, 이",
    ledBy: "입니다, 은, 는, 이, 가, 을, 를",
    units: "원, 년, 월, 분, 초, 명, 개",
  },
  link: {
    proves: "이메일 인증, 인증하기, 인증, 확인하기, 활성화, 재설정, 로그인 링크",
    signsIn: "로그인",
    goesOn: "계속, 시작하기, 여기",
    password: "비밀번호",
    account: "계정, 이메일",
    otherPurpose: "수신거부, 수신 거부, 구독 취소, 개인정보, 고객센터, 도움말",
  },
  quoting: {
    wrote: "작성, 쓴 글",
    originalMessage: "원본 메시지",
    from: "보낸 사람",
    sent: "보낸 날짜",
    forwarded: "전달된 메시지",
  },
  subject: {
    reply: "답장",
    forward: "전달",
    automatic: "자동 회신",
    invitation: "초대, 알림",
  },
  signature: {
    closings: "감사합니다, 감사합니다 드림, 고맙습니다, 안녕히 계세요, 수고하세요, 드림",
    footers: [".*outlook 다운로드.*", "(?:나의|내) .{1,30}에서 (?:보냄|전송)", ".{1,30}에서 보냄"],
  },
  dates: {
    morning: "오전",
    afternoon: "오후",
  },
  appointment: {
    when: "일시, 일정, 시간, 예약일시, 날짜",
    time: "시간",
    where: "장소, 위치",
    title: "제목, 행사, 안건",
  },
  money: {
    grandTotal: `
      총 결제금액, 총 결제 금액, 결제금액, 결제 금액, 총 주문금액, 주문금액, 청구금액, 총 금액
    `,
    total: "합계, 총액, 총계",
    partial: "소계, 배송비, 할인, 상품금액, 부가세",
    currencies: {
      KRW: "원",
    },
  },
  order: {
    numberLabel: "주문번호, 주문 번호, 주문 no",
    word: "주문",
    quantity: "수량",
  },
  parcel: {
    numberLabel: "운송장 번호, 운송장번호, 송장번호, 송장 번호, 등기번호, 배송 조회 번호",
    nearNumber: "택배, 운송장",
    arrivalLabel: "도착 예정일, 도착예정일, 도착 예정, 배송 예정일, 배송예정일",
    word: "택배, 상품, 주문",
    statuses: {
      exception: "배송 실패, 배송 지연, 배달하지 못",
      out_for_delivery: "배송출발, 배송 출발, 배달 중, 오늘 도착, 오늘 배송",
      delivered: "배송완료, 배송 완료, 배달 완료, 배달완료, 배송이 완료",
      in_transit: "배송 중, 배송중, 이동중, 이동 중",
      shipped: "발송되었습니다, 발송했습니다, 발송, 출고",
    },
    notYet: "발송 후, 발송되면",
  },
  receipt: {
    payment: "영수증, 결제 완료, 결제완료, 결제가 완료, 청구서",
    failed: "결제 실패, 결제가 실패, 승인 거절",
    dateLabel: "결제일, 결제일시, 거래일시, 결제 일시, 발행일, 결제일자, 날짜",
    due: "납부기한",
    merchantLabel: "가맹점, 판매자",
    methodLabel: "결제수단, 결제 수단, 결제방법, 결제 방법",
    cardEnding: "끝자리, 뒷자리",
  },
};
