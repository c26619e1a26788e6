import type { ShippingStatus } from "../../contract/extraction.ts";
import { phrases } from "./labelled-values.ts";

/** What mails say of a parcel, by language. Where a line says two things the first of this list counts. */
const STATUSES: readonly (readonly [ShippingStatus, RegExp])[] = [
  [
    "exception",
    phrases(
      "could not be delivered|couldn't be delivered|couldn't deliver|could not deliver|unable to deliver|delivery attempt|delivery exception|is delayed|has been delayed|delivery delayed|was returned to sender|missed delivery",
      "konnte nicht zugestellt|nicht zugestellt werden|zustellversuch|verzögert sich|zustellung fehlgeschlagen",
      "n'a pas pu être livré|échec de livraison|tentative de livraison|est retardé|livraison retardée",
      "no se pudo entregar|no se ha podido entregar|intento de entrega|se ha retrasado|incidencia en la entrega",
      "não foi possível entregar|tentativa de entrega|está atrasad|entrega não realizada",
      "non è stato possibile consegnare|tentativo di consegna|consegna non riuscita|in ritardo",
      "kon niet worden bezorgd|bezorging mislukt|is vertraagd|niet bezorgd",
      "nie udało się doręczyć|nieudana próba doręczenia|opóźnion",
      "не удалось доставить|неудачная попытка|задерживается",
      "teslim edilemedi|gecikti|gecikme yaşan",
      "تعذر تسليم|تعذر توصيل|تأخر توصيل|محاولة التسليم|تأخرت",
      "डिलीवर नहीं हो|डिलीवरी असफल|देरी हो",
      "giao hàng không thành công|giao không thành công|bị chậm",
      "gagal dikirim|gagal diantar|tertunda|pengiriman gagal",
      "派送失败|投递失败|配送失敗|延误|延誤|配達できません|お届けできません|持ち戻り|不在のため|배송 실패|배송 지연|배달하지 못",
    ),
  ],
  [
    "out_for_delivery",
    phrases(
      "out for delivery|arriving today|will be delivered today|with the courier",
      "in zustellung|wird heute zugestellt|kommt heute|im zustellfahrzeug|zustellfahrzeug geladen",
      "en cours de livraison|livré aujourd'hui|sera livré aujourd'hui",
      "en reparto|llega hoy|se entregará hoy",
      "saiu para entrega|chega hoje|em rota de entrega",
      "in consegna|arriva oggi|consegna oggi",
      "wordt vandaag bezorgd|vandaag bezorgd|de bezorger is onderweg|komt vandaag",
      "wydana do doręczenia|wydano do doręczenia|przekazana kurierowi|zostanie dziś doręczona|dzisiaj dostarczymy",
      "передан курьеру|передана курьеру|передано курьеру|доставим сегодня|у курьера",
      "dağıtıma çıktı|dağıtımda|bugün teslim edilecek",
      "خرجت للتوصيل|خرج للتوصيل|قيد التوصيل|جاري التوصيل",
      "डिलीवरी के लिए निकल|आज डिलीवर होगा",
      "đang được giao|đang giao hàng|sẽ được giao hôm nay",
      "sedang diantar|sedang dalam pengantaran|akan tiba hari ini|dibawa kurir",
      "派送中|正在派送|派件中|配送中|配達中|本日お届け|持ち出し|配送出発|배송출발|배송 출발|배달 중|오늘 도착|오늘 배송",
    ),
  ],
  [
    "delivered",
    phrases(
      "has been delivered|was delivered|were delivered|is delivered|delivered:|delivered to|package delivered|parcel delivered|order delivered|delivered",
      "wurde zugestellt|zugestellt|wurde geliefert|ist angekommen|wurde abgegeben",
      "a été livré|a été livrée|est livré|livré|livrée|bien été remis",
      "ha sido entregado|fue entregado|entregado|entregada",
      "foi entregue|entregue|entregues",
      "è stato consegnato|è stata consegnata|consegnato|consegnata",
      "is bezorgd|bezorgd|afgeleverd",
      "została doręczona|został doręczony|doręczono|dostarczono|została dostarczona|doręczona",
      "доставлен|доставлена|доставлено|вручено|вручена|получено адресатом",
      "teslim edildi|teslim edilmiştir",
      "تم توصيل|تم تسليم|تم التسليم|تم التوصيل",
      "डिलीवर हो गया|डिलीवर कर दिया|डिलीवर हुआ|डिलीवर हो चुका",
      "đã được giao|đã giao|giao hàng thành công|đã giao thành công",
      "telah diterima|telah sampai|sudah sampai|terkirim|paket diterima",
      "已签收|已送达|已妥投|已送達|已簽收|配達完了|お届け済み|配達しました|お届けしました|お届けが完了|배송완료|배송 완료|배달 완료|배달완료|배송이 완료",
    ),
  ],
  [
    "in_transit",
    phrases(
      "in transit|on its way|on the way|en route|on the move|moving through",
      "unterwegs|auf dem weg|in der zustellbasis|im transport",
      "en transit|en route|en chemin|en cours d'acheminement|acheminement",
      "en camino|en tránsito",
      "a caminho|em trânsito",
      "in transito|è in viaggio|in viaggio",
      "is onderweg|onderweg",
      "w drodze|jest w drodze",
      "в пути|едет к вам",
      "yolda|yola çıktı|kargoda|transfer sürecinde",
      "في الطريق|قيد النقل",
      "रास्ते में|ट्रांज़िट में|ट्रांजिट में",
      "đang vận chuyển|đang được vận chuyển|đang trên đường|trên đường",
      "dalam perjalanan|sedang dalam proses pengiriman",
      "运输中|運輸中|運送中|輸送中|배송 중|배송중|이동중|이동 중",
    ),
  ],
  [
    "shipped",
    phrases(
      "has shipped|have shipped|was shipped|shipped|has been shipped|dispatched|left our warehouse|handed over to",
      "versandt|verschickt|versendet|auf die reise|an dhl übergeben",
      "expédié|expédiée|envoyé|a été remise à|a été remis à",
      "ha sido enviado|hemos enviado|enviado|enviada|despachado",
      "foi enviado|enviamos|despachado|foi postado|postado|enviada",
      "spedito|spedita|è stato spedito",
      "verzonden|verstuurd",
      "wysłane|wysłana|wysłaliśmy|nadana|nadano|została nadana",
      "отправлен|отправлена|отправили|отгружен",
      "kargoya verildi|gönderildi|kargolandı|yola çıkarıldı",
      "تم شحن|تم الشحن|شحنا|تم إرسال",
      "शिप कर दिया|शिप हो गया|भेज दिया|भेजा गया|रवाना",
      "đã gửi|đã được gửi|đã xuất kho|đã bàn giao|đã được bàn giao",
      "telah dikirim|dikirim|sudah dikirim|dikirimkan|telah diserahkan",
      "已发货|已發貨|已出貨|已寄出|发货|發貨|出貨|発送しました|発送いたしました|発送完了|出荷しました|出荷|発送|발송되었습니다|발송했습니다|발송|출고",
    ),
  ],
];

/** Words that say it is still to come, or might: then a line tells nothing. */
const NOT_YET = phrases(
  "will be delivered|will be shipped|to be delivered|once it ships|when it ships|once shipped|as soon as|we will email you when|when your order ships|before it ships|not yet shipped|ready to ship|will ship|will be dispatched|hasn't shipped",
  "sobald|wird versandt|wird verschickt|werden wir sie informieren|in kürze versendet",
  "dès que|sera livré|sera livrée|sera expédié|sera expédiée|será enviado|será entregado|cuando se envíe|assim que|será entregue",
  "verrà spedito|verrà consegnato|sarà spedito|sarà consegnato|appena spedito|zodra|wordt verzonden|gdy tylko|zostanie wysłan|zostanie doręczona",
  "когда заказ будет|будет отправлен|будет доставлен|gönderildiğinde|teslim edilecek|kargoya verildiğinde|عند شحن|سيتم شحن|سيتم توصيل",
  "शिप होने पर|khi đơn hàng được gửi|sẽ được giao|akan dikirim|setelah dikirim|发货后|發貨後|出貨後|発送後|発送次第|出荷後|발송 후|발송되면|出荷予定|発送予定",
);

/** What one line says of the parcel; null if nothing. */
export function statusIn(lower: string): ShippingStatus | null {
  const found = STATUSES.find(([, words]) => words.test(lower))?.[0] ?? null;
  if (found === null || found === "exception" || found === "out_for_delivery") return found;
  return NOT_YET.test(lower) ? null : found;
}
