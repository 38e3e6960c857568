//! Where Java's decoders of multi-byte character sets differ from the WHATWG's: runs of codes that follow one
//! another, the first with its bytes read as one number, and their characters.

/// Runs in the order of their codes.
pub(super) type Patches = &'static [(u32, &'static str)];

pub(super) const BIG5: Patches = &[
    (0xA145, "•"),
    (0xA14E, "､"),
    (0xA15A, "＿"),
    (0xA1C2, "‾"),
    (0xA1E3, "∼"),
    (0xA1F2, "♁☉"),
    (0xA1FE, "╱"),
    (0xA240, "╲／＼"),
    (0xA244, "¥"),
    (0xA246, "¢£"),
    (
        0xC6A1,
        "\
        \u{30FE}\u{309D}\u{309E}\u{3005}ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざ\
        しじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼ\
        ぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんァアィイゥウェ",
    ),
    (
        0xC740,
        "\
        エォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネ\
        ノハバパヒビピフブプヘベペホボポマミムメモャヤュユ",
    ),
    (
        0xC7A1,
        "\
        ョヨラリルレロヮワヰヱヲンヴヵヶДЕЁЖЗИЙКЛМУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрст\
        уфхцчшщъыьэюя①②③④⑤⑥⑦⑧⑨⑩⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽",
    ),
];

pub(super) const EUC_JP_OPEN: Patches = &[
    (0xA1BD, "—"),
    (0xA1C1, "〜‖"),
    (0xA1DD, "−"),
    (0xA1F1, "¢£"),
    (0xA2CC, "¬"),
    (0xFCFB, "げ¦"),
    (0x8FF3F3, "ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅠⅡ"),
    (
        0x8FF4A1,
        "\
        ⅢⅣⅤⅥⅦⅧⅨⅩ＇＂㈱№℡炻仼僴凬匇匤﨎咊坙﨏塚增寬峵嵓﨑德悅愠敎昻晥晴朗栁﨓﨔橫櫢淸\
        淲瀨凞猪甁皂皞益礰礼神祥福竧靖精綠緖羽荢﨟薰蘒﨡蠇諸譿賴赶﨣﨤逸郞都鄕﨧﨨閒\
        隆﨩霻靍靑飯飼館馞髙魲鶴黑",
    ),
];

pub(super) const EUC_KR: Patches = &[(0xA2E8, "㉾")];

pub(super) const GB18030: Patches = &[(0xA3A0, "\u{E5E5}")];

pub(super) const GB2312: Patches = &[(0xA1A4, "・"), (0xA1AA, "―")];

pub(super) const GBK: Patches = &[
    (0xA3A0, "\u{E5E5}"),
    (0xA6D9, "\u{E78D}\u{E78E}\u{E78F}\u{E790}\u{E791}\u{E792}\u{E793}"),
    (0xA6EC, "\u{E794}\u{E795}"),
    (0xA6F3, "\u{E796}"),
    (0xA892, "♁"),
    (0xA8BC, "\u{E7C7}"),
    (0xA8BF, "\u{E7C8}"),
    (
        0xA989,
        "\
        \u{E7E7}\u{E7E8}\u{E7E9}\u{E7EA}\u{E7EB}\u{E7EC}\u{E7ED}\u{E7EE}\
        \u{E7EF}\u{E7F0}\u{E7F1}\u{E7F2}\u{E7F3}",
    ),
    (0xFE50, "\u{E815}"),
    (
        0xFE54,
        "\
        \u{E819}\u{E81A}\u{E81B}\u{E81C}\u{E81D}\u{E81E}\u{E81F}\u{E820}\
        \u{E821}\u{E822}\u{E823}\u{E824}\u{E825}\u{E826}\u{E827}\u{E828}\
        \u{E829}\u{E82A}\u{E82B}\u{E82C}\u{E82D}\u{E82E}\u{E82F}\u{E830}",
    ),
    (
        0xFE6D,
        "\
        \u{E832}\u{E833}\u{E834}\u{E835}\u{E836}\u{E837}\u{E838}\u{E839}\
        \u{E83A}",
    ),
    (0xFE77, "\u{E83C}\u{E83D}\u{E83E}\u{E83F}\u{E840}\u{E841}\u{E842}\u{E843}"),
    (
        0xFE80,
        "\
        \u{E844}\u{E845}\u{E846}\u{E847}\u{E848}\u{E849}\u{E84A}\u{E84B}\
        \u{E84C}\u{E84D}\u{E84E}\u{E84F}\u{E850}\u{E851}\u{E852}\u{E853}\
        \u{E854}",
    ),
    (
        0xFE92,
        "\
        \u{E856}\u{E857}\u{E858}\u{E859}\u{E85A}\u{E85B}\u{E85C}\u{E85D}\
        \u{E85E}\u{E85F}\u{E860}\u{E861}\u{E862}\u{E863}\u{E864}",
    ),
];

pub(super) const SHIFT_JIS: Patches =
    &[(0x815C, "—"), (0x8160, "〜‖"), (0x817C, "−"), (0x8191, "¢£"), (0x81CA, "¬")];

pub(super) const EUC_JP: Patches =
    &[(0xA1BD, "—"), (0xA1C1, "〜‖"), (0xA1DD, "−"), (0xA1F1, "¢£"), (0xA2CC, "¬")];
