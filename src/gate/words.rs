//! The words that the front itself puts on the waiting page, in every language of the page: why there is no number, and what is asked of
//! the visitor before there is one. All other words of the page are in `web/locales/`, which the front does not read.

use super::Language;

/// These words in one language, as plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontWords {
    /// This visitor has asked for too many numbers in a short time.
    pub too_often: &'static str,
    /// Too many visitors of one address are joining at this moment.
    pub too_many_at_once: &'static str,
    /// Too many visitors of one address are in line.
    pub too_many_in_line: &'static str,
    /// The heading of the question whether the visitor is a machine.
    pub show_that_you_are_a_person: &'static str,
    /// The question whether the visitor is a machine needs JavaScript.
    pub question_needs_scripts: &'static str,
    /// The browser holds the place of another account than the one that the shop sends.
    pub place_of_another_account: &'static str,
    /// The waiting page cannot stand in a frame of another site.
    pub needs_a_window: &'static str,
    /// The link to the page in a window of its own.
    pub open_a_window: &'static str,
}

impl FrontWords {
    /// Returns the words in this language. O(1).
    #[must_use]
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &EN,
            Language::Ja => &JA,
            Language::ZhHans => &ZH_HANS,
            Language::ZhHant => &ZH_HANT,
            Language::Ko => &KO,
            Language::Es => &ES,
            Language::Pt => &PT,
            Language::Fr => &FR,
            Language::De => &DE,
            Language::It => &IT,
            Language::Vi => &VI,
            Language::Th => &TH,
            Language::Id => &ID,
            Language::Hi => &HI,
            Language::Ar => &AR,
        }
    }

    /// Returns all of the words.
    #[must_use]
    pub const fn all(&self) -> [&'static str; 8] {
        [
            self.too_often,
            self.too_many_at_once,
            self.too_many_in_line,
            self.show_that_you_are_a_person,
            self.question_needs_scripts,
            self.place_of_another_account,
            self.needs_a_window,
            self.open_a_window,
        ]
    }
}

const EN: FrontWords = FrontWords {
    too_often: "You have taken too many numbers in a short time. Please wait a minute; this page tries again by itself.",
    too_many_at_once: "Too many people are joining over your internet connection at this moment. This page tries again by itself.",
    too_many_in_line: "Too many people are in line over your internet connection already. This page tries again by itself; another connection may be quicker.",
    show_that_you_are_a_person: "Before you get a number, please show that you are a person.",
    question_needs_scripts: "This check needs JavaScript. Turn it on for this site, or use another browser, and load this page again.",
    place_of_another_account: "This browser has the place of another account. It stays that account’s. To join with yours, leave the line first.",
    needs_a_window: "This page has a waiting room, which needs a window of its own.",
    open_a_window: "Open it in a new window",
};

const JA: FrontWords = FrontWords {
    too_often: "短い時間に何度も番号をお取りになりました。1分ほどお待ちください。このページは自動的に再試行します。",
    too_many_at_once: "ご利用のインターネット回線から、いま多くの方が同時に並ばれています。このページは自動的に再試行します。",
    too_many_in_line: "ご利用のインターネット回線から、すでに多くの方が並ばれています。このページは自動的に再試行します。別の回線のほうが早い場合があります。",
    show_that_you_are_a_person: "番号をお取りする前に、人であることのご確認をお願いします。",
    question_needs_scripts: "この確認には JavaScript が必要です。有効にするか別のブラウザーで、このページを再度開いてください。",
    place_of_another_account: "このブラウザーには別のアカウントの順番があります。その順番は元のアカウントのものです。ご自分のアカウントで並ぶには、先に列を離れてください。",
    needs_a_window: "このページの待合室は、専用のウィンドウで開く必要があります。",
    open_a_window: "新しいウィンドウで開く",
};

const ZH_HANS: FrontWords = FrontWords {
    too_often: "您在短时间内取号次数过多。请等待一分钟，此页面会自动重试。",
    too_many_at_once: "目前通过您的网络连接排队的人太多。此页面会自动重试。",
    too_many_in_line: "通过您的网络连接排队的人已经太多。此页面会自动重试；换一个网络可能更快。",
    show_that_you_are_a_person: "取号之前，请先确认您是真人。",
    question_needs_scripts: "此项确认需要 JavaScript。请为本网站启用它，或换用其他浏览器，然后重新加载此页面。",
    place_of_another_account: "此浏览器中已有另一个账户的位置，该位置仍属于那个账户。若要用您的账户排队，请先离开队列。",
    needs_a_window: "此页面设有等候室，需要在单独的窗口中打开。",
    open_a_window: "在新窗口中打开",
};

const ZH_HANT: FrontWords = FrontWords {
    too_often: "您在短時間內取號次數過多。請等待一分鐘，此頁面會自動重試。",
    too_many_at_once: "目前透過您的網路連線排隊的人太多。此頁面會自動重試。",
    too_many_in_line: "透過您的網路連線排隊的人已經太多。此頁面會自動重試；換一個網路可能更快。",
    show_that_you_are_a_person: "取號之前，請先確認您是真人。",
    question_needs_scripts: "此項確認需要 JavaScript。請為本網站啟用它，或改用其他瀏覽器，然後重新載入此頁面。",
    place_of_another_account: "此瀏覽器中已有另一個帳戶的位置，該位置仍屬於那個帳戶。若要用您的帳戶排隊，請先離開隊伍。",
    needs_a_window: "此頁面設有等候室，需要在獨立的視窗中開啟。",
    open_a_window: "在新視窗中開啟",
};

const KO: FrontWords = FrontWords {
    too_often: "짧은 시간에 번호를 너무 많이 받으셨습니다. 1분 정도 기다려 주세요. 이 페이지가 자동으로 다시 시도합니다.",
    too_many_at_once: "지금 같은 인터넷 회선에서 너무 많은 분이 동시에 줄을 서고 있습니다. 이 페이지가 자동으로 다시 시도합니다.",
    too_many_in_line: "같은 인터넷 회선에서 이미 너무 많은 분이 줄을 서고 있습니다. 이 페이지가 자동으로 다시 시도합니다. 다른 회선이 더 빠를 수 있습니다.",
    show_that_you_are_a_person: "번호를 받기 전에 사람임을 확인해 주세요.",
    question_needs_scripts: "이 확인에는 JavaScript가 필요합니다. 이 사이트에서 JavaScript를 켜거나 다른 브라우저를 사용하여 이 페이지를 다시 열어 주세요.",
    place_of_another_account: "이 브라우저에는 다른 계정의 자리가 있습니다. 그 자리는 그 계정의 것으로 유지됩니다. 본인 계정으로 줄을 서려면 먼저 대기열에서 나가 주세요.",
    needs_a_window: "이 페이지에는 대기실이 있으며, 별도의 창에서 열어야 합니다.",
    open_a_window: "새 창에서 열기",
};

const ES: FrontWords = FrontWords {
    too_often: "Ha pedido demasiados números en poco tiempo. Espere un minuto, por favor; esta página lo vuelve a intentar por sí sola.",
    too_many_at_once: "En este momento se están sumando a la fila demasiadas personas desde su conexión a internet. Esta página lo vuelve a intentar por sí sola.",
    too_many_in_line: "Ya hay demasiadas personas en la fila desde su conexión a internet. Esta página lo vuelve a intentar por sí sola; con otra conexión puede ser más rápido.",
    show_that_you_are_a_person: "Antes de recibir un número, demuestre que es una persona, por favor.",
    question_needs_scripts: "Esta comprobación necesita JavaScript. Actívelo para este sitio, o use otro navegador, y vuelva a cargar esta página.",
    place_of_another_account: "Este navegador tiene el lugar de otra cuenta, y sigue siendo de esa cuenta. Para sumarse a la fila con la suya, salga primero de la fila.",
    needs_a_window: "Esta página tiene una sala de espera que necesita una ventana propia.",
    open_a_window: "Abrirla en una ventana nueva",
};

const PT: FrontWords = FrontWords {
    too_often: "Você pediu números demais em pouco tempo. Espere um minuto; esta página tenta de novo sozinha.",
    too_many_at_once: "Neste momento, pessoas demais estão entrando na fila pela sua conexão de internet. Esta página tenta de novo sozinha.",
    too_many_in_line: "Já há pessoas demais na fila pela sua conexão de internet. Esta página tenta de novo sozinha; com outra conexão pode ser mais rápido.",
    show_that_you_are_a_person: "Antes de receber um número, mostre que você é uma pessoa, por favor.",
    question_needs_scripts: "Esta verificação precisa de JavaScript. Ative-o para este site, ou use outro navegador, e carregue esta página de novo.",
    place_of_another_account: "Este navegador tem o lugar de outra conta, e ele continua sendo dessa conta. Para entrar com a sua, saia primeiro da fila.",
    needs_a_window: "Esta página tem uma sala de espera, que precisa de uma janela própria.",
    open_a_window: "Abrir em uma nova janela",
};

const FR: FrontWords = FrontWords {
    too_often: "Vous avez pris trop de numéros en peu de temps. Veuillez attendre une minute ; cette page réessaie toute seule.",
    too_many_at_once: "Trop de personnes rejoignent la file en ce moment depuis votre connexion internet. Cette page réessaie toute seule.",
    too_many_in_line: "Trop de personnes sont déjà dans la file depuis votre connexion internet. Cette page réessaie toute seule ; une autre connexion sera peut-être plus rapide.",
    show_that_you_are_a_person: "Avant de recevoir un numéro, veuillez montrer que vous êtes une personne.",
    question_needs_scripts: "Cette vérification a besoin de JavaScript. Activez-le pour ce site, ou utilisez un autre navigateur, et rechargez cette page.",
    place_of_another_account: "Ce navigateur a la place d’un autre compte, et elle reste à ce compte. Pour rejoindre la file avec le vôtre, quittez d’abord la file.",
    needs_a_window: "Cette page a une salle d’attente, qui a besoin de sa propre fenêtre.",
    open_a_window: "L’ouvrir dans une nouvelle fenêtre",
};

const DE: FrontWords = FrontWords {
    too_often: "Sie haben in kurzer Zeit zu viele Nummern geholt. Bitte warten Sie eine Minute; diese Seite versucht es von selbst noch einmal.",
    too_many_at_once: "Gerade stellen sich über Ihren Internetanschluss zu viele Personen an. Diese Seite versucht es von selbst noch einmal.",
    too_many_in_line: "Über Ihren Internetanschluss stehen schon zu viele Personen in der Schlange. Diese Seite versucht es von selbst noch einmal; über einen anderen Anschluss geht es vielleicht schneller.",
    show_that_you_are_a_person: "Bitte zeigen Sie, dass Sie ein Mensch sind, bevor Sie eine Nummer erhalten.",
    question_needs_scripts: "Diese Prüfung braucht JavaScript. Schalten Sie es für diese Website ein oder nehmen Sie einen anderen Browser, und laden Sie diese Seite neu.",
    place_of_another_account: "Dieser Browser hat den Platz eines anderen Kontos. Er bleibt dessen Platz. Um sich mit Ihrem Konto anzustellen, verlassen Sie zuerst die Schlange.",
    needs_a_window: "Diese Seite hat einen Warteraum, der ein eigenes Fenster braucht.",
    open_a_window: "In einem neuen Fenster öffnen",
};

const IT: FrontWords = FrontWords {
    too_often: "Hai preso troppi numeri in poco tempo. Attendi un minuto; questa pagina riprova da sola.",
    too_many_at_once: "In questo momento troppe persone si stanno mettendo in fila dalla tua connessione internet. Questa pagina riprova da sola.",
    too_many_in_line: "Dalla tua connessione internet ci sono già troppe persone in fila. Questa pagina riprova da sola; con un’altra connessione potrebbe essere più veloce.",
    show_that_you_are_a_person: "Prima di ricevere un numero, dimostra di essere una persona.",
    question_needs_scripts: "Questa verifica richiede JavaScript. Attivalo per questo sito, o usa un altro browser, e ricarica la pagina.",
    place_of_another_account: "Questo browser ha il posto di un altro account, e resta di quell’account. Per metterti in fila con il tuo, lascia prima la fila.",
    needs_a_window: "Questa pagina ha una sala d’attesa, che ha bisogno di una finestra propria.",
    open_a_window: "Aprila in una nuova finestra",
};

const VI: FrontWords = FrontWords {
    too_often: "Bạn đã lấy quá nhiều số trong thời gian ngắn. Vui lòng đợi một phút; trang này sẽ tự thử lại.",
    too_many_at_once: "Hiện có quá nhiều người vào hàng qua kết nối internet của bạn. Trang này sẽ tự thử lại.",
    too_many_in_line: "Đã có quá nhiều người trong hàng qua kết nối internet của bạn. Trang này sẽ tự thử lại; dùng kết nối khác có thể nhanh hơn.",
    show_that_you_are_a_person: "Trước khi nhận số, vui lòng xác nhận bạn là người thật.",
    question_needs_scripts: "Bước xác nhận này cần JavaScript. Hãy bật JavaScript cho trang web này, hoặc dùng trình duyệt khác, rồi tải lại trang.",
    place_of_another_account: "Trình duyệt này đang giữ chỗ của một tài khoản khác và chỗ đó vẫn thuộc về tài khoản ấy. Để xếp hàng bằng tài khoản của bạn, trước tiên hãy rời hàng.",
    needs_a_window: "Trang này có phòng chờ và cần được mở trong một cửa sổ riêng.",
    open_a_window: "Mở trong cửa sổ mới",
};

const TH: FrontWords = FrontWords {
    too_often: "คุณขอหมายเลขบ่อยเกินไปในเวลาสั้น ๆ โปรดรอหนึ่งนาที หน้านี้จะลองใหม่เอง",
    too_many_at_once: "ขณะนี้มีคนเข้าคิวผ่านการเชื่อมต่ออินเทอร์เน็ตของคุณพร้อมกันมากเกินไป หน้านี้จะลองใหม่เอง",
    too_many_in_line: "มีคนอยู่ในคิวผ่านการเชื่อมต่ออินเทอร์เน็ตของคุณมากเกินไปแล้ว หน้านี้จะลองใหม่เอง การเชื่อมต่ออื่นอาจเร็วกว่า",
    show_that_you_are_a_person: "ก่อนรับหมายเลข โปรดยืนยันว่าคุณเป็นคนจริง",
    question_needs_scripts: "การยืนยันนี้ต้องใช้ JavaScript โปรดเปิดใช้สำหรับเว็บไซต์นี้ หรือใช้เบราว์เซอร์อื่น แล้วโหลดหน้านี้ใหม่",
    place_of_another_account: "เบราว์เซอร์นี้มีคิวของบัญชีอื่นอยู่ และคิวนั้นยังคงเป็นของบัญชีนั้น หากต้องการเข้าคิวด้วยบัญชีของคุณ โปรดออกจากคิวก่อน",
    needs_a_window: "หน้านี้มีห้องรอซึ่งต้องเปิดในหน้าต่างแยกต่างหาก",
    open_a_window: "เปิดในหน้าต่างใหม่",
};

const ID: FrontWords = FrontWords {
    too_often: "Anda mengambil terlalu banyak nomor dalam waktu singkat. Harap tunggu satu menit; halaman ini mencoba lagi sendiri.",
    too_many_at_once: "Saat ini terlalu banyak orang masuk antrean melalui koneksi internet Anda. Halaman ini mencoba lagi sendiri.",
    too_many_in_line: "Sudah terlalu banyak orang dalam antrean melalui koneksi internet Anda. Halaman ini mencoba lagi sendiri; koneksi lain mungkin lebih cepat.",
    show_that_you_are_a_person: "Sebelum mendapat nomor, harap tunjukkan bahwa Anda manusia.",
    question_needs_scripts: "Pemeriksaan ini memerlukan JavaScript. Aktifkan untuk situs ini, atau gunakan peramban lain, lalu muat ulang halaman ini.",
    place_of_another_account: "Peramban ini memegang tempat akun lain, dan tempat itu tetap milik akun tersebut. Untuk mengantre dengan akun Anda, tinggalkan antrean dulu.",
    needs_a_window: "Halaman ini memiliki ruang tunggu yang perlu dibuka di jendelanya sendiri.",
    open_a_window: "Buka di jendela baru",
};

const HI: FrontWords = FrontWords {
    too_often: "आपने थोड़े समय में बहुत अधिक नंबर लिए हैं। कृपया एक मिनट रुकें; यह पेज अपने आप फिर कोशिश करेगा।",
    too_many_at_once: "इस समय आपके इंटरनेट कनेक्शन से बहुत अधिक लोग कतार में आ रहे हैं। यह पेज अपने आप फिर कोशिश करेगा।",
    too_many_in_line: "आपके इंटरनेट कनेक्शन से पहले ही बहुत अधिक लोग कतार में हैं। यह पेज अपने आप फिर कोशिश करेगा; किसी दूसरे कनेक्शन से जल्दी हो सकता है।",
    show_that_you_are_a_person: "नंबर पाने से पहले कृपया पुष्टि करें कि आप इंसान हैं।",
    question_needs_scripts: "इस जाँच के लिए JavaScript ज़रूरी है। इस साइट के लिए उसे चालू करें या दूसरा ब्राउज़र इस्तेमाल करें, और यह पेज फिर लोड करें।",
    place_of_another_account: "इस ब्राउज़र में किसी दूसरे खाते की जगह है, और वह उसी खाते की रहेगी। अपने खाते से कतार में लगने के लिए पहले कतार छोड़ें।",
    needs_a_window: "इस पेज का एक प्रतीक्षालय है, जिसे अपनी अलग विंडो चाहिए।",
    open_a_window: "नई विंडो में खोलें",
};

const AR: FrontWords = FrontWords {
    too_often: "لقد أخذت أرقامًا كثيرة جدًا في وقت قصير. يُرجى الانتظار دقيقة؛ ستحاول هذه الصفحة مجددًا تلقائيًا.",
    too_many_at_once: "ينضم الآن عدد كبير جدًا من الأشخاص إلى الطابور عبر اتصالك بالإنترنت. ستحاول هذه الصفحة مجددًا تلقائيًا.",
    too_many_in_line: "يوجد بالفعل عدد كبير جدًا من الأشخاص في الطابور عبر اتصالك بالإنترنت. ستحاول هذه الصفحة مجددًا تلقائيًا؛ وقد يكون اتصال آخر أسرع.",
    show_that_you_are_a_person: "قبل الحصول على رقم، يُرجى إثبات أنك إنسان.",
    question_needs_scripts: "يحتاج هذا التحقق إلى JavaScript. فعّلها لهذا الموقع، أو استخدم متصفحًا آخر، ثم أعد تحميل هذه الصفحة.",
    place_of_another_account: "في هذا المتصفح مكان حساب آخر، ويبقى المكان لذلك الحساب. للانضمام بحسابك، غادر الطابور أولاً.",
    needs_a_window: "لهذه الصفحة غرفة انتظار تحتاج إلى نافذة خاصة بها.",
    open_a_window: "افتحها في نافذة جديدة",
};
